"""How a run stands, in numbers that can be believed."""

import pytest

from swather.model.retry import ErrorClass
from swather.model.run import RunState
from swather.model.task_filter import TaskFilter
from swather.runs.progress import Watcher
from swather.store import Store
from swather.store.clock import Clock
from tests.store.given import (
    a_fault,
    a_producer,
    a_run,
    a_worker,
    claim,
    completed,
    failed,
    finish,
    retried,
)


class Ticking:
    """A monotonic clock that tests move."""

    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def ticking() -> Ticking:
    return Ticking()


def complete(store: Store, run: str, count: int) -> None:
    worker = a_worker(store)
    for lease in claim(store, worker, count, runs=(run,)):
        finish(store, completed(lease, "item"))
    store.workers.retire(worker)


def test_nothing_is_estimated_before_anything_moves(store: Store, ticking: Ticking):
    watcher = Watcher(store, a_run(store, 10), monotonic=ticking)
    first = watcher.snapshot()
    assert (first.rate_per_second, first.eta_seconds) == (None, None)
    assert (first.estimated_completion, first.success_rate) == (None, None)
    ticking.now += 5
    still = watcher.snapshot()
    assert (still.rate_per_second, still.eta_seconds) == (0.0, None)


def test_rate_and_estimate_come_from_what_ended_lately(store: Store, ticking: Ticking):
    run = a_run(store, 100)
    watcher = Watcher(store, run, window_seconds=10, monotonic=ticking)
    watcher.snapshot()
    complete(store, run, 20)
    ticking.now += 4
    snapshot = watcher.snapshot()
    assert snapshot.rate_per_second == pytest.approx(5)
    assert snapshot.rate_per_hour == pytest.approx(18_000)
    assert snapshot.eta_seconds == pytest.approx(16)
    assert snapshot.estimated_completion == "~16s"
    counts = snapshot.counts
    assert (counts.completed, counts.items, counts.ready) == (20, 20, 80)


def test_what_lies_before_the_window_does_not_count(store: Store, ticking: Ticking):
    run = a_run(store, 100)
    watcher = Watcher(store, run, window_seconds=10, monotonic=ticking)
    watcher.snapshot()
    complete(store, run, 50)
    for _ in range(30):
        ticking.now += 1
        snapshot = watcher.snapshot()
    assert snapshot.rate_per_second == 0


def test_a_first_look_takes_the_rate_from_the_workers(store: Store, clock: Clock):
    run, worker = a_run(store, 100), a_worker(store)
    clock.advance(20)
    store.workers.beat(worker, [], {"completed": 30, "failed": 10, "average_seconds": 0.5})
    snapshot = Watcher(store, run).snapshot()
    assert snapshot.rate_per_second == pytest.approx(2, rel=0.1)
    (line,) = snapshot.workers
    assert (line.completed, line.failed, line.average_seconds) == (30, 10, 0.5)
    assert line.uptime_seconds == pytest.approx(20, rel=0.1)


def test_a_run_that_is_paused_or_loading_has_no_estimate(store: Store, ticking: Ticking):
    run = a_run(store, 10)
    watcher = Watcher(store, run, monotonic=ticking)
    watcher.snapshot()
    complete(store, run, 5)
    ticking.now += 1
    store.runs.pause(run)
    assert watcher.snapshot().eta_seconds is None
    store.runs.unpause(run)
    assert watcher.snapshot().eta_seconds is not None
    a_producer(store, run)
    loading = watcher.snapshot()
    assert (loading.loading, loading.eta_seconds, loading.workers) == (True, None, [])


def test_a_retry_of_ended_tasks_is_no_negative_rate(store: Store, ticking: Ticking):
    run = a_run(store, 5)
    complete(store, run, 5)
    watcher = Watcher(store, run, monotonic=ticking)
    watcher.snapshot()
    store.tasks.retry(TaskFilter(run=run))
    ticking.now += 1
    assert watcher.snapshot().rate_per_second == 0


def test_errors_are_counted_by_class_also_those_that_were_retried(store: Store):
    run, worker = a_run(store, 3), a_worker(store)
    watcher = Watcher(store, run)
    assert watcher.snapshot().errors == {}
    one, two, three = claim(store, worker, 3)
    finish(store, retried(one), retried(two, fault=a_fault("another", ErrorClass.TRANSIENT)))
    finish(store, failed(three))
    snapshot = watcher.snapshot()
    assert snapshot.errors == {"transient": 2, "permanent": 1}
    assert snapshot.success_rate == 0


def test_workers_of_another_run_are_not_shown(store: Store):
    run = a_run(store, 1)
    mine, anyone, others = a_worker(store), a_worker(store), a_worker(store)
    store.workers.beat(mine, [], {"run": run})
    store.workers.beat(others, [], {"run": "another"})
    assert [line.id for line in Watcher(store, run).snapshot().workers] == [mine, anyone]


def test_a_finished_run_is_over(store: Store, clock: Clock):
    run = a_run(store, 1)
    clock.advance(30)
    complete(store, run, 1)
    store.runs.settle(run)
    snapshot = Watcher(store, run).snapshot()
    assert (snapshot.is_over, snapshot.state) == (True, RunState.FINISHED)
    assert snapshot.success_rate == 1
    assert snapshot.seconds == pytest.approx(30, rel=0.1)
    assert snapshot.eta_seconds is None
