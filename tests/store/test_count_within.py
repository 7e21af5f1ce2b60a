"""How many tasks match, within bounds: for pages that must not walk ten million."""

from swather.model.task import State
from swather.model.task_filter import TaskFilter
from swather.store import Store
from swather.store.ports import Counted
from tests.store.given import a_run, a_worker, claim, failed, finish, targets


def test_count_within_is_exact_where_it_may_look_at_all(store: Store):
    run = a_run(store, 3, lane="a")
    store.tasks.enqueue(run, targets(["x", "y"], lane="b"))
    on_a = TaskFilter(run=run, lane="a")
    assert store.tasks.count_within(on_a, limit=10) == Counted(3, is_all=True)
    assert store.tasks.count_within(on_a, limit=2) == Counted(2, is_all=False)
    assert store.tasks.count_within(on_a, limit=10, scan=4) == Counted(2, is_all=False)
    nowhere = TaskFilter(run=run, lane="c")
    assert store.tasks.count_within(nowhere, limit=10) == Counted(0, is_all=True)
    assert store.tasks.count_within(nowhere, limit=10, scan=4) == Counted(0, is_all=False)


def test_count_within_knows_states_from_their_counters(store: Store):
    run = a_run(store, 5)
    (lease,) = claim(store, a_worker(store))
    finish(store, failed(lease))
    ready = TaskFilter(run=run, states=frozenset({State.READY}))
    assert store.tasks.count_within(ready, limit=1, scan=1) == Counted(4, is_all=True)
    assert store.tasks.count_within(TaskFilter(run=run), limit=1) == Counted(5, is_all=True)


def test_search_finds_ready_tasks_by_their_heads(store: Store):
    run = a_run(store, 4, lane="a")
    store.tasks.enqueue(run, targets(["x"], lane="b"))
    (lease,) = claim(store, a_worker(store))
    ready = TaskFilter(run=run, states=frozenset({State.READY}))
    found = store.tasks.search(ready, newest_first=True, limit=3)
    rest = store.tasks.search(ready, newest_first=True, before_id=found.next_id, limit=3)
    ids = [task.id for task in (*found.tasks, *rest.tasks)]
    everything = [task.id for task in store.tasks.find(TaskFilter(run=run))]
    assert ids == sorted(set(everything) - {lease.task_id}, reverse=True)
    assert (found.is_all, rest.is_all) == (False, True)
