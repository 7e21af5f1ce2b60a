import math
from dataclasses import dataclass, field

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from swather.errors import InputError
from swather.model.pacing import (
    NEVER,
    NO_LIMITS,
    Limits,
    Pace,
    allowance,
    bounded,
    opens_at,
    parse_rate,
    started,
    strictest,
)

EPOCH = 1.8e9
ROUNDING_SECONDS = 5e-6
SKEW_SECONDS = 5.0

intervals = st.sampled_from([0.001, 0.01, 0.1, 0.2, 1 / 3, 1.0, 2.5, 60.0]) | st.floats(1e-3, 3600)
paced = st.builds(Limits, intervals, st.integers(1, 20))
any_limits = st.builds(
    Limits, st.just(0.0) | intervals, st.integers(1, 20), st.none() | st.integers(1, 20)
)
starts = st.sampled_from([0.0, EPOCH]) | st.floats(0, EPOCH)
wants = st.integers(1, 30)
arrivals = st.lists(
    st.tuples(st.floats(0, 3) | st.sampled_from([0.0, 0.5, 1.0]), wants), min_size=1, max_size=40
)


@dataclass
class SimulatedLane:
    limits: Limits
    now: float
    pace: Pace = field(default_factory=Pace)
    starts: list[float] = field(default_factory=list)

    def ask(self, wanted: int) -> int:
        self.pace = bounded(self.limits, self.pace, self.now)
        allowed = allowance(self.limits, self.pace, self.now, wanted)
        if allowed:
            due_at = started(self.limits, self.pace, self.now, allowed)
            self.pace = msgspec.structs.replace(self.pace, due_at=due_at)
            self.starts += [self.now] * allowed
        return allowed

    def fill(self) -> None:
        assert self.ask(self.limits.burst + 1) == self.limits.burst
        assert self.ask(1) == 0


def most_starts(limits: Limits, seconds: float) -> int:
    """What a window of this length may hold."""
    return limits.burst + math.floor((seconds + ROUNDING_SECONDS) / limits.every_seconds)


def assert_no_window_holds_too_many(lane: SimulatedLane) -> None:
    for first, opening in enumerate(lane.starts):
        for last in range(first, len(lane.starts)):
            window = lane.starts[last] - opening
            assert last - first + 1 <= most_starts(lane.limits, window)


@given(paced, starts, arrivals)
def test_a_lane_never_starts_more_than_its_rate_plus_burst(
    limits: Limits, now: float, steps: list[tuple[float, int]]
) -> None:
    lane = SimulatedLane(limits, now)
    for intervals_later, wanted in steps:
        lane.now += intervals_later * limits.every_seconds
        assert 0 <= lane.ask(wanted) <= wanted
    assert_no_window_holds_too_many(lane)


@given(paced, starts, st.integers(1, 30))
def test_a_lane_that_is_asked_whenever_it_opens_reaches_its_rate(
    limits: Limits, now: float, openings: int
) -> None:
    lane = SimulatedLane(limits, now)
    lane.fill()
    for _ in range(openings):
        lane.now = opens_at(limits, lane.pace, lane.now)
        assert lane.ask(1) == 1
    assert lane.now - now == pytest.approx(openings * limits.every_seconds, abs=ROUNDING_SECONDS)
    assert_no_window_holds_too_many(lane)


@given(paced, starts, st.integers(0, 100))
def test_an_idle_lane_saves_up_no_more_than_its_burst(
    limits: Limits, now: float, idle: int
) -> None:
    lane = SimulatedLane(limits, now)
    lane.ask(1)
    lane.now += (idle + 1) * limits.every_seconds
    assert lane.ask(1000) == limits.burst


@given(st.integers(1, 10**6), starts)
def test_a_lane_without_a_rate_starts_all_and_remembers_nothing(wanted: int, now: float) -> None:
    assert allowance(NO_LIMITS, Pace(), now, wanted) == wanted
    assert started(NO_LIMITS, Pace(), now, wanted) == Pace().due_at
    assert opens_at(NO_LIMITS, Pace(), now) == now


