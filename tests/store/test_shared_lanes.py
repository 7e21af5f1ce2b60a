"""Several runs on one lane: the limits of all of them hold together, whoever asks and when."""

import math
import time
from collections.abc import Callable
from itertools import count
from typing import Any, NamedTuple

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from swather.model.pacing import NO_LIMITS, Limits, strictest
from swather.store import Store
from swather.store.clock import Clock
from tests.store.database import Database
from tests.store.given import a_run, a_worker, claim, completed, finish, retry_after

SLOW, QUICK = Limits(60.0, 5), Limits(0.5)
ROUNDING_SECONDS = 0.001
_numbers = count()


class Start(NamedTuple):
    """True time, before and after the store was asked: when it began lies between them."""

    before: float
    after: float


class SharedLane:
    """Runs on one lane, each with a worker, and every start on it in true time."""

    def __init__(self, store: Store, clock: Clock, set_wall: Callable[[float], None]) -> None:
        self.store = store
        self.name = f"site{next(_numbers)}"
        self._clock = clock
        self._set_wall = set_wall
        self._advanced = 0.0
        self.starts: list[Start] = []
        self.runs: list[str] = []
        self._workers: list[int] = []

    def open(self, limits: Limits, targets: int = 300) -> None:
        self.runs.append(a_run(self.store, targets, lane=self.name, lane_limits=limits))
        self._workers.append(a_worker(self.store, lease_seconds=1e7))
        self.starts += self._take(len(self.runs) - 1, 1)

    def now(self) -> float:
        return time.monotonic() + self._advanced

    def advance(self, seconds: float) -> None:
        self._advanced += seconds
        self._clock.advance(seconds)

    def step_back(self, seconds: float) -> None:
        self._set_wall(-seconds)

    def start(self, run: int, wanted: int) -> int:
        taken = self._take(run, wanted)
        self.starts += taken
        return len(taken)

    def permit(self, run: int, wanted: int) -> int:
        """Further requests of a task that began elsewhere."""
        other = a_run(self.store, 1, lane=f"{self.name}-elsewhere{next(_numbers)}")
        (lease,) = claim(self.store, self._workers[run], runs=(other,))
        before = self.now()
        granted = self.store.queue.permits(lease.fence, self.name, wanted).granted
        self.starts += [Start(before, self.now())] * granted
        finish(self.store, completed(lease))
        return granted

    def _take(self, run: int, wanted: int) -> list[Start]:
        before = self.now()
        leases = claim(self.store, self._workers[run], wanted, runs=(self.runs[run],))
        start = Start(before, self.now())
        finish(self.store, *map(completed, leases))
        return [start] * len(leases)

    def close(self) -> None:
        for run in self.runs:
            self.store.runs.cancel(run)
        for worker in self._workers:
            self.store.workers.retire(worker)


@pytest.fixture
def set_wall(
    clock: Clock, database: Database, monkeypatch: pytest.MonkeyPatch
) -> Callable[[float], None]:
    """Steps the wall clock of SQLite's host, or the one clock that PostgreSQL has."""
    if not database.one_host:
        return clock.advance
    stepped = [0.0]
    monkeypatch.setattr(clock, "wall", lambda: time.time() + clock.offset_seconds + sum(stepped))
    return stepped.append


@pytest.fixture
def a_lane(
    store: Store, clock: Clock, set_wall: Callable[[float], None]
) -> Callable[[], SharedLane]:
    return lambda: SharedLane(store, clock, set_wall)


def assert_no_window_holds_too_many(starts: list[Start], limits: Limits) -> None:
    if not limits.every_seconds:
        return
    for first, opening in enumerate(starts):
        for last in range(first, len(starts)):
            window = starts[last].after - opening.before + ROUNDING_SECONDS
            assert last - first + 1 <= limits.burst + math.floor(window / limits.every_seconds)


@pytest.mark.slow
def test_a_quick_run_goes_at_the_pace_of_a_slow_one_beside_it(a_lane: Callable[[], SharedLane]):
    lane = a_lane()
    for limits in (SLOW, QUICK):
        lane.open(limits)
    for _ in range(160):
        lane.advance(0.25)
        for run in (0, 1):
            lane.start(run, 10)
    assert_no_window_holds_too_many(lane.starts, strictest(SLOW, QUICK))


def test_a_run_without_a_rate_keeps_to_that_of_another(a_lane: Callable[[], SharedLane]):
    lane = a_lane()
    lane.open(SLOW)
    lane.open(NO_LIMITS)
    assert lane.start(1, 50) <= 4
    assert lane.start(1, 50) == 0


def test_permits_keep_to_the_limits_of_the_runs_on_the_lane(a_lane: Callable[[], SharedLane]):
    lane = a_lane()
    lane.open(SLOW)
    assert lane.permit(0, 50) == 4
    assert lane.permit(0, 50) == 0


