"""Leases, and the requests for them: claims and permits."""

from collections.abc import Sequence
from enum import StrEnum
from random import Random
from typing import Any, assert_never

import msgspec

from swather.errors import InputError
from swather.model.retry import Faults


class Strategy(StrEnum):
    """FIFO oldest first; LIFO newest first; PRIORITY highest first, ties oldest first;
    WEIGHTED_RANDOM draws a priority with chances in proportion to it, then the oldest in it.
    """

    FIFO = "fifo"
    LIFO = "lifo"
    PRIORITY = "priority"
    WEIGHTED_RANDOM = "weighted_random"


def draw(priorities: Sequence[int], count: int, random: Random) -> dict[int, int]:
    """How many of `count` tasks to take from each priority: `count` weighted draws."""
    quotas = dict.fromkeys(priorities, 0)
    if not quotas:
        return quotas
    for priority in random.choices(priorities, weights=priorities, k=count):
        quotas[priority] += 1
    return quotas


def quotas(
    strategy: Strategy, priorities: Sequence[int], count: int, random: Random
) -> list[tuple[int, int]]:
    """(priority, how many at most) in the order in which to look at the priorities.

    FIFO and LIFO look at all of them and merge by age; the others take them one after another.
    """
    highest_first = sorted(priorities, reverse=True)
    match strategy:
        case Strategy.FIFO | Strategy.LIFO | Strategy.PRIORITY:
            return [(priority, count) for priority in highest_first]
        case Strategy.WEIGHTED_RANDOM:
            drawn = draw(highest_first, count, random)
            return [(priority, drawn[priority]) for priority in highest_first if drawn[priority]]
        case _:
            assert_never(strategy)


def priorities_in(mask: int) -> list[int]:
    """The priorities whose bit is set in a run's mask."""
    return [priority for priority in range(mask.bit_length()) if mask >> priority & 1]


class Lease(msgspec.Struct, frozen=True, kw_only=True):
    """A task handed to a worker. `(task_id, token)` fences every write the worker makes for it.

    `claimed_at` is when it was claimed, on the claimer's monotonic clock: no later than the moment
    its lane was charged for it. `every_seconds` is the interval of that lane, or of its scraper if
    that is longer; 0 where nothing paces them.
    """

    task_id: int
    token: int
    run_id: int
    target: Any
    priority: int
    lane: str
    partition: str
    parent_id: int | None
    faults: Faults
    part: int = 0
    cursor: Any = None
    claimed_at: float = 0.0
    every_seconds: float = 0.0

    @property
    def fence(self) -> tuple[int, int]:
        return self.task_id, self.token

    @property
    def attempt(self) -> int:
        """1 for the first execution."""
        faults = self.faults
        return 1 + faults.attempts + faults.blocked + faults.proxy + faults.crashes


class ClaimRequest(msgspec.Struct, frozen=True, kw_only=True):
    """How many tasks a worker wants, and of which runs or scrapers (None = of any).

    Partitioned tasks are given only to the partition's owner. `strategy` None is the run's own.
    `unpaced` is for work that touches no site: pauses, limits, cool-downs and breakers of the named
    runs and their lanes do not count, nor who owns a partition; nothing is charged to the lanes.
    """

    worker_id: int
    count: int
    runs: tuple[str, ...] | None = None
    scrapers: tuple[str, ...] | None = None
    partitions: tuple[str, ...] | None = None
    strategy: Strategy | None = None
    unpaced: bool = False

    def __post_init__(self) -> None:
        if self.count < 1:
            raise InputError(f"count must be at least 1, got {self.count!r}")
        if self.unpaced and self.runs is None:
            raise InputError("an unpaced claim names the runs it may take from")


class Claimed(msgspec.Struct, frozen=True):
    """What a claim gave.

    `retry_after_seconds` is set when there were fewer than wanted: when the next task may be due
    (a lane opens, a retry falls due), or None when nothing that waits has a known time.
    """

    leases: list[Lease]
    retry_after_seconds: float | None = None


class Permits(msgspec.Struct, frozen=True):
    """How many further requests may start now; if none, how long to wait before asking again, and
    the `hold`: "paced", "full", "cooling" or "paused". A stale lease is granted none, and has no
    hold. `is_free`: only a number in flight could have held them back; `is_counted`: the lane has
    such a number. `granted_at` and `every_seconds` mean the same as in a Lease; granted requests
    start `starts_in_seconds` later.
    """

    granted: int
    retry_after_seconds: float | None = None
    hold: str = ""
    is_free: bool = False
    is_counted: bool = False
    granted_at: float = 0.0
    every_seconds: float = 0.0
    starts_in_seconds: float = 0.0
