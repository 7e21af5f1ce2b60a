"""Limits of lanes, scrapers and runs together: the strictest wins, and what is shared is shared."""

from swather.model.lane import PacedKind
from swather.model.lease import Strategy
from swather.model.pacing import MAX_COUNT, Limits
from swather.store import Store
from swather.store.clock import Clock
from tests.store.given import (
    a_run,
    a_worker,
    claim,
    completed,
    finish,
    retry_after,
    targets,
)

SCRAPER = PacedKind.SCRAPER


def test_other_lanes_do_not_wait_for_a_held_one(store: Store):
    run = a_run(store)
    for lane in ("paused", "cooling", "slow", "full", "open"):
        store.tasks.enqueue(run, targets([f"{lane}{n}" for n in range(10)], lane=lane))
    store.lanes.pause("paused")
    store.lanes.cool("cooling", 60)
    store.lanes.limit("slow", Limits(1_000.0))
    store.lanes.limit("full", Limits(in_flight=1))
    worker = a_worker(store)
    taken = [lease.lane for lease in claim(store, worker, 50)]
    assert {lane: taken.count(lane) for lane in taken} == {"slow": 1, "full": 1, "open": 10}
    assert claim(store, worker, 50) == []


def test_the_widest_limits_can_be_set(store: Store):
    widest = Limits(1.0, MAX_COUNT, MAX_COUNT)
    a_run(store, 3, lane="site", lane_limits=widest)
    store.lanes.limit("site", widest)
    store.lanes.limit("books", widest, SCRAPER)
    assert len(claim(store, a_worker(store), 5)) == 3


def test_targets_without_a_lane_wait_for_none(store: Store):
    a_run(store, 10, lane_limits=Limits(1_000.0, 1, 1))
    assert len(claim(store, a_worker(store), 10)) == 10


def test_a_runs_lane_limits_hold_for_each_of_its_lanes(store: Store):
    run, worker = a_run(store, lane_limits=Limits(10.0, 2)), a_worker(store)
    for lane in ("a", "b"):
        store.tasks.enqueue(run, targets([f"{lane}{n}" for n in range(10)], lane=lane))
    taken = [lease.lane for lease in claim(store, worker, 20)]
    assert sorted(taken) == ["a", "a", "b", "b"]


def test_a_runs_limit_in_flight_holds_for_each_of_its_lanes(store: Store):
    run, worker = a_run(store, lane_limits=Limits(in_flight=3)), a_worker(store)
    for lane in ("a", "b"):
        store.tasks.enqueue(run, targets([f"{lane}{n}" for n in range(10)], lane=lane))
    leases = claim(store, worker, 20)
    assert sorted(lease.lane for lease in leases) == ["a"] * 3 + ["b"] * 3
    finish(store, completed(leases[0]))
    assert [lease.lane for lease in claim(store, worker, 20)] == [leases[0].lane]


def test_the_strictest_limit_wins(store: Store):
    run, worker = a_run(store, lane_limits=Limits(in_flight=4)), a_worker(store)
    store.tasks.enqueue(run, targets(20, lane="site"))
    store.lanes.limit("site", Limits(in_flight=6))
    assert len(claim(store, worker, 20)) == 4
    store.lanes.limit("site", Limits(in_flight=5))
    assert claim(store, worker, 20) == []


def test_the_scrapers_limit_comes_on_top_of_the_lanes(store: Store):
    run, worker = a_run(store, scraper="books"), a_worker(store)
    for lane in ("a", "b", "c"):
        store.tasks.enqueue(run, targets([f"{lane}{n}" for n in range(10)], lane=lane))
        store.lanes.limit(lane, Limits(in_flight=2))
    store.lanes.limit("books", Limits(in_flight=5), SCRAPER)
    assert len(claim(store, worker, 30)) == 5


