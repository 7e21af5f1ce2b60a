"""Retry from the beginning: what a failed task left behind gives way."""

from swather.model.outcome import Item
from swather.model.task_filter import TaskFilter
from swather.store import Store
from tests.store.given import (
    a_lease,
    a_run,
    a_worker,
    claim,
    completed,
    failed,
    finish,
    items,
    run_of,
)


def data(store: Store, run: str) -> list:
    return [item.data for item in items(store, run)]


def test_a_failed_task_goes_on_at_its_cursor_unless_it_is_to_begin_anew(store: Store):
    lease = a_lease(store)
    run = run_of(store, lease)
    store.queue.checkpoint(lease.fence, part=0, cursor=2, items=[Item("old"), Item("older")])
    finish(store, failed(lease))
    store.tasks.retry(TaskFilter(run=run))
    (again,) = claim(store, a_worker(store))
    assert (again.part, again.cursor) == (1, 2)
    finish(store, failed(again))
    store.tasks.retry(TaskFilter(run=run), anew=True)
    (anew,) = claim(store, a_worker(store))
    assert (anew.part, anew.cursor) == (0, None)
    finish(store, completed(anew, "new"))
    assert data(store, run) == ["new"]
    assert store.runs.counts(run).items == 1


def test_a_checkpoint_of_a_task_that_began_anew_replaces_the_old_rows_once(store: Store):
    lease = a_lease(store)
    run = run_of(store, lease)
    store.queue.checkpoint(lease.fence, part=0, cursor=2, items=[Item("old")])
    finish(store, failed(lease))
    store.tasks.retry(TaskFilter(run=run), anew=True)
    (anew,) = claim(store, a_worker(store))
    store.queue.checkpoint(anew.fence, part=0, cursor=1, items=[Item("a")])
    finish(store, completed(anew, "b", part=1))
    assert data(store, run) == ["a", "b"]


def test_rows_stay_until_there_are_others(store: Store):
    run, worker = a_run(store, 1), a_worker(store)
    (lease,) = claim(store, worker)
    finish(store, completed(lease, "old"))
    for _ in range(2):
        store.tasks.retry(TaskFilter(run=run), anew=True)
        (again,) = claim(store, worker)
        finish(store, failed(again))
        assert data(store, run) == ["old"]
    store.tasks.retry(TaskFilter(run=run), anew=True)
    (again,) = claim(store, worker)
    finish(store, completed(again, "new"))
    assert data(store, run) == ["new"]
