"""How long things take, in buckets."""

import math
from bisect import bisect_left
from typing import Any

import pytest

from swather.model.latency import BOUNDS, NO_LATENCY, Latency, latency_of


def counted(*seconds: float) -> Latency:
    counts = [0] * (len(BOUNDS) + 1)
    for each in seconds:
        counts[bisect_left(BOUNDS, each)] += 1
    return Latency(tuple(counts), math.fsum(seconds))


def test_what_a_row_says_is_read():
    said = {"counts": [1] * (len(BOUNDS) + 1), "seconds": 12.5}
    assert latency_of(said) == Latency((1,) * (len(BOUNDS) + 1), 12.5)


@pytest.mark.parametrize(
    "said",
    [
        None,
        "x",
        {},
        {"counts": [1, 2], "seconds": 1.0},
        {"counts": [-1] * (len(BOUNDS) + 1), "seconds": 1.0},
        {"counts": ["1"] * (len(BOUNDS) + 1), "seconds": 1.0},
        {"counts": [1] * (len(BOUNDS) + 1), "seconds": -1.0},
        {"counts": [1] * (len(BOUNDS) + 1), "seconds": None},
    ],
)
def test_a_row_that_says_anything_else_says_nothing(said: Any):
    assert latency_of(said) == NO_LATENCY


def test_latencies_add_up_and_are_told_apart_again():
    first, second = counted(0.004, 2.0), counted(0.004, 1_000.0)
    both = first.plus(second)
    assert both == counted(0.004, 2.0, 0.004, 1_000.0)
    assert both.since(first) == second


def test_one_that_has_begun_anew_takes_nothing_away():
    assert NO_LATENCY.since(counted(1.0)) == NO_LATENCY