def test_a_scrapers_limit_holds_over_all_its_runs_and_targets_without_a_lane(store: Store):
    for _ in range(3):
        a_run(store, 5, scraper="books")
    films = a_run(store, 5, scraper="films")
    store.lanes.limit("books", Limits(in_flight=4), SCRAPER)
    leases = claim(store, a_worker(store), 50)
    free = [lease for lease in leases if lease.run_id == store.runs.get(films).id]
    assert (len(free), len(leases)) == (5, 9)


def test_a_lane_and_a_scraper_of_one_name_are_two(store: Store):
    a_run(store, 5, lane="books", scraper="books")
    store.lanes.limit("books", Limits(in_flight=1), SCRAPER)
    assert store.lanes.get("books").limits.are_none
    assert store.lanes.get("books", SCRAPER).limits == Limits(in_flight=1)


def test_two_runs_on_one_lane_share_its_rate(store: Store, clock: Clock):
    first, second = (store.runs.get(a_run(store, 20, lane="site")).id for _ in range(2))
    store.lanes.limit("site", Limits(10.0, 2))
    worker = a_worker(store, lease_seconds=10_000)
    taken = claim(store, worker, 10)
    assert len(taken) == 2
    for _ in range(10):
        clock.advance(10)
        taken += claim(store, worker, 10)
    runs = [lease.run_id for lease in taken]
    assert len(runs) == 12
    assert min(runs.count(first), runs.count(second)) >= 4


def test_two_runs_on_one_lane_share_its_places_in_flight(store: Store):
    a_run(store, 20, lane="site")
    a_run(store, 20, lane="site")
    store.lanes.limit("site", Limits(in_flight=3))
    assert len(claim(store, a_worker(store), 20)) == 3


def test_two_runs_with_their_own_lane_limits_share_the_lanes_pace(store: Store):
    for _ in range(2):
        a_run(store, 20, lane="site", lane_limits=Limits(10.0))
    assert len(claim(store, a_worker(store), 20)) == 1


def test_what_one_run_leaves_of_a_lanes_places_the_other_has_in_the_same_claim(store: Store):
    for _ in range(2):
        a_run(store, 2, lane="site", lane_limits=Limits(in_flight=8))
    assert len(claim(store, a_worker(store), 20)) == 4


def test_what_one_run_leaves_of_a_lanes_rate_the_other_has_in_the_same_claim(store: Store):
    for _ in range(2):
        a_run(store, 2, lane="site")
    store.lanes.limit("site", Limits(1_000.0, 3))
    worker = a_worker(store)
    assert len(claim(store, worker, 20)) == 3
    assert claim(store, worker, 20) == []


def test_a_run_without_limits_keeps_to_those_of_another(store: Store):
    worker = a_worker(store)
    # Whichever run's turn comes first.
    for lane in ("one", "two"):
        a_run(store, 5, lane=lane, lane_limits=Limits(1_000.0, 2))
        a_run(store, 5, lane=lane)
        assert len(claim(store, worker, 20)) == 2


def test_a_place_freed_by_one_run_is_there_for_the_other_at_once(store: Store):
    worker = a_worker(store)
    first = a_run(store, 1, lane="site")
    store.lanes.limit("site", Limits(in_flight=1))
    (lease,) = claim(store, worker)
    second = a_run(store, 1, lane="site")
    assert claim(store, worker) == []
    finish(store, completed(lease))
    (lease,) = claim(store, worker)
    assert lease.run_id == store.runs.get(second).id != store.runs.get(first).id


def test_a_limited_scraper_whose_draws_hit_what_is_gone_says_when_it_opens(
    store: Store, clock: Clock
):
    run, worker = a_run(store, strategy=Strategy.WEIGHTED_RANDOM), a_worker(store)
    store.tasks.enqueue(run, targets(["urgent"], priority=10))
    store.tasks.enqueue(run, targets(10, priority=1))
    store.lanes.limit("books", Limits(5.0), SCRAPER)
    for _ in range(10):
        assert len(claim(store, worker)) == 1
        assert retry_after(store, worker) is not None
        clock.advance(5)