def test_a_run_that_only_makes_further_requests_on_a_lane_slows_it_too(store: Store):
    slow = a_run(store, 1, lane="elsewhere", lane_limits=SLOW)
    worker = a_worker(store)
    (lease,) = claim(store, worker, runs=(slow,))
    assert store.queue.permits(lease.fence, "site", 5).granted == 5
    a_run(store, 10, lane="site")
    assert claim(store, worker, 10) == []


def test_fewest_in_flight_wins(store: Store):
    worker = a_worker(store)
    few = a_run(store, 10, lane="site", lane_limits=Limits(in_flight=2))
    many = a_run(store, 10, lane="site", lane_limits=Limits(in_flight=6))
    assert len(claim(store, worker, 1, runs=(few,))) == 1
    assert len(claim(store, worker, 10, runs=(many,))) == 1
    assert claim(store, worker, 10) == []


def test_other_lanes_of_a_quick_run_are_not_slowed(store: Store):
    worker = a_worker(store)
    slow = a_run(store, 10, lane="site", lane_limits=SLOW)
    assert len(claim(store, worker, 1, runs=(slow,))) == 1
    quick = a_run(store, 10, lane="other")
    assert len(claim(store, worker, 10, runs=(quick,))) == 10


def end_by_cancelling(store: Store, run: str, _worker: int) -> None:
    store.runs.cancel(run)


def end_by_leaving(store: Store, _run: str, worker: int) -> None:
    store.workers.retire(worker)


def end_by_dying(store: Store, _run: str, worker: int) -> None:
    store.workers.sweep([worker])


def end_by_revising(store: Store, run: str, _worker: int) -> None:
    store.runs.revise(run, version="", lane_limits=QUICK)


@pytest.mark.parametrize("end", [end_by_cancelling, end_by_leaving, end_by_dying, end_by_revising])
def test_a_lane_is_quick_again_when_nobody_works_on_the_slow_run(
    store: Store, clock: Clock, end: Callable[[Store, str, int], Any]
):
    worker, other = (a_worker(store, lease_seconds=1e6) for _ in range(2))
    slow = a_run(store, 10, lane="site", lane_limits=Limits(3_600.0, 5))
    assert len(claim(store, worker, 10, runs=(slow,))) == 5
    quick = a_run(store, 10, lane="site", lane_limits=QUICK)
    busy = a_run(store, 10, lane="busy", lane_limits=Limits(5.0))
    assert len(claim(store, other, 1, runs=(busy,))) == 1
    assert (retry_after(store, other, 1, runs=(quick,)) or 0) > 1_000
    end(store, slow, worker)
    claim(store, other, 1, runs=(quick,))
    clock.advance(1.1)
    assert len(claim(store, other, 1, runs=(quick,))) == 1


def test_a_clock_set_back_neither_stops_a_lane_nor_opens_it(a_lane: Callable[[], SharedLane]):
    lane = a_lane()
    for limits in (SLOW, QUICK):
        lane.open(limits)
    lane.start(0, 10)
    lane.step_back(7_200)
    for _ in range(3):
        assert lane.start(0, 10) == lane.start(1, 10) == 0
    lane.advance(66)
    assert lane.start(0, 10) + lane.start(1, 10) == 1


intervals = st.sampled_from([0.0, 0.02, 0.2, 0.5, 1.0, 7.0, 60.0, 90.0, 3600.0])
some_limits = st.builds(
    Limits, intervals, st.integers(1, 6), st.sampled_from([None, None, 1, 2, 8])
)
acts = st.lists(
    st.tuples(
        st.sampled_from(["start", "start", "start", "permit", "step back"]),
        st.integers(0, 1),
        st.sampled_from([0.0, 0.1, 0.5, 1.0, 6.5, 59.0, 61.0, 3600.0]),
        st.integers(1, 9),
    ),
    min_size=3,
    max_size=14,
)


@pytest.mark.slow
@given(st.lists(some_limits, min_size=2, max_size=2), acts)
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
def test_no_window_holds_more_than_the_strictest_limits_allow(
    a_lane: Callable[[], SharedLane],
    limits: list[Limits],
    acts: list[tuple[str, int, float, int]],
):
    lane = a_lane()
    try:
        lane.open(limits[0])
        begun = len(lane.starts)
        lane.open(limits[1])
        for act, run, seconds, wanted in acts:
            if act == "step back":
                lane.step_back(seconds)
            else:
                lane.advance(seconds)
                (lane.start if act == "start" else lane.permit)(run, wanted)
        assert_no_window_holds_too_many(lane.starts[begun:], strictest(*limits))
    finally:
        lane.close()
