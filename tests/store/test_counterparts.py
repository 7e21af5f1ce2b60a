"""What another run has of the targets of a run, for a comparison of the two."""

import pytest

from swather.errors import InputError
from swather.model.outcome import Item
from swather.model.results import Counterpart
from swather.model.task import Target
from swather.model.task_filter import TaskFilter
from swather.store import Store
from tests.store.given import a_run, a_task, a_worker, claim, completed, failed, finish


def test_identities_are_the_same_for_the_same_target_in_two_runs(store: Store):
    tasks = [a_task(store, a_run(store), Target(value={"city": "Ulm"})) for _ in range(2)]
    one, other = (store.results.identities([task])[task] for task in tasks)
    assert one == other
    assert one.target == {"city": "Ulm"}
    assert len(one.key) == 32


def test_identities_of_tasks_that_do_not_exist_are_left_out(store: Store):
    assert store.results.identities([0, -1, 10**15, 2**70]) == {}
    assert store.results.identities([]) == {}


def test_counterparts_say_how_the_same_targets_ended_in_the_other_run(store: Store):
    old, new = a_run(store, 3), a_run(store, 2)
    first, second = claim(store, a_worker(store), 2, runs=(new,))
    finish(store, completed(first))
    before = [task.id for task in store.tasks.find(TaskFilter(run=old))]
    assert store.results.counterparts(before, new, after="") == {
        before[0]: Counterpart(True, 0, "completed", "ok"),
        before[1]: Counterpart(True, 0, None, None),
        before[2]: Counterpart(False, 0, None, None),
    }
    finish(store, failed(second))
    assert store.results.counterparts([before[1]], new, after="")[before[1]].state == "failed"


def test_a_target_that_the_other_run_does_not_have_is_followed_back(store: Store):
    old, new = a_run(store), a_run(store)
    page = a_task(store, old, Target(value="page"))
    child = a_task(store, old, Target(value="page 2", parent_id=page))
    grandchild = a_task(store, old, Target(value="item", parent_id=child))
    a_task(store, new, Target(value="page"))
    (lease,) = claim(store, a_worker(store), 1, runs=(new,))
    finish(store, completed(lease))
    assert store.results.counterparts([child, grandchild], new, after="") == {
        child: Counterpart(True, 1, "completed", "ok"),
        grandchild: Counterpart(True, 2, "completed", "ok"),
    }
    assert store.results.counterparts([grandchild], a_run(store), after="") == {
        grandchild: Counterpart(False, 2, None, None)
    }


def test_an_item_of_two_tasks_is_also_found_by_the_second(store: Store):
    run = a_run(store, 2)
    first, second = claim(store, a_worker(store), 2, runs=(run,))
    for lease in (first, second):
        finish(store, completed(lease, Item({"n": 1}, key="a"), Item({}, key=f"{lease.task_id}")))
    assert store.results.also_found_by(run, ["a", f"{first.task_id}", "b"]) == {
        "a": [second.task_id]
    }
    assert store.results.also_found_by(a_run(store), ["a"]) == {}


def test_a_counterpart_says_whether_it_has_items_that_were_not_read(store: Store):
    old, new = a_run(store, 2), a_run(store, 2)
    first, second = claim(store, a_worker(store), 2, runs=(new,))
    finish(store, completed(first, {"n": 1}))
    read_to = store.results.items(new)[-1].position
    finish(store, completed(second, {"n": 2}))
    tasks = [task.id for task in store.tasks.find(TaskFilter(run=old))]
    found = store.results.counterparts(tasks, new, after=read_to)
    assert [found[task].has_more for task in tasks] == [False, True]
    with pytest.raises(InputError, match="not a position"):
        store.results.counterparts(tasks, new, after="first")
