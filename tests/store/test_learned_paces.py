"""A lane's pace in force: what was set, what was learned, what robots.txt asks for."""

import pytest

from swather.errors import InputError
from swather.model.pacing import NO_LIMITS, AutoPace, Limits
from swather.store import Store
from swather.store.clock import Clock
from tests.store.given import a_run, a_worker, claim, retry_after
from tests.store.threads import together

POLICY = AutoPace(concurrency=2.0, max_seconds=60.0)


def adapt(store: Store, latency: float, *, failed: bool = False) -> float:
    return store.lanes.adapt("site", latency_seconds=latency, failed=failed, policy=POLICY)


def paced(store: Store, **fields) -> int:
    a_run(store, 30, lane="site", **fields)
    return a_worker(store, lease_seconds=10_000)


def test_the_first_response_sets_the_pace(store: Store):
    assert adapt(store, 8.0) == 4.0
    lane = store.lanes.get("site")
    assert (lane.learned_every_seconds, lane.limits) == (4.0, NO_LIMITS)
    assert lane.in_force == Limits(4.0)
    assert [found.name for found in store.lanes.find()] == ["site"]


def test_the_pace_moves_half_way_each_time(store: Store):
    assert [adapt(store, latency) for latency in (8, 16, 0)] == [4.0, 6.0, 3.0]


def test_failures_only_slow_a_lane_down(store: Store):
    assert [adapt(store, 8), adapt(store, 0, failed=True), adapt(store, 80, failed=True)] == [
        4.0,
        6.0,
        23.0,
    ]


def test_claims_and_permits_go_by_the_learned_pace(store: Store, clock: Clock):
    worker = paced(store)
    adapt(store, 20.0)
    (lease,) = claim(store, worker, 10)
    assert retry_after(store, worker) == pytest.approx(10, abs=3)
    assert store.queue.permits(lease.fence, "site").granted == 0
    clock.advance(10.1)
    assert len(claim(store, worker, 10)) == 1


def test_a_learned_pace_holds_for_every_store(store: Store, other: Store):
    worker = paced(store)
    adapt(other, 2_000.0)
    assert len(claim(store, worker, 10)) == 1
    assert claim(other, worker, 10) == []


def test_the_set_rate_wins_when_it_is_slower_and_keeps_its_burst(store: Store):
    worker = paced(store)
    store.lanes.limit("site", Limits(30.0, 3))
    adapt(store, 4.0)
    assert store.lanes.get("site").in_force == Limits(30.0, 3)
    assert len(claim(store, worker, 10)) == 3


def test_a_slower_learned_pace_has_no_burst(store: Store):
    worker = paced(store)
    store.lanes.limit("site", Limits(1.0, 5, 8))
    adapt(store, 40.0)
    lane = store.lanes.get("site")
    assert (lane.limits, lane.in_force) == (Limits(1.0, 5, 8), Limits(20.0, 1, 8))
    assert len(claim(store, worker, 10)) == 1


def test_a_rate_set_later_does_not_undo_what_was_learned(store: Store):
    worker = paced(store)
    adapt(store, 40.0)
    store.lanes.limit("site", Limits(0.1, 5))
    assert len(claim(store, worker, 10)) == 1


def test_the_crawl_delay_holds_like_a_rate(store: Store, clock: Clock):
    worker = paced(store)
    store.lanes.set_crawl_delay("site", 20.0)
    assert store.lanes.get("site").crawl_delay_seconds == 20.0
    assert len(claim(store, worker, 10)) == 1
    assert claim(store, worker, 10) == []
    clock.advance(20.1)
    assert len(claim(store, worker, 10)) == 1


def test_the_slowest_of_all_wins(store: Store):
    store.lanes.limit("site", Limits(1.0, 5))
    adapt(store, 6.0)
    store.lanes.set_crawl_delay("site", 10.0)
    assert store.lanes.get("site").in_force == Limits(10.0)
    store.lanes.set_crawl_delay("site", None)
    assert store.lanes.get("site").in_force == Limits(3.0)
    store.lanes.limit("site", Limits(5.0, 2))
    assert store.lanes.get("site").in_force == Limits(5.0, 2)
    assert store.upkeep.check() == []


