import time

import pytest

from swather.model.lane import PacedKind
from swather.model.pacing import Limits
from swather.store import Store
from swather.store.clock import Clock
from tests.store.given import a_lease, a_run, a_worker, claim, completed, finish


def test_a_free_lane_grants_all_that_is_asked_for(store: Store):
    lease = a_lease(store)
    permits = store.queue.permits(lease.fence, "elsewhere", 7)
    assert permits.granted == 7


def test_one_permit_is_asked_for_unless_said_otherwise(store: Store):
    lease = a_lease(store)
    assert store.queue.permits(lease.fence, "elsewhere").granted == 1


def test_permits_come_at_the_pace_of_their_lane(store: Store, clock: Clock):
    store.lanes.limit("site", Limits(10.0, 3))
    lease = a_lease(store)
    assert store.queue.permits(lease.fence, "site", 5).granted == 3
    refused = store.queue.permits(lease.fence, "site", 5)
    assert refused.granted == 0
    assert refused.retry_after_seconds == pytest.approx(10, abs=3)
    clock.advance(20)
    assert store.queue.permits(lease.fence, "site", 5).granted == 2


def test_a_moment_to_come_is_taken_and_nobody_else_gets_it(store: Store, clock: Clock):
    worker = a_worker(store)
    store.lanes.limit("site", Limits(1.0, 1))
    a_run(store, 5, lane="site")
    (lease,) = claim(store, worker)
    granted = store.queue.permits(lease.fence, "site", ahead_seconds=2.0)
    assert granted.granted == 1
    assert granted.starts_in_seconds == pytest.approx(1.0, abs=0.5)
    assert granted.every_seconds == 1.0
    clock.advance(1.2)
    assert claim(store, worker) == []
    clock.advance(1.0)
    assert len(claim(store, worker)) == 1


def test_moments_are_taken_no_further_ahead_than_was_asked_for(store: Store):
    store.lanes.limit("site", Limits(1.2, 1))
    lease = a_lease(store)
    moments = [store.queue.permits(lease.fence, "site", ahead_seconds=2.0) for _ in range(4)]
    assert [one.granted for one in moments] == [1, 1, 0, 0]
    assert moments[3].hold == "paced"
    assert moments[3].retry_after_seconds == pytest.approx(2.4, abs=0.4)


@pytest.mark.parametrize("hold", ["pause", "cool", "full"])
def test_a_moment_is_only_taken_where_nothing_but_a_pace_is_in_the_way(store: Store, hold: str):
    in_flight = 1 if hold == "full" else None
    store.lanes.limit("site", Limits(0.5, 1, in_flight))
    lease = a_lease(store)
    assert store.queue.permits(lease.fence, "site", in_flight=0).granted == 1
    if hold == "pause":
        store.lanes.pause("site")
    elif hold == "cool":
        store.lanes.cool("site", 1.0)
    refused = store.queue.permits(lease.fence, "site", in_flight=1, ahead_seconds=2.0)
    assert refused.granted == 0
    assert refused.hold == {"pause": "paused", "cool": "cooling", "full": "full"}[hold]


def test_a_lease_says_at_which_interval_it_was_claimed(store: Store):
    worker = a_worker(store)
    store.lanes.limit("slow", Limits(60.0, 5))
    a_run(store, 1, lane="slow", name="one")
    a_run(store, 1, lane="free", name="two")
    found = {lease.lane: lease.every_seconds for lease in claim(store, worker, 5)}
    assert found == {"slow": 60.0, "free": 0.0}


def test_a_lease_knows_the_interval_of_its_scraper(store: Store):
    store.lanes.limit("shop", Limits(7.0, 2), PacedKind.SCRAPER)
    a_run(store, 1, scraper="shop", lane="free")
    (lease,) = claim(store, a_worker(store))
    assert lease.every_seconds == 7.0


def test_permits_and_claims_share_the_pace(store: Store):
    worker = a_worker(store)
    store.lanes.limit("site", Limits(1_000.0, 3))
    a_run(store, 5, lane="site")
    (lease,) = claim(store, worker)
    assert store.queue.permits(lease.fence, "site", 1).granted == 1
    assert len(claim(store, worker, 5)) == 1
    assert claim(store, worker, 5) == []


