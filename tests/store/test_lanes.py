import math

import pytest

from swather.model.lane import PacedKind
from swather.model.pacing import NO_LIMITS, Limits
from swather.store import Store
from swather.store.clock import Clock
from tests.store.given import (
    a_run,
    a_worker,
    claim,
    completed,
    finish,
    released,
    retried,
    retry_after,
    targets,
)

SCRAPER = PacedKind.SCRAPER


def paced(store: Store, kind: PacedKind, limits: Limits) -> int:
    """A run of 30 tasks whose lane or scraper has limits, and a worker for it."""
    a_run(store, 30, lane="site", scraper="books")
    store.lanes.limit("site" if kind is PacedKind.LANE else "books", limits, kind)
    return a_worker(store, lease_seconds=1_000)


both_kinds = pytest.mark.parametrize("kind", list(PacedKind))


@both_kinds
def test_a_rate_lets_one_start_per_interval(store: Store, clock: Clock, kind):
    worker = paced(store, kind, Limits(10.0))
    assert len(claim(store, worker, 10)) == 1
    assert claim(store, worker, 10) == []
    clock.advance(10)
    assert len(claim(store, worker, 10)) == 1
    clock.advance(35)
    assert len(claim(store, worker, 10)) == 1


@both_kinds
def test_a_burst_starts_at_once_and_fills_up_with_time(store: Store, clock: Clock, kind):
    worker = paced(store, kind, Limits(10.0, 4))
    assert len(claim(store, worker, 10)) == 4
    assert claim(store, worker, 10) == []
    clock.advance(20)
    assert len(claim(store, worker, 10)) == 2
    clock.advance(1_000)
    store.workers.beat(worker, [])
    worker = a_worker(store)
    assert len(claim(store, worker, 10)) == 4


@both_kinds
def test_a_paced_claim_says_when_the_next_may_start(store: Store, clock: Clock, kind):
    worker = paced(store, kind, Limits(10.0))
    claim(store, worker)
    assert retry_after(store, worker) == pytest.approx(10, abs=3)
    clock.advance(6)
    assert retry_after(store, worker) == pytest.approx(4, abs=3)


@both_kinds
def test_only_so_many_are_in_flight(store: Store, kind):
    worker = paced(store, kind, Limits(in_flight=2))
    first, second = claim(store, worker, 10)
    assert claim(store, worker, 10) == []
    finish(store, completed(first))
    assert len(claim(store, worker, 10)) == 1
    finish(store, released(second))
    assert len(claim(store, worker, 10)) == 1


@both_kinds
def test_a_retry_frees_its_place_in_flight(store: Store, kind):
    worker = paced(store, kind, Limits(in_flight=1))
    (lease,) = claim(store, worker, 10)
    finish(store, retried(lease, 60))
    assert len(claim(store, worker, 10)) == 1


@both_kinds
def test_a_swept_task_frees_its_place_in_flight(store: Store, clock: Clock, kind):
    a_run(store, 3, lane="site", scraper="books")
    store.lanes.limit("site" if kind is PacedKind.LANE else "books", Limits(in_flight=1), kind)
    assert len(claim(store, a_worker(store), 5)) == 1
    clock.advance(61)
    store.workers.sweep()
    assert len(claim(store, a_worker(store), 5)) == 1


@both_kinds
def test_a_paused_lane_or_scraper_starts_none(store: Store, kind):
    worker = paced(store, kind, NO_LIMITS)
    name = "site" if kind is PacedKind.LANE else "books"
    store.lanes.pause(name, kind)
    assert store.lanes.get(name, kind).paused
    assert retry_after(store, worker, 5) is None
    store.lanes.unpause(name, kind)
    assert len(claim(store, worker, 5)) == 5


@both_kinds
def test_a_cooling_lane_or_scraper_starts_none_until_its_time(store: Store, clock: Clock, kind):
    worker = paced(store, kind, NO_LIMITS)
    name = "site" if kind is PacedKind.LANE else "books"
    store.lanes.cool(name, 50, "429 Too Many Requests", kind)
    lane = store.lanes.get(name, kind)
    assert lane.cool_until is not None
    assert lane.cool_reason == "429 Too Many Requests"
    assert retry_after(store, worker, 5) == pytest.approx(50, abs=5)
    clock.advance(51)
    assert len(claim(store, worker, 5)) == 5


@both_kinds
def test_a_cool_down_is_never_shortened(store: Store, clock: Clock, kind):
    worker = paced(store, kind, NO_LIMITS)
    name = "site" if kind is PacedKind.LANE else "books"
    store.lanes.cool(name, 50, kind=kind)
    store.lanes.cool(name, 5, kind=kind)
    clock.advance(20)
    assert claim(store, worker) == []
    store.lanes.cool(name, 60, kind=kind)
    clock.advance(40)
    assert claim(store, worker) == []
    clock.advance(21)
    assert len(claim(store, worker)) == 1


@both_kinds
def test_unpausing_ends_a_cool_down(store: Store, kind):
    worker = paced(store, kind, NO_LIMITS)
    name = "site" if kind is PacedKind.LANE else "books"
    store.lanes.cool(name, 50, kind=kind)
    store.lanes.unpause(name, kind)
    assert store.lanes.get(name, kind).cool_until is None
    assert len(claim(store, worker)) == 1


@both_kinds
def test_lifted_limits_hold_nothing_back(store: Store, kind):
    worker = paced(store, kind, Limits(1_000.0, 1, 1))
    assert len(claim(store, worker, 5)) == 1
    store.lanes.limit("site" if kind is PacedKind.LANE else "books", NO_LIMITS, kind)
    assert len(claim(store, worker, 5)) == 5


