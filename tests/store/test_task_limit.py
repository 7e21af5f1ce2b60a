"""A run never has more tasks than its limit, whoever adds them."""

import pytest

from swather.errors import InputError
from swather.model.run import NewRun
from swather.model.task_filter import TaskFilter
from swather.store import Store
from swather.store.clock import Clock
from tests.store.database import Database
from tests.store.given import (
    a_run,
    a_worker,
    claim,
    completed,
    failed,
    finish,
    states,
    targets,
)
from tests.store.threads import together


def total_and_over(store: Store, run: str) -> tuple[int, int]:
    counts = store.runs.counts(run)
    return counts.total, counts.over_limit


def test_a_run_knows_its_limit(store: Store):
    assert store.runs.get(a_run(store, task_limit=7)).task_limit == 7
    assert store.runs.get(a_run(store)).task_limit is None
    assert {run.task_limit for run in store.runs.find()} == {7, None}


@pytest.mark.parametrize("limit", [0, -1, 1.5, True, 2**63])
def test_a_limit_that_makes_no_sense_is_refused(store: Store, limit):
    with pytest.raises(InputError, match="task_limit"):
        store.runs.create(NewRun(scraper="books", task_limit=limit))


def test_what_does_not_fit_is_dropped_and_counted(store: Store):
    run = a_run(store, task_limit=5)
    loaded = store.tasks.enqueue(run, targets([0, 1, 2, 1, 3, 4, 5, 6, 0]), batch_size=4)
    assert loaded == (5, 2, 2)
    assert total_and_over(store, run) == (5, 2)
    assert [task.target for task in store.tasks.find(TaskFilter(run=run))] == [0, 1, 2, 3, 4]
    assert store.upkeep.check() == []


def test_what_is_there_already_is_a_duplicate_even_when_the_run_is_full(store: Store):
    run = a_run(store, task_limit=2)
    assert store.tasks.enqueue(run, targets(2)) == (2, 0, 0)
    assert store.tasks.enqueue(run, targets(3)) == (0, 2, 1)
    assert total_and_over(store, run) == (2, 1)


def test_children_count_like_loaded_targets(store: Store):
    run = a_run(store, 2, task_limit=4)
    worker = a_worker(store)
    first, second = claim(store, worker, 2)
    assert finish(store, completed(first, children=targets(["a", 0, "a"]))) == ["accepted"]
    assert finish(store, completed(second, children=targets(["a", "b", "c", "d"]))) == ["accepted"]
    assert total_and_over(store, run) == (4, 2)
    assert sorted(lease.target for lease in claim(store, worker, 9)) == ["a", "b"]


def test_children_of_a_checkpoint_count_as_well(store: Store):
    run = a_run(store, 1, task_limit=2)
    (lease,) = claim(store, a_worker(store))
    store.queue.checkpoint(lease.fence, part=0, cursor=1, children=targets(["a", "b", "c"]))
    assert total_and_over(store, run) == (2, 2)


@pytest.mark.slow
def test_more_children_than_one_transaction_takes(store: Store):
    run = a_run(store, 1, task_limit=10_050)
    (lease,) = claim(store, a_worker(store))
    children = targets([f"child{n}" for n in range(10_100)])
    assert finish(store, completed(lease, children=children)) == ["accepted"]
    assert total_and_over(store, run) == (10_050, 51)


def test_ended_and_scheduled_tasks_take_their_place(store: Store, clock: Clock):
    run = a_run(store, 2, task_limit=4)
    leases = claim(store, a_worker(store), 2)
    finish(store, completed(leases[0]), failed(leases[1]))
    later = targets(["x"], due_in_seconds=60)
    assert store.tasks.enqueue(run, [*later, *targets(["y", "z"])]) == (2, 0, 1)
    assert states(store, run) == {"completed": 1, "failed": 1, "scheduled": 1, "ready": 1}
    assert store.tasks.retry(TaskFilter(run=run)) == 2
    assert store.tasks.enqueue(run, targets(["z"])).added == 0


def test_a_full_run_stays_finished(store: Store):
    run = a_run(store, 1, task_limit=1)
    finish(store, *(completed(lease) for lease in claim(store, a_worker(store))))
    assert store.runs.settle(run)
    assert store.tasks.enqueue(run, targets(5)) == (0, 1, 4)
    assert not store.runs.settle(run)
    assert states(store, run) == {"completed": 1}


def test_other_runs_are_not_limited(store: Store):
    a_run(store, 5, task_limit=2)
    run = a_run(store, 5)
    assert total_and_over(store, run) == (5, 0)


@pytest.mark.slow
def test_eight_loaders_and_followers_fill_a_run_exactly(store: Store):
    run = a_run(store, 40, task_limit=300)

    def work(mine: Store, worker: int) -> list[int]:
        added = 0
        for turn in range(5):
            added += mine.tasks.enqueue(run, targets([f"{worker}-{turn}-{n}" for n in range(9)]))[0]
            for lease in claim(mine, worker, 1):
                children = targets([f"{lease.task_id}-{n}" for n in range(7)], lane="site")
                finish(mine, completed(lease, children=children))
        return [added]

    together(store, work)
    counts = store.runs.counts(run)
    assert counts.total == 300
    assert counts.over_limit == 40 + 8 * 5 * 9 + 8 * 5 * 7 - 300
    assert store.upkeep.check() == []


def test_too_many_tasks_are_found_out(store: Store, database: Database):
    run = a_run(store, 3, task_limit=3)
    database.execute(f"UPDATE runs SET task_limit = 2 WHERE name = '{run}'")
    assert any("limit" in line for line in store.upkeep.check())