def test_a_runs_lane_limits_pace_its_permits(store: Store):
    a_run(store, 2, lane="site", lane_limits=Limits(1_000.0, 2))
    (lease,) = claim(store, a_worker(store))
    assert store.queue.permits(lease.fence, "site", 5).granted == 1
    assert store.queue.permits(lease.fence, "other", 5).granted == 2


def test_a_task_may_go_on_in_a_lane_it_fills_itself(store: Store):
    store.lanes.limit("site", Limits(in_flight=1))
    lease = a_lease(store, lane="site")
    assert store.queue.permits(lease.fence, "site", 1).granted == 1


def test_a_paused_lane_grants_none(store: Store):
    lease = a_lease(store)
    store.lanes.pause("site")
    assert store.queue.permits(lease.fence, "site", 3).granted == 0
    store.lanes.unpause("site")
    assert store.queue.permits(lease.fence, "site", 3).granted == 3


def test_a_cooling_lane_grants_none_and_says_when_it_will(store: Store, clock: Clock):
    lease = a_lease(store)
    store.lanes.cool("site", 30)
    refused = store.queue.permits(lease.fence, "site", 3)
    assert refused.granted == 0
    assert refused.retry_after_seconds == pytest.approx(30, abs=5)
    clock.advance(31)
    assert store.queue.permits(lease.fence, "site", 3).granted == 3


def test_the_scrapers_limits_pace_permits_on_every_lane(store: Store):
    lease = a_lease(store, scraper="books")
    store.lanes.limit("books", Limits(1_000.0, 2), PacedKind.SCRAPER)
    granted = store.queue.permits(lease.fence, "a", 5).granted
    granted += store.queue.permits(lease.fence, "b", 5).granted
    assert granted == 2


def test_a_finished_attempt_is_granted_none(store: Store):
    lease = a_lease(store)
    finish(store, completed(lease))
    assert store.queue.permits(lease.fence, "site", 3).granted == 0


def test_a_refusal_says_what_holds_it_back(store: Store):
    lease = a_lease(store, scraper="books")
    store.lanes.limit("paced", Limits(1_000.0))
    store.lanes.cool("cooling", 30)
    store.lanes.pause("paused")
    store.queue.permits(lease.fence, "paced")

    def refused(lane: str) -> tuple[str, bool]:
        permits = store.queue.permits(lease.fence, lane)
        assert permits.granted == 0
        return permits.hold, permits.retry_after_seconds is not None

    assert refused("paced") == ("paced", True)
    assert refused("cooling") == ("cooling", True)
    assert refused("paused") == ("paused", False)
    store.lanes.cool("paced", 5_000)
    assert refused("paced") == ("cooling", True)
    store.lanes.pause("books", PacedKind.SCRAPER)
    assert refused("elsewhere") == ("paused", False)


def test_what_is_granted_or_stale_is_held_by_nothing(store: Store):
    lease = a_lease(store)
    assert store.queue.permits(lease.fence, "site").hold == ""
    finish(store, completed(lease))
    stale = store.queue.permits(lease.fence, "site")
    assert (stale.granted, stale.hold, stale.retry_after_seconds) == (0, "", None)


@pytest.mark.parametrize(
    ("limits", "is_free"),
    [(None, True), (Limits(in_flight=5), True), (Limits(0.001, 1_000), False)],
    ids=["none", "in flight", "rate"],
)
def test_a_grant_says_whether_the_lane_has_a_pace_at_all(store: Store, limits, is_free):
    lease = a_lease(store, lane="site")
    if limits is not None:
        store.lanes.limit("site", limits)
    permits = store.queue.permits(lease.fence, "site")
    assert (permits.granted, permits.is_free) == (1, is_free)


def test_a_lane_that_has_cooled_is_free_again(store: Store, clock: Clock):
    lease = a_lease(store)
    store.lanes.cool("site", 30)
    clock.advance(31)
    assert store.queue.permits(lease.fence, "site").is_free


def test_a_grant_is_never_taken_for_younger_than_it_is(store: Store):
    before = time.monotonic()
    store.lanes.limit("site", Limits(0.001, 1_000))
    a_run(store, 1, lane="site")
    (lease,) = claim(store, a_worker(store))
    between = time.monotonic()
    permits = store.queue.permits(lease.fence, "site")
    assert before <= lease.claimed_at <= between <= permits.granted_at <= time.monotonic()