@given(any_limits, st.integers(0, 40), wants)
def test_no_more_are_in_flight_than_allowed(limits: Limits, in_flight: int, wanted: int) -> None:
    allowed = allowance(limits, Pace(in_flight=in_flight), EPOCH, wanted)
    assert 0 <= allowed <= wanted
    if limits.in_flight is not None:
        assert allowed == 0 or in_flight + allowed <= limits.in_flight


@given(any_limits, wants)
def test_a_paused_lane_allows_nothing_and_never_opens(limits: Limits, wanted: int) -> None:
    pace = Pace(paused=True)
    assert allowance(limits, pace, EPOCH, wanted) == 0
    assert opens_at(limits, pace, EPOCH) == NEVER


@given(any_limits, wants, st.floats(1e-3, 1e6))
def test_a_cooling_lane_allows_nothing_until_it_has_cooled(
    limits: Limits, wanted: int, seconds: float
) -> None:
    cool_until = EPOCH + seconds
    pace = Pace(cool_until=cool_until)
    assert allowance(limits, pace, EPOCH, wanted) == 0
    assert allowance(limits, pace, math.nextafter(cool_until, 0), wanted) == 0
    assert opens_at(limits, pace, EPOCH) == cool_until
    assert allowance(limits, pace, cool_until, wanted) > 0


@given(paced, starts, arrivals, st.none() | st.floats(-10, 100), st.floats(0, 1))
def test_a_lane_opens_exactly_when_it_says(
    limits: Limits,
    now: float,
    steps: list[tuple[float, int]],
    cooling_seconds: float | None,
    fraction: float,
) -> None:
    lane = SimulatedLane(limits, now)
    for intervals_later, wanted in steps:
        lane.now += intervals_later * limits.every_seconds
        lane.ask(wanted)
    if cooling_seconds is not None:
        lane.pace = msgspec.structs.replace(lane.pace, cool_until=lane.now + cooling_seconds)
    opening = opens_at(limits, lane.pace, lane.now)
    assert allowance(limits, lane.pace, opening, 1) == 1
    earlier = lane.now + fraction * (opening - lane.now)
    if earlier < opening - ROUNDING_SECONDS:
        assert allowance(limits, lane.pace, earlier, 1) == 0


def test_a_full_lane_is_looked_at_again_after_a_second() -> None:
    limits = Limits(in_flight=2)
    assert opens_at(limits, Pace(in_flight=1), EPOCH) == EPOCH
    assert opens_at(limits, Pace(in_flight=2), EPOCH) == EPOCH + 1
    assert opens_at(limits, Pace(in_flight=2, cool_until=EPOCH + 9), EPOCH) == EPOCH + 9


@given(paced, st.floats(0, 1e7), arrivals)
def test_a_clock_that_steps_back_does_not_freeze_a_lane(
    limits: Limits, step_seconds: float, steps: list[tuple[float, int]]
) -> None:
    lane = SimulatedLane(limits, EPOCH)
    lane.fill()
    lane.now -= step_seconds
    stepped_to = lane.now
    while not lane.ask(1):
        opening = opens_at(limits, lane.pace, lane.now)
        assert opening > lane.now
        lane.now = opening
    longest = limits.every_seconds + SKEW_SECONDS + ROUNDING_SECONDS
    assert lane.now - stepped_to <= longest
    after_the_step = SimulatedLane(limits, lane.now, lane.pace)
    for intervals_later, wanted in steps:
        after_the_step.now += intervals_later * limits.every_seconds
        after_the_step.ask(wanted)
    assert_no_window_holds_too_many(after_the_step)


@given(paced, st.floats(0, 1e6))
def test_a_clock_that_is_set_back_does_not_open_a_full_lane(
    limits: Limits, earlier_seconds: float
) -> None:
    lane = SimulatedLane(limits, EPOCH)
    lane.fill()
    lane.now -= earlier_seconds
    assert lane.ask(1) == 0


@given(st.floats(1, 20), st.integers(1, 3), st.floats(1e-3, 1), st.floats(0, 0.99))
def test_a_run_with_looser_limits_waits_for_a_stricter_one_on_its_lane(
    every_seconds: float, burst: int, looser_seconds: float, fraction: float
) -> None:
    lane = SimulatedLane(Limits(every_seconds, burst), EPOCH)
    lane.fill()
    lane.limits = Limits(looser_seconds)
    lane.now += fraction * burst * every_seconds
    assert lane.ask(1) == 0


