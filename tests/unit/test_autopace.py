import pytest
from hypothesis import given
from hypothesis import strategies as st

from swather.errors import InputError
from swather.model.lane import PacedKind, free_lane
from swather.model.pacing import AutoPace, Limits, Pace, hold_on, in_force

policies = st.builds(
    AutoPace,
    concurrency=st.floats(0.1, 100),
    min_seconds=st.floats(0, 1),
    max_seconds=st.floats(1, 600),
)
latencies = st.floats(0, 1_000)
intervals = st.none() | st.floats(0, 1_000)
limits = st.builds(
    Limits, st.just(0.0) | st.floats(0.01, 100), st.integers(1, 9), st.none() | st.integers(1, 9)
)


def test_by_default_it_aims_at_one_request_at_a_time():
    policy = AutoPace()
    assert policy.next_every(None, 0.5, failed=False) == 0.5
    assert policy.next_every(2.0, 1.0, failed=False) == 1.5
    assert policy.next_every(2.0, 1.0, failed=True) == 3.0


@given(policies, intervals, latencies)
def test_a_success_moves_towards_the_aim_within_the_bounds(policy, old, latency):
    new = policy.next_every(old, latency, failed=False)
    assert policy.min_seconds <= new <= policy.max_seconds
    aim = latency / policy.concurrency
    if old is not None and policy.min_seconds <= old <= policy.max_seconds:
        low, high = sorted((old, min(max(aim, policy.min_seconds), policy.max_seconds)))
        assert low - 1e-9 <= new <= high + 1e-9


@given(policies, st.floats(0.001, 1_000), latencies)
def test_a_failure_never_quickens_and_slows_by_half_again_at_least(policy, old, latency):
    new = policy.next_every(old, latency, failed=True)
    assert new >= old
    assert new >= min(1.5 * old, policy.max_seconds)


@given(policies, intervals, latencies)
def test_a_failure_is_never_quicker_than_a_success(policy, old, latency):
    failed, fine = (policy.next_every(old, latency, failed=failed) for failed in (True, False))
    assert failed >= fine


def test_failures_alone_reach_the_slowest_pace():
    policy, every = AutoPace(), None
    for _ in range(30):
        every = policy.next_every(every, 0.0, failed=True)
    assert every == 60.0


@given(limits, intervals, intervals)
def test_the_pace_in_force_is_the_slowest_and_has_a_burst_only_as_it_was_set(
    given_limits, learned, delay
):
    found = in_force(given_limits, learned, delay)
    assert found.every_seconds == max(given_limits.every_seconds, learned or 0, delay or 0)
    assert found.in_flight == given_limits.in_flight
    assert found == given_limits or found.burst == 1


def test_a_free_lane_has_no_limits_in_force():
    assert free_lane("site", PacedKind.LANE).in_force.are_none


@pytest.mark.parametrize(
    ("pace", "held"),
    [
        (Pace(), ""),
        (Pace(paused=True, cool_until=50.0), "paused"),
        (Pace(cool_until=50.0), "cooling"),
        (Pace(cool_until=9.0), ""),
        (Pace(due_at=15.0), "paced"),
        (Pace(due_at=15.0, cool_until=12.0), "paced"),
        (Pace(due_at=15.0, cool_until=20.0), "cooling"),
    ],
)
def test_what_holds_a_lane_back_has_a_name(pace, held):
    assert hold_on(Limits(5.0), pace, 10.0) == held


@pytest.mark.parametrize(
    "field", [{"concurrency": 0}, {"min_seconds": 5.0, "max_seconds": 1.0}, {"min_seconds": -1.0}]
)
def test_a_policy_that_makes_no_sense_is_refused(field):
    with pytest.raises(InputError, match=next(iter(field))):
        AutoPace(**field)
