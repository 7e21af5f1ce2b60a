"""Limits that override what scrapers ask for: slower or faster, for every run on the lane."""

import pytest

from swather.model.lane import PacedKind
from swather.model.pacing import NO_LIMITS, AutoPace, Limits
from swather.store import Store
from swather.store.clock import Clock
from tests.store.given import a_run, a_worker, claim, completed, finish, retry_after

SLOW = Limits(1_000.0)


@pytest.mark.parametrize(
    ("of_run", "of_lane", "taken"),
    [
        (SLOW, Limits(900.0, 6), 6),
        (Limits(900.0, 6), SLOW, 1),
        (Limits(in_flight=2), Limits(in_flight=5), 5),
        (Limits(in_flight=5), Limits(in_flight=2), 2),
        # Each for itself: what is not set is left to the scraper.
        (Limits(1_000.0, 1, 4), Limits(900.0, 6), 4),
        (Limits(1_000.0, 3, 2), Limits(in_flight=8), 3),
        (Limits(1_000.0, 1, 1), Limits(900.0, 7, 6), 6),
        (SLOW, NO_LIMITS, 1),
    ],
)
def test_claims_and_permits_go_by_the_limits_that_override(
    store: Store, of_run: Limits, of_lane: Limits, taken: int
):
    for lane in ("site", "other"):
        a_run(store, 10, lane=lane, lane_limits=of_run)
    store.lanes.limit("site", of_lane, overrides=True)
    worker = a_worker(store)
    leases = claim(store, worker, 30)
    assert sum(lease.lane == "site" for lease in leases) == taken
    run = a_run(store, 1, lane="third", lane_limits=of_run)
    (lease,) = claim(store, worker, runs=(run,))
    store.lanes.limit("fourth", of_lane, overrides=True)
    granted = store.queue.permits(lease.fence, "fourth", 10, in_flight=0).granted
    assert granted == taken
    assert store.lanes.get("site").in_force == store.lanes.get("fourth").in_force


def test_they_hold_for_every_run_on_the_lane_until_they_are_withdrawn(store: Store):
    runs = [a_run(store, 20, lane="site", lane_limits=Limits(in_flight=n)) for n in (2, 3)]
    worker = a_worker(store)
    assert len(claim(store, worker, 30)) == 2
    store.lanes.limit("site", Limits(in_flight=7), overrides=True)
    assert len(claim(store, worker, 30, runs=(runs[0],))) == 5
    assert claim(store, worker, 30, runs=(runs[1],)) == []
    lane = store.lanes.get("site")
    assert (lane.in_force.in_flight, lane.run_limits.in_flight, lane.overrides) == (7, 2, True)
    store.lanes.limit("site", Limits(in_flight=7))
    assert store.lanes.get("site").in_force.in_flight == 2
    store.lanes.limit("site", Limits(in_flight=7), overrides=True)
    store.lanes.clear("site")
    cleared = store.lanes.get("site")
    assert (cleared.in_force.in_flight, cleared.overrides) == (2, False)


def test_a_lane_that_waits_for_a_runs_pace_goes_on_at_once(store: Store, clock: Clock):
    a_run(store, 10, lane="site", lane_limits=Limits(4.0))
    worker = a_worker(store)
    assert len(claim(store, worker, 10)) == 1
    assert claim(store, worker, 10) == []
    version = store.settings.control_version()
    store.lanes.limit("site", Limits(0.1), overrides=True)
    assert store.settings.control_version() > version
    clock.advance(0.15)
    assert len(claim(store, worker, 10)) == 1


@pytest.mark.slow
def test_the_rate_that_overrides_is_kept_exactly(store: Store, clock: Clock):
    runs = [a_run(store, 200, lane="site", lane_limits=Limits(every)) for every in (60.0, 5.0)]
    worker = a_worker(store, lease_seconds=1e6)
    store.lanes.limit("site", Limits(2.0), overrides=True)
    started = 0
    for second in range(120):
        for run in runs:
            leases = claim(store, worker, 10, runs=(run,))
            finish(store, *map(completed, leases))
            started += len(leases)
        assert second // 2 <= started <= second // 2 + 2
        clock.advance(1.0)


def test_what_the_site_asks_for_still_applies(store: Store, clock: Clock):
    a_run(store, 30, lane="site", lane_limits=SLOW)
    worker = a_worker(store)
    store.lanes.limit("site", Limits(0.01, 5), overrides=True)
    store.lanes.set_crawl_delay("site", 20.0)
    assert len(claim(store, worker, 10)) == 1
    assert retry_after(store, worker) == pytest.approx(20.0, abs=1.0)
    assert store.lanes.get("site").in_force == Limits(20.0)
    store.lanes.set_crawl_delay("site", None)
    store.lanes.cool("site", 300, "HTTP 429")
    assert retry_after(store, worker) == pytest.approx(300.0, abs=1.0)
    store.lanes.unpause("site")
    store.breakers.trip("books", "site", seen={}, probe_seconds=60.0)
    clock.advance(61.0)
    assert len(claim(store, worker, 10)) <= 1
    store.lanes.pause("site")
    assert claim(store, worker, 10) == []


def test_a_learned_pace_is_overridden_and_comes_back(store: Store):
    store.lanes.limit("site", Limits(0.5, 4), overrides=True)
    every = store.lanes.adapt("site", latency_seconds=9.0, failed=False, policy=AutoPace())
    assert every == 0.5
    assert store.lanes.get("site").in_force == Limits(0.5, 4)
    store.lanes.limit("site", Limits(0.5, 4))
    assert store.lanes.get("site").in_force == Limits(9.0)
    store.lanes.limit("site", Limits(in_flight=3), overrides=True)
    assert store.lanes.get("site").in_force == Limits(9.0, 1, 3)


def test_lanes_without_an_override_are_as_they_were(store: Store):
    a_run(store, 10, lane="a", lane_limits=Limits(1_000.0, 2))
    store.lanes.limit("a", Limits(900.0, 5))
    store.lanes.limit("b", Limits(900.0, 5), overrides=True)
    assert len(claim(store, a_worker(store), 10)) == 2
    assert not store.lanes.get("a").overrides
    assert {lane.name: lane.overrides for lane in store.lanes.find()} == {"a": False, "b": True}


def test_a_scrapers_limits_can_be_marked_too(store: Store):
    store.lanes.limit("books", Limits(0.1), PacedKind.SCRAPER, overrides=True)
    assert store.lanes.get("books", PacedKind.SCRAPER).overrides