@given(paced)
def test_loosened_limits_hold_at_once(limits: Limits) -> None:
    lane = SimulatedLane(Limits(every_seconds=86_400.0), EPOCH)
    lane.fill()
    lane.limits = limits
    assert lane.ask(1) == 0
    lane.now += limits.every_seconds + ROUNDING_SECONDS
    assert lane.ask(1) == 1


@given(st.lists(any_limits, min_size=1, max_size=4), starts, arrivals)
def test_the_strictest_is_at_least_as_strict_as_each(
    limits: list[Limits], now: float, steps: list[tuple[float, int]]
) -> None:
    together = strictest(*limits)
    lane = SimulatedLane(together, now)
    for seconds_later, wanted in steps:
        lane.now += seconds_later
        allowed = lane.ask(wanted)
        for limit in limits:
            assert allowed <= allowance(limit, Pace(), lane.now, wanted)
    for limit in limits:
        assert together.every_seconds >= limit.every_seconds
        if limit.every_seconds:
            assert together.burst <= limit.burst
            assert_no_window_holds_too_many(SimulatedLane(limit, now, starts=lane.starts))


@given(any_limits)
def test_no_limits_make_nothing_stricter(limits: Limits) -> None:
    joined = strictest(limits, NO_LIMITS)
    assert joined.every_seconds == limits.every_seconds
    assert joined.in_flight == limits.in_flight
    assert not limits.every_seconds or joined.burst == limits.burst
    assert joined.are_none is limits.are_none


def test_nothing_at_all_is_no_limits() -> None:
    assert strictest() == NO_LIMITS
    assert NO_LIMITS.are_none


@pytest.mark.parametrize(
    "wrong",
    [
        {"every_seconds": -1.0}, {"every_seconds": math.nan}, {"every_seconds": math.inf},
        {"burst": 0}, {"burst": -1}, {"burst": 2**31},
        {"in_flight": 0}, {"in_flight": -3}, {"in_flight": 2**31},
    ],
)  # fmt: skip
def test_limits_that_would_stop_a_lane_or_confuse_it_are_refused(wrong: dict[str, float]) -> None:
    ((name, value),) = wrong.items()
    with pytest.raises(InputError, match=f"{name} must be .*got {value}"):
        Limits(**wrong)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("rate", "every_seconds"),
    [
        ("5/s", 0.2), ("30/min", 2), ("30/m", 2), ("1000/h", 3.6), ("1/d", 86_400), ("1/2s", 2),
        ("0.5/s", 2), ("3/1.5min", 30), (" 10 / 2 h ", 720),
    ],
)  # fmt: skip
def test_a_rate_is_read_as_seconds_between_starts(rate: str, every_seconds: float) -> None:
    assert parse_rate(rate) == pytest.approx(every_seconds)


@given(st.integers(1, 10**6), st.integers(1, 1000), st.sampled_from(["s", "m", "min", "h", "d"]))
def test_a_written_rate_gives_that_many_starts_in_that_time(
    count: int, length: int, unit: str
) -> None:
    assert parse_rate(f"{count}/{length}{unit}") * count == pytest.approx(
        length * parse_rate(f"1/{unit}")
    )


@pytest.mark.parametrize(
    "rate",
    [
        "",
        "5",
        "5/",
        "/s",
        "0/s",
        "0.0/s",
        "5/0s",
        "-5/s",
        "5/week",
        "5 per s",
        "5/s extra",
        "1e3/s",
    ],
)
def test_what_is_no_rate_is_refused_with_an_example(rate: str) -> None:
    with pytest.raises(InputError, match=f"'5/s', '30/min' or '1/2s', got '{rate}'"):
        parse_rate(rate)


@pytest.mark.parametrize("rate", ["9" * 32 + "/s", "1000001/s", "1/9999999d", "9" * 400 + "/s"])
def test_a_rate_that_no_clock_can_tell_is_refused(rate: str) -> None:
    with pytest.raises(InputError, match="at most 1,000,000/s and at least one in ten years, got"):
        parse_rate(rate)


def test_the_slowest_and_the_fastest_rate_are_rates() -> None:
    assert parse_rate("1000000/s") == 1e-6
    assert parse_rate("1/3660d") == 3_660 * 86_400