def test_saying_the_same_crawl_delay_again_changes_nothing(store: Store):
    store.lanes.set_crawl_delay("site", 10.0)
    version = store.settings.control_version()
    store.lanes.set_crawl_delay("site", 10.0)
    assert store.settings.control_version() == version


@pytest.mark.parametrize("before", [50.0, 5_000.0])
def test_a_lane_that_gets_faster_wakes_what_sleeps(store: Store, clock: Clock, before):
    worker = paced(store)
    store.lanes.set_crawl_delay("site", before)
    assert len(claim(store, worker, 10)) == 1
    assert claim(store, worker, 10) == []
    store.lanes.set_crawl_delay("site", 2.0)
    assert retry_after(store, worker, 10) == pytest.approx(2, abs=1)
    clock.advance(2.1)
    assert len(claim(store, worker, 10)) == 1
    assert claim(store, worker, 10) == []


def test_a_quicker_site_wakes_what_its_slowness_put_to_sleep(store: Store, clock: Clock):
    worker = paced(store)
    adapt(store, 100.0)
    assert len(claim(store, worker, 10)) == 1
    assert claim(store, worker, 10) == []
    for _ in range(10):
        adapt(store, 2.0)
    clock.advance(2.1)
    assert len(claim(store, worker, 10)) == 1


@pytest.mark.slow
def test_a_lane_that_gets_faster_does_not_outrun_a_runs_own_limit(store: Store, clock: Clock):
    worker = paced(store, lane_limits=Limits(40.0))
    store.lanes.set_crawl_delay("site", 50.0)
    assert len(claim(store, worker, 10)) == 1
    store.lanes.set_crawl_delay("site", 2.0)
    clock.advance(30)
    assert claim(store, worker, 10) == []
    clock.advance(11)
    assert len(claim(store, worker, 10)) == 1


def test_a_pace_that_nobody_renews_is_forgotten(store: Store, clock: Clock):
    a_run(store, 30, lane="site")
    adapt(store, 100.0)
    store.lanes.set_crawl_delay("slow", 3.0)
    worker = a_worker(store, lease_seconds=10_000)
    assert len(claim(store, worker, 10)) == 1
    assert claim(store, worker, 10) == []
    clock.advance(590)
    store.workers.sweep()
    assert store.lanes.get("site").learned_every_seconds == 50.0
    clock.advance(20)
    store.workers.sweep()
    assert store.lanes.get("site").in_force == NO_LIMITS
    assert store.lanes.get("slow").crawl_delay_seconds == 3.0
    assert len(claim(store, worker, 10)) == 10


def test_workers_notice_a_first_pace_but_not_each_step(store: Store):
    before = store.settings.control_version()
    adapt(store, 10.0)
    version = store.settings.control_version()
    assert version > before
    adapt(store, 20.0)
    assert store.settings.control_version() == version


def test_many_learn_at_once(store: Store):
    def work(mine: Store, _: int) -> list[float]:
        return [adapt(mine, 8.0) for _ in range(10)]

    assert together(store, work) == [4.0] * 80


def test_no_failure_is_lost_among_many(store: Store):
    policy = AutoPace(max_seconds=1e9)
    store.lanes.adapt("site", latency_seconds=0.001, failed=False, policy=policy)

    def work(mine: Store, _: int) -> list[float]:
        return [
            mine.lanes.adapt("site", latency_seconds=0.0, failed=True, policy=policy)
            for _ in range(5)
        ]

    assert max(together(store, work)) == pytest.approx(0.001 * 1.5**40)


def test_an_ended_cool_down_no_longer_counts_as_a_limit(store: Store, clock: Clock):
    store.lanes.cool("site", 10, "503")
    clock.advance(30)
    store.workers.sweep()
    assert store.lanes.get("site").cool_reason == "503"
    clock.advance(60)
    store.workers.sweep()
    assert store.lanes.get("site").cool_until is None
    assert store.lanes.find() == []


@pytest.mark.parametrize("seconds", [-1.0, float("nan"), float("inf")])
def test_times_that_are_none_are_refused(store: Store, seconds):
    with pytest.raises(InputError, match="latency"):
        adapt(store, seconds)
    with pytest.raises(InputError, match="crawl delay"):
        store.lanes.set_crawl_delay("site", seconds)
