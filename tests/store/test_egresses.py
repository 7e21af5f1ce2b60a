"""Runs whose requests leave by several egresses: their limits hold for each of them, and a task
avoids those that have failed it.
"""

import pytest

from swather.errors import InputError
from swather.model.lane import PacedKind
from swather.model.outcome import Verdict
from swather.model.pacing import Limits
from swather.model.retry import ErrorClass
from swather.model.task_filter import TaskFilter
from swather.store import Store
from swather.store.clock import Clock
from tests.store.given import (
    a_fault,
    a_lease,
    a_run,
    a_worker,
    claim,
    failed,
    finish,
    retried,
    run_of,
)

ONE, OTHER = "http://one.example:1", "http://other.example:1"


def claims_in(store: Store, clock: Clock, worker: int, seconds: int) -> int:
    """How many tasks may start within so many seconds."""
    count = len(claim(store, worker, 100))
    for _ in range(seconds):
        clock.advance(1)
        count += len(claim(store, worker, 100))
    return count


@pytest.mark.slow
def test_a_rate_holds_for_each_egress(store: Store, clock: Clock):
    worker = a_worker(store)
    run = a_run(store, 100, lane="site", lane_limits=Limits(10.0))
    assert claims_in(store, clock, worker, 9) == 1
    assert store.runs.set_egresses(run, 10)
    assert claims_in(store, clock, worker, 20) == pytest.approx(20, abs=2)
    assert store.runs.set_egresses(run, 1)
    assert claims_in(store, clock, worker, 20) <= 3


def test_so_does_the_number_in_flight(store: Store):
    worker = a_worker(store)
    run = a_run(store, 100, lane="site", lane_limits=Limits(in_flight=2))
    assert len(claim(store, worker, 100)) == 2
    store.runs.set_egresses(run, 10)
    assert len(claim(store, worker, 100)) == 18
    assert store.runs.get(run).total_limits == Limits(in_flight=20)


def test_it_is_never_faster_than_what_was_set_on_the_lane(store: Store, clock: Clock):
    worker = a_worker(store)
    store.lanes.limit("site", Limits(5.0))
    run = a_run(store, 100, lane="site", lane_limits=Limits(10.0))
    store.runs.set_egresses(run, 1_000)
    assert claims_in(store, clock, worker, 20) <= 5


def test_what_does_not_change_is_not_written(store: Store):
    run = a_run(store, lane_limits=Limits(10.0))
    assert store.runs.set_egresses(run, 3)
    assert not store.runs.set_egresses(run, 3)
    assert store.runs.get(run).egresses == 3
    assert store.runs.get(run).lane_limits == Limits(10.0)
    assert store.runs.get(run).total_limits == Limits(10.0 / 3)


@pytest.mark.parametrize("egresses", [0, -1])
def test_a_run_has_at_least_one_egress(store: Store, egresses: int):
    with pytest.raises(InputError, match="from 1 to"):
        store.runs.set_egresses(a_run(store), egresses)


def test_permits_may_come_with_limits_of_their_own(store: Store, clock: Clock):
    lease = a_lease(store, lane="site")
    lane = "site via http://one.example:1"

    def ask() -> int:
        return store.queue.permits(lease.fence, lane, limits=Limits(10.0)).granted

    assert [ask(), ask()] == [1, 0]
    clock.advance(10)
    assert [ask(), ask()] == [1, 0]


def test_with_limits_of_their_own_neither_the_run_nor_the_scraper_is_charged(store: Store):
    store.lanes.limit("books", Limits(60.0), PacedKind.SCRAPER)
    lease = a_lease(store, lane="site", lane_limits=Limits(60.0))
    granted = store.queue.permits(lease.fence, "site via a", 3, limits=Limits(0.001, 3))
    assert granted.granted == 3
    assert granted.every_seconds == 0.001
    # The run is not on that lane: its limits do not hold there.
    assert store.lanes.get("site via a").run_limits == Limits()


def test_such_a_lane_may_be_paused_and_limited_like_any_other(store: Store):
    lease = a_lease(store)
    store.lanes.limit("site via a", Limits(60.0))
    limits = Limits(0.001, 5)
    assert store.queue.permits(lease.fence, "site via a", 5, limits=limits).granted == 1
    store.lanes.pause("site via b")
    assert store.queue.permits(lease.fence, "site via b", limits=limits).hold == "paused"


def test_a_task_remembers_which_egresses_have_failed_it(store: Store):
    worker = a_worker(store)
    first = lease = a_lease(store, worker)
    for key in (ONE, "", OTHER):
        fault = a_fault(error_class=ErrorClass.PROXY, egress=key)
        assert finish(store, retried(lease, fault=fault)) == [Verdict.ACCEPTED]
        (lease,) = claim(store, worker)
        assert lease.task_id == first.task_id
    assert lease.faults.avoids.split() == [ONE, OTHER]
    assert lease.faults.proxy == 3


def test_who_is_tried_again_by_a_person_avoids_nothing(store: Store):
    worker = a_worker(store)
    lease = a_lease(store, worker)
    finish(store, failed(lease, fault=a_fault(error_class=ErrorClass.PROXY, egress=ONE)))
    store.tasks.retry(TaskFilter(run=run_of(store, lease)))
    (lease,) = claim(store, worker, runs=(run_of(store, lease),))
    assert lease.faults.avoids == ""
