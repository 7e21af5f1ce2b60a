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


def test_a_task_that_fails_when_it_is_tried_again_outdates_its_items(store: Store):
    run, worker = a_run(store, 2), a_worker(store)
    finish(store, *(completed(lease, f"old {lease.target}") for lease in claim(store, worker, 2)))
    for anew in (False, True):
        store.tasks.retry(TaskFilter(run=run, task_ids=(the_first(store, run),)), anew=anew)
        (again,) = claim(store, worker)
        finish(store, failed(again))
        assert data(store, run) == ["old 1"]
        assert outdated(store, run) == ["old 0"]
        assert (store.runs.counts(run).items, store.runs.counts(run).outdated) == (1, 1)
        assert store.upkeep.check() == []
    store.tasks.retry(TaskFilter(run=run, task_ids=(the_first(store, run),)))
    (again,) = claim(store, worker)
    finish(store, completed(again, "new 0"))
    assert data(store, run) == ["old 1", "new 0"]
    assert outdated(store, run) == []
    assert (store.runs.counts(run).items, store.runs.counts(run).outdated) == (2, 0)
    assert store.upkeep.check() == []


def test_a_checkpoint_drops_what_was_outdated(store: Store):
    run, worker = a_run(store, 1), a_worker(store)
    (lease,) = claim(store, worker)
    finish(store, completed(lease, "old"))
    for _ in range(2):
        store.tasks.retry(TaskFilter(run=run), anew=True)
        (again,) = claim(store, worker)
        finish(store, failed(again))
    store.tasks.retry(TaskFilter(run=run))
    (again,) = claim(store, worker)
    store.queue.checkpoint(again.fence, part=0, cursor=1, items=[Item("half")])
    finish(store, failed(again))
    (item,) = items(store, run)
    assert (item.data, item.partial) == ("half", True)
    assert outdated(store, run) == []
    assert store.upkeep.check() == []


def test_a_cancelled_retry_leaves_items_as_they_were(store: Store):
    run, worker = a_run(store, 2), a_worker(store)
    finish(store, *(completed(lease, "old") for lease in claim(store, worker, 2)))
    store.tasks.retry(TaskFilter(run=run), anew=True)
    claim(store, worker)
    assert store.runs.cancel(run) == 2
    assert (data(store, run), outdated(store, run)) == (["old", "old"], [])
    assert store.upkeep.check() == []


def test_an_item_that_another_task_produced_too_is_not_outdated(store: Store):
    run, worker = a_run(store, 2), a_worker(store)
    for lease in claim(store, worker, 2):
        finish(store, completed(lease, Item("shared", "key")))
    store.tasks.retry(TaskFilter(run=run, task_ids=(the_first(store, run),)))
    (again,) = claim(store, worker)
    finish(store, failed(again))
    (item,) = items(store, run)
    assert (item.data, item.partial) == ("shared", False)
    assert outdated(store, run) == []
    assert store.upkeep.check() == []


def test_outdated_items_leave_with_their_run(store: Store):
    run, worker = a_run(store, 1), a_worker(store)
    (lease,) = claim(store, worker)
    finish(store, completed(lease, "old"))
    store.tasks.retry(TaskFilter(run=run))
    (again,) = claim(store, worker)
    finish(store, failed(again))
    store.runs.settle(run)
    store.runs.remove(run)
    assert store.upkeep.check() == []


def the_first(store: Store, run: str) -> int:
    return store.tasks.find(TaskFilter(run=run), limit=1)[0].id


def outdated(store: Store, run: str) -> list:
    return [item.data for item in store.results.outdated(run)]
