"""How a run stands, in numbers that can be believed."""

from typing import Any

import pytest

from swather.errors import StoreError
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


def said(run: str, **fields: Any) -> dict[str, Any]:
    """What a worker's row says of the run."""
    recent = {name: fields.pop(name) for name in ("ended", "seconds") if name in fields}
    return {
        "run": run,
        "completed": 30,
        "failed": 10,
        "average_seconds": 0.5,
        "recent": {run: {"quiet_seconds": 0.0, **recent}},
        **fields,
    }


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
    run, _ = a_run(store, 100), a_worker(store)
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


@pytest.mark.slow
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
    run = a_run(store, 100)
    workers = [a_worker(store), a_worker(store)]
    clock.advance(20)
    for worker in workers:
        store.workers.beat(worker, [], said(run, ended=40, seconds=20.0))
    snapshot = Watcher(store, run).snapshot()
    assert snapshot.rate_per_second == pytest.approx(4)
    assert snapshot.eta_seconds == pytest.approx(25)
    line = snapshot.workers[0]
    assert (line.completed, line.failed, line.average_seconds) == (30, 10, 0.5)
    assert line.uptime_seconds == pytest.approx(20, rel=0.1)


def test_a_worker_that_is_gone_adds_nothing_to_the_rate(store: Store):
    run = a_run(store, 100)
    first, second = a_worker(store), a_worker(store)
    store.workers.beat(first, [], said(run, ended=40, seconds=20.0))
    store.workers.beat(second, [], said(run, ended=60, seconds=20.0))
    store.workers.sweep([second])
    assert Watcher(store, run).snapshot().rate_per_second == pytest.approx(2)


def test_running_is_what_executes_and_the_rest_is_prefetched(store: Store):
    run, worker = a_run(store, 100), a_worker(store)
    leases = claim(store, worker, 60)
    fences = [lease.fence for lease in leases]
    store.workers.beat(worker, fences, said(run, slots=30, busy=30, running={run: 30}))
    snapshot = Watcher(store, run).snapshot()
    assert (snapshot.counts.leased, snapshot.running, snapshot.prefetched) == (60, 30, 30)
    assert (snapshot.workers[0].busy, snapshot.workers[0].slots) == (30, 30)


def test_running_is_never_more_than_is_leased_or_fits_into_the_slots(store: Store):
    run, worker = a_run(store, 10), a_worker(store)
    leases = claim(store, worker, 3)
    old = said(run, slots=5, busy=9, running={run: 9})
    store.workers.beat(worker, [lease.fence for lease in leases], old)
    snapshot = Watcher(store, run).snapshot()
    assert (snapshot.running, snapshot.prefetched) == (3, 0)
    assert snapshot.workers[0].busy == 5


def test_a_worker_of_a_loop_of_ones_own_runs_what_it_holds(store: Store):
    run, worker = a_run(store, 10), a_worker(store)
    claim(store, worker, 3)
    assert Watcher(store, run).snapshot().running == 3


@pytest.mark.parametrize("strange", [[], {"r": 3}, {"r": {"ended": "many", "seconds": None}}])
def test_what_a_worker_of_another_release_says_breaks_nothing(store: Store, strange):
    run, worker = a_run(store, 10), a_worker(store)
    told = {"recent": strange, "running": strange, "current": strange, "busy": True, "slots": "x"}
    store.workers.beat(worker, [], told)
    snapshot = Watcher(store, run).snapshot()
    assert (snapshot.running, snapshot.rate_per_second, snapshot.oldest) == (0, None, None)


def test_without_an_answer_the_last_snapshot_says_so(store: Store):
    run, _ = a_run(store, 10), a_worker(store)
    watcher = Watcher(store, run)
    error = StoreError("connection refused")
    assert watcher.without_database(error) is None
    watcher.snapshot()
    store.outage.failed(error)
    last = watcher.without_database(error)
    assert last is not None
    (away,) = last.stops
    assert (away.code, last.estimated_completion) == ("database_away", None)
    assert "connection refused" in away.text
    assert "swather doctor" in away.command


def test_the_newest_errors_are_told_with_their_text(store: Store):
    run, worker = a_run(store, 3), a_worker(store)
    for lease, message in zip(claim(store, worker, 3), ["old", "newer", "newest"], strict=True):
        finish(store, failed(lease, fault=a_fault(message, ErrorClass.PERMANENT)))
    titles = [error.title for error in Watcher(store, run).snapshot().recent_errors]
    assert titles == ["newest", "newer"]


def test_a_run_that_is_paused_or_loading_has_no_estimate(store: Store, ticking: Ticking):
    run = a_run(store, 10)
    a_worker(store)
    watcher = Watcher(store, run, monotonic=ticking)
    watcher.snapshot()
    complete(store, run, 5)
    ticking.now += 1
    store.runs.pause(run)
    assert watcher.snapshot().eta_seconds is None
    ticking.now += 1
    store.runs.unpause(run)
    assert watcher.snapshot().eta_seconds is not None
    ticking.now += 1
    a_producer(store, run)
    loading = watcher.snapshot()
    assert (loading.loading, loading.eta_seconds, len(loading.workers)) == (True, None, 1)


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
