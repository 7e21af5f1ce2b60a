"""The site asks us to go away: the lane cools, longer each time, and is forgiven after quiet."""

import pytest

from swather.errors import InputError
from swather.model.lane import PacedKind
from swather.model.pacing import CoolDownCurve, Limits
from swather.store import Store
from swather.store.clock import Clock
from tests.store.given import a_run, a_worker, claim, completed, finish, retry_after
from tests.store.threads import together

CURVE = CoolDownCurve(base_seconds=60, cap_seconds=1_000, forgive_seconds=500, jitter=0)


def strike(store: Store, retry_after: float | None = None, curve: CoolDownCurve = CURVE) -> float:
    return store.lanes.strike("site", retry_after_seconds=retry_after, reason="429", curve=curve)


def about(seconds: float):
    return pytest.approx(seconds, abs=3)


def test_a_struck_lane_starts_nothing_until_it_opens(store: Store, clock: Clock):
    a_run(store, 5, lane="site")
    worker = a_worker(store)
    assert strike(store) == about(60)
    lane = store.lanes.get("site")
    assert (lane.strikes, lane.cool_reason) == (1, "429")
    assert retry_after(store, worker, 5) == about(60)
    clock.advance(50)
    assert claim(store, worker, 5) == []
    clock.advance(11)
    store.workers.sweep()
    assert len(claim(store, a_worker(store), 5)) == 5


def test_other_lanes_go_on(store: Store):
    a_run(store, 5, lane="site")
    a_run(store, 5, lane="other")
    strike(store)
    assert {lease.lane for lease in claim(store, a_worker(store), 10)} == {"other"}


def test_each_strike_is_twice_as_long_up_to_the_cap(store: Store, clock: Clock):
    seconds = []
    for _ in range(6):
        seconds.append(strike(store))
        clock.advance(seconds[-1] + 1)
    assert seconds == [about(expected) for expected in (60, 120, 240, 480, 960, 1_000)]
    assert store.lanes.get("site").strikes == 6


def test_what_comes_while_the_lane_cools_is_part_of_the_same_strike(store: Store, clock: Clock):
    strike(store)
    clock.advance(20)
    assert [strike(store) for _ in range(50)] == [about(40)] * 50
    assert store.lanes.get("site").strikes == 1


def test_fifty_refusals_at_once_are_one_strike(store: Store):
    def work(mine: Store, _: int) -> list[float]:
        return [strike(mine) for _ in range(6)]

    assert together(store, work) == [about(60)] * 48
    assert store.lanes.get("site").strikes == 1


def test_retry_after_is_obeyed_as_it_is(store: Store, clock: Clock):
    assert strike(store, 7) == about(7)
    clock.advance(8)
    assert strike(store, 2_000) == about(2_000)
    assert store.lanes.get("site").strikes == 2


def test_only_a_longer_retry_after_lengthens_a_cool_down(store: Store):
    assert strike(store, 100) == about(100)
    assert strike(store, 20) == about(100)
    assert strike(store, 300) == about(300)
    assert store.lanes.get("site").strikes == 1


def test_a_retry_after_that_has_passed_says_nothing(store: Store, clock: Clock):
    assert strike(store, 0) == about(60)
    clock.advance(61)
    assert strike(store, -5) == about(120)


def test_a_retry_after_beyond_all_measure_is_no_error(store: Store):
    assert strike(store, 1e300) > 86_400 * 365
    with pytest.raises(InputError, match="retry_after_seconds"):
        strike(store, float("nan"))


def test_strikes_are_forgiven_after_quiet(store: Store, clock: Clock):
    strike(store)
    clock.advance(61 + 490)
    assert store.lanes.get("site").strikes == 1
    assert strike(store) == about(120)
    clock.advance(121 + 505)
    assert store.lanes.get("site").strikes == 0
    assert strike(store) == about(60)
    assert store.lanes.get("site").strikes == 1


def test_a_strike_does_not_shorten_what_a_person_said(store: Store):
    store.lanes.cool("site", 5_000, "maintenance")
    assert strike(store) == about(5_000)
    assert store.lanes.get("site").cool_reason == "maintenance"


def test_workers_notice_a_strike_once(store: Store):
    before = store.settings.control_version()
    strike(store)
    noticed = store.settings.control_version()
    strike(store)
    assert before < noticed == store.settings.control_version()


def test_unpausing_opens_the_lane_and_keeps_the_strikes(store: Store):
    a_run(store, 1, lane="site")
    strike(store)
    store.lanes.unpause("site")
    assert len(claim(store, a_worker(store))) == 1
    assert strike(store) == about(120)


def test_clearing_forgets_everything_and_wakes_what_waits(store: Store):
    run = a_run(store, 5, lane="site")
    worker = a_worker(store)
    strike(store)
    store.lanes.pause("site")
    store.lanes.limit("site", Limits(1_000.0, 1, 1))
    store.lanes.set_crawl_delay("site", 50.0)
    assert claim(store, worker, 5) == []
    store.lanes.clear("site")
    lane = store.lanes.get("site")
    assert (lane.strikes, lane.cool_until, lane.paused) == (0, None, False)
    assert lane.in_force.are_none
    assert len(claim(store, worker, 5)) == 5
    assert strike(store) == about(60)
    assert store.runs.counts(run).leased == 5


def test_a_cleared_lane_has_no_debts(store: Store):
    a_run(store, 5, lane="site")
    worker = a_worker(store)
    store.lanes.limit("site", Limits(50.0))
    (lease,) = claim(store, worker, 5)
    finish(store, completed(lease))
    assert claim(store, worker, 5) == []
    store.lanes.clear("site")
    store.lanes.limit("site", Limits(50.0))
    assert len(claim(store, worker, 5)) == 1


def test_a_scraper_is_cleared_by_itself(store: Store):
    a_run(store, 5, lane="site", scraper="books")
    store.lanes.pause("books", PacedKind.SCRAPER)
    strike(store)
    store.lanes.clear("books", PacedKind.SCRAPER)
    assert not store.lanes.get("books", PacedKind.SCRAPER).paused
    assert store.lanes.get("site").strikes == 1


def test_what_has_no_name_cannot_be_struck(store: Store):
    with pytest.raises(InputError, match="name"):
        store.lanes.strike("", retry_after_seconds=None, reason="429", curve=CURVE)
    with pytest.raises(InputError, match="name"):
        store.lanes.clear("")
