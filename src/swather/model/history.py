"""How runs have fared over time: samples of their counts, and what workers have measured."""

import math
from collections.abc import Mapping
from datetime import datetime
from typing import Final

import msgspec

# A bucket is a quarter of a power of two wide, so a quantile is off by 10 % at most.
_BUCKETS_PER_DOUBLING: Final = 4
_SHORTEST_SECONDS: Final = 0.001
MAX_BUCKET: Final = 120  # twelve days


class Measured(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What a worker has measured of a run since it last told: responses by HTTP status, attempts by
    the bucket of how long they took, retries and failures by error class and by group, and of each
    lane how often it answered and how often of these with 429.

    Only the most frequent groups are named, and the lanes with most 429, then those with most
    answers (swather.model.history_bounds); how many errors and answers the others had is counted.
    """

    statuses: dict[str, int] = {}
    latency: dict[int, int] = {}
    classes: dict[str, int] = {}
    groups: dict[str, int] = {}
    groups_left_out: int = 0
    lanes: dict[str, tuple[int, int]] = {}
    lanes_left_out: int = 0


class HistoryPoint(msgspec.Struct, frozen=True, kw_only=True):
    """A span of `seconds` that ends `at`. Numbers that ended in it, of responses by status and of
    errors by class are per second; waiting and running tasks are those at its end. The latency is
    that of attempts in the minutes that the span touches, None if there were none.
    """

    at: datetime
    seconds: float
    completed: float = 0.0
    failed: float = 0.0
    cancelled: float = 0.0
    retried: float = 0.0
    items: float = 0.0
    ready: int = 0
    scheduled: int = 0
    leased: int = 0
    latency_p50: float | None = None
    latency_p95: float | None = None
    statuses: dict[str, float] = {}
    classes: dict[str, float] = {}


def bucket_of(seconds: float) -> int:
    """The bucket of a length of time: 0 for a millisecond or less."""
    if not seconds > _SHORTEST_SECONDS:
        return 0
    doublings = math.log2(min(seconds, 1e9) / _SHORTEST_SECONDS)
    return min(math.ceil(_BUCKETS_PER_DOUBLING * doublings), MAX_BUCKET)


def quantile(buckets: Mapping[int, float], q: float) -> float | None:
    """The length of time that a share of `q` does not exceed, in seconds; None of nothing."""
    total = sum(buckets.values())
    if not total > 0:
        return None
    left = q * total
    for bucket in sorted(buckets):
        left -= buckets[bucket]
        if left <= 0:
            break
    return _middle_of(bucket)


def _middle_of(bucket: int) -> float:
    if bucket <= 0:
        return _SHORTEST_SECONDS
    return _SHORTEST_SECONDS * math.exp2((bucket - 0.5) / _BUCKETS_PER_DOUBLING)
