"""Rejections: rows that were left out, counted by reason, and items that were there already."""

import pytest

from swather.errors import InputError
from swather.model.outcome import Item, Verdict
from swather.model.rejection import MAX_REASONS, OTHER
from swather.model.task_filter import TaskFilter
from swather.store import Store
from swather.store.rejection_rows import MAX_RUN_REASONS
from tests.store.database import Database
from tests.store.given import (
    a_lease,
    a_run,
    a_worker,
    claim,
    completed,
    data,
    failed,
    finish,
    released,
    retried,
    run_of,
)


def rejected(store: Store, run: str) -> dict[str, int]:
    return store.runs.counts(run).rejected


def test_rejections_of_several_tasks_add_up_and_the_most_frequent_come_first(store: Store):
    run, worker = a_run(store, 3), a_worker(store)
    first, second, third = claim(store, worker, 3)
    finish(store, completed(first, "a", rejected={"closed": 1, "no_phone": 2}), completed(second))
    finish(store, completed(third, "b", rejected={"no_phone": 5}))
    assert list(rejected(store, run).items()) == [("no_phone", 7), ("closed", 1)]
    assert store.runs.counts(run).items == 2
    assert list(store.upkeep.check()) == []


def test_a_stale_attempt_rejects_nothing(store: Store):
    lease = a_lease(store)
    run = run_of(store, lease)
    finish(store, released(lease))
    assert finish(store, completed(lease, rejected={"late": 1})) == [Verdict.STALE]
    fence = lease.fence
    stale = store.queue.checkpoint(fence, part=0, cursor=1, rejected={"late": 1})
    assert stale is Verdict.STALE
    assert rejected(store, run) == {}


def test_a_task_that_completes_again_replaces_its_rejections(store: Store):
    run, worker = a_run(store, 2), a_worker(store)
    for lease in claim(store, worker, 2):
        finish(store, completed(lease, "a", rejected={"closed": 3, "no_phone": 1}))
    again = retry_one(store, run, worker)
    assert rejected(store, run) == {"closed": 6, "no_phone": 2}
    finish(store, completed(again, "a", rejected={"closed": 1}))
    assert rejected(store, run) == {"closed": 4, "no_phone": 1}
    assert list(store.upkeep.check()) == []


def test_a_task_that_fails_when_it_is_tried_again_takes_its_rejections_back(store: Store):
    run, worker = a_run(store, 1), a_worker(store)
    finish(store, completed(claim(store, worker)[0], "a", rejected={"closed": 3}))
    finish(store, failed(retry_one(store, run, worker)))
    assert rejected(store, run) == {}
    finish(store, completed(retry_one(store, run, worker), "b", rejected={"closed": 1}))
    assert rejected(store, run) == {"closed": 1}
    assert list(store.upkeep.check()) == []


def test_a_part_committed_twice_counts_once_and_parts_add_up(store: Store):
    lease = a_lease(store)
    run = run_of(store, lease)
    for _ in range(2):
        store.queue.checkpoint(
            lease.fence, part=0, cursor=1, items=[Item("a")], rejected={"closed": 2}
        )
    assert rejected(store, run) == {"closed": 2}
    finish(store, retried(lease))
    (again,) = claim(store, a_worker(store))
    finish(store, completed(again, "b", part=1, rejected={"closed": 1}))
    assert rejected(store, run) == {"closed": 3}
    assert list(store.upkeep.check()) == []


def test_a_run_has_a_bounded_number_of_reasons(store: Store, database: Database):
    run, worker = a_run(store, MAX_RUN_REASONS // MAX_REASONS + 2), a_worker(store)
    given = 0
    for number, lease in enumerate(claim(store, worker, 100)):
        reasons = {f"reason {number} {each}": 1 for each in range(MAX_REASONS)}
        given += len(reasons)
        finish(store, completed(lease, rejected=reasons))
    found = rejected(store, run)
    assert sum(found.values()) == given
    assert len(found) == MAX_RUN_REASONS + 1
    assert found[OTHER] == 2 * MAX_REASONS
    assert list(store.upkeep.check()) == []


@pytest.mark.parametrize(
    "given",
    [
        {"": 1},
        {"x" * 61: 1},
        {"two\nlines": 1},
        {"\x1b[31m": 1},
        {"negative": -1},
        {"not whole": 1.5},
        {str(number): 1 for number in range(MAX_REASONS + 1)},
    ],
)
def test_what_is_no_reason_is_refused_before_anything_is_written(store: Store, given):
    lease = a_lease(store)
    with pytest.raises(InputError):
        finish(store, completed(lease, "a", rejected=given))
    assert data(store, run_of(store, lease)) == []


def test_rejections_go_with_their_run(store: Store, database: Database):
    lease = a_lease(store)
    run = run_of(store, lease)
    finish(store, completed(lease, rejected={"closed": 1}))
    store.runs.settle(run)
    store.runs.remove(run)
    assert database.rows("SELECT count(*) FROM rejections") == [(0,)]


def test_items_whose_key_is_there_already_are_counted_as_duplicates(store: Store):
    run, worker = a_run(store, 3), a_worker(store)
    leases = claim(store, worker, 3)
    same = Item("business", key="phone=1")
    for lease in leases:
        finish(store, completed(lease, same, Item(lease.target)))
    counts = store.runs.counts(run)
    assert (counts.items, counts.duplicates) == (4, 2)
    # The item goes to another task that produced it, and is no duplicate there any more.
    finish(store, completed(retry_one(store, run, worker), "other"))
    counts = store.runs.counts(run)
    assert (counts.items, counts.duplicates) == (4, 1)
    assert list(store.upkeep.check()) == []


def retry_one(store: Store, run: str, worker: int):
    first = store.tasks.find(TaskFilter(run=run), limit=1)[0].id
    store.tasks.retry(TaskFilter(run=run, task_ids=(first,)))
    return claim(store, worker)[0]