@both_kinds
def test_a_limit_holds_for_tasks_that_were_already_waiting(store: Store, kind):
    a_run(store, 10, lane="site", scraper="books")
    worker = a_worker(store)
    assert len(claim(store, worker, 4)) == 4
    store.lanes.limit("site" if kind is PacedKind.LANE else "books", Limits(in_flight=5), kind)
    assert len(claim(store, worker, 4)) == 1


def test_a_limit_set_elsewhere_holds_at_once(store: Store, other: Store):
    a_run(store, 10, lane="site")
    worker = a_worker(store)
    assert len(claim(store, worker, 2)) == 2
    other.lanes.pause("site")
    assert claim(store, worker, 2) == []
    other.lanes.unpause("site")
    assert len(claim(store, worker, 2)) == 2


def test_a_rate_is_not_paid_for_tasks_that_were_not_there(store: Store):
    run, worker = a_run(store, 2, lane="site"), a_worker(store)
    store.lanes.limit("site", Limits(10.0, 5))
    assert len(claim(store, worker, 10)) == 2
    store.tasks.enqueue(run, targets(["a", "b", "c", "d"], lane="site"))
    assert len(claim(store, worker, 10)) == 3


def test_lanes_are_listed_while_something_holds_them_or_waits_or_runs_on_them(store: Store):
    run, emptied = a_run(store), a_run(store, 1, lane="emptied")
    store.runs.cancel(a_run(store, 1, lane="over"))
    (lease,) = claim(store, a_worker(store), runs=(emptied,))
    finish(store, completed(lease))
    assert claim(store, a_worker(store), runs=(emptied,)) == []
    for lane in ("busy", "ready", "paced", "stopped", "hot"):
        store.tasks.enqueue(run, targets([lane], lane=lane))
    store.lanes.limit("paced", Limits(1.0))
    store.lanes.pause("stopped")
    store.lanes.cool("hot", 60, "503")
    store.lanes.limit("books", Limits(in_flight=9), SCRAPER)
    for lane in ("ready", "paced"):
        store.lanes.pause(lane)
    assert [lease.lane for lease in claim(store, a_worker(store), runs=(run,))] == ["busy"]
    for lane in ("ready", "paced"):
        store.lanes.unpause(lane)
    assert {(lane.name, lane.kind) for lane in store.lanes.find()} == {
        ("busy", PacedKind.LANE),
        ("ready", PacedKind.LANE),
        ("paced", PacedKind.LANE),
        ("stopped", PacedKind.LANE),
        ("hot", PacedKind.LANE),
        ("books", SCRAPER),
    }


def test_a_lane_says_how_many_are_in_flight(store: Store):
    a_run(store, 5, lane="site", scraper="books")
    store.lanes.limit("books", Limits(in_flight=10), SCRAPER)
    claim(store, a_worker(store), 3)
    assert store.lanes.get("site").in_flight == 3
    assert store.lanes.get("books", SCRAPER).in_flight == 3


def test_a_scraper_says_how_many_all_workers_have_in_flight_in_all_its_runs(store: Store):
    workers = [a_worker(store, name=name) for name in ("first", "idle", "third")]
    for scraper, count in (("books", 3), ("films", 2), ("books", 2)):
        run = a_run(store, count, scraper=scraper)
        assert len(claim(store, workers[0], 1, runs=(run,))) == 1
        assert len(claim(store, workers[2], 5, runs=(run,))) == count - 1
    scrapers = ("books", "films", "unknown")
    assert [store.lanes.get(name, SCRAPER).in_flight for name in scrapers] == [5, 2, 0]


@pytest.mark.parametrize("database_kind", ["postgres"], indirect=True)
def test_what_is_in_flight_is_found_without_a_scan_of_all_leases(store: Store):
    """A busy table of leases is mostly dead rows, and a scan would read them each time."""
    a_run(store, 5, lane="site", scraper="books")
    store.lanes.limit("books", Limits(in_flight=10), SCRAPER)
    claim(store, a_worker(store), 3)

    def read() -> int:
        assert {lane.name: lane.in_flight for lane in store.lanes.find()} == {"site": 3, "books": 3}
        assert store.lanes.get("books", SCRAPER).in_flight == 3
        scans: int = store.connection.value(
            "SELECT seq_scan FROM pg_stat_xact_user_tables WHERE relname = 'leases'"
        )
        return scans

    assert store.connection.transact(read) == 0


def test_limits_may_be_set_before_a_lane_has_any_target(store: Store):
    store.lanes.limit("site", Limits(in_flight=1))
    store.lanes.pause("quiet")
    run = a_run(store, 3, lane="site")
    store.tasks.enqueue(run, targets(["q"], lane="quiet"))
    assert [lease.lane for lease in claim(store, a_worker(store), 5)] == ["site"]


def test_a_lane_nobody_has_spoken_of_is_free(store: Store):
    lane = store.lanes.get("new")
    assert (lane.name, lane.limits, lane.paused) == ("new", NO_LIMITS, False)
    assert (lane.cool_until, lane.in_flight) == (None, 0)


def test_a_clock_that_steps_back_does_not_stop_a_lane(store: Store, clock: Clock):
    worker = paced(store, PacedKind.LANE, Limits(1.0))
    clock.advance(3_600)
    store.workers.beat(worker, [])
    worker = a_worker(store, lease_seconds=100_000)
    assert len(claim(store, worker)) == 1
    clock.advance(-3_600)
    for _ in range(2):
        waited = retry_after(store, worker)
        assert waited is not None
        assert waited < math.inf
    clock.advance(2.1)
    assert len(claim(store, worker)) == 1
