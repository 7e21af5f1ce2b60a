from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from swather.errors import InputError
from swather.model.pacing import CoolDownCurve, struck

NOW = 1.8e9
curves = st.builds(
    CoolDownCurve,
    base_seconds=st.floats(0.1, 1_000),
    cap_seconds=st.floats(1_000, 1e6),
    forgive_seconds=st.floats(0, 1e5),
    jitter=st.floats(0, 1),
)
counts = st.integers(0, 10_000)
ages = st.floats(-1e5, 1e6)
randoms = st.integers().map(Random)


def test_by_default_a_minute_doubles_up_to_a_day():
    curve = CoolDownCurve(jitter=0)
    waits = [curve.strike(n, NOW, NOW, Random()).seconds for n in (0, 1, 2, 10, 11, 5_000)]
    assert waits == [60, 120, 240, 61_440, 86_400, 86_400]


@given(curves, counts, ages, randoms)
def test_a_strike_lies_between_the_base_and_the_cap(curve, strikes, age, random):
    found = curve.strike(strikes, -age, 0.0, random)
    assert curve.base_seconds <= found.seconds <= curve.cap_seconds
    assert found.strikes == (1 if age >= curve.forgive_seconds else strikes + 1)


@given(curves, counts, randoms)
def test_jitter_never_makes_a_strike_shorter(curve, strikes, random):
    plain = CoolDownCurve(
        base_seconds=curve.base_seconds,
        cap_seconds=curve.cap_seconds,
        forgive_seconds=curve.forgive_seconds,
        jitter=0,
    )
    without = plain.strike(strikes, None, NOW, random).seconds
    assert without <= curve.strike(strikes, None, NOW, random).seconds
    assert curve.strike(strikes, None, NOW, random).seconds <= without * (1 + curve.jitter) + 1e-6


@given(curves, counts, randoms)
def test_more_strikes_never_wait_less(curve, strikes, random):
    seed = random.getstate()
    first = curve.strike(strikes, None, NOW, random).seconds
    random.setstate(seed)
    assert curve.strike(strikes + 1, None, NOW, random).seconds >= first


@given(curves, counts, st.floats(0.1, 1e6), st.none() | st.floats(-10, 1e6), randoms)
def test_a_cooling_lane_keeps_its_count_and_is_never_cut_short(curve, strikes, left, asked, random):
    found = struck(curve, (strikes, NOW + left, NOW + left + 5), NOW, asked, random)
    assert found.strikes == strikes
    assert found.seconds == pytest.approx(max(left, asked or 0), abs=1e-5)


@given(curves, counts, ages, st.floats(0.1, 1e9), randoms)
def test_what_the_site_asks_for_is_taken_as_it_is(curve, strikes, age, asked, random):
    forgiven_at = NOW - age + curve.forgive_seconds
    found = struck(curve, (strikes, NOW - 1, forgiven_at), NOW, asked, random)
    assert found.seconds == asked


@pytest.mark.parametrize(
    "field",
    [
        {"base_seconds": -1.0},
        {"cap_seconds": float("nan")},
        {"forgive_seconds": float("inf")},
        {"jitter": 1.1},
    ],
)
def test_a_curve_that_makes_no_sense_is_refused(field):
    with pytest.raises(InputError, match=next(iter(field))):
        CoolDownCurve(**field)
