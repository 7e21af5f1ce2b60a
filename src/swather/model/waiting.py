"""What of a run waits, lane by lane."""

from collections import defaultdict
from collections.abc import Iterable
from datetime import datetime
from typing import Final

import msgspec

# How far waiting tasks are counted: up to so many of each of so many lanes.
MAX_LANES: Final = 100
MAX_COUNTED: Final = 2_000
MAX_SCHEDULED: Final = 1_000


class LaneWaiting(msgspec.Struct, frozen=True, kw_only=True):
    """Tasks of a run that wait on one lane: ready ones, counted up to a limit, and of those that
    wait for a due time the next ones.
    """

    lane: str
    ready: int = 0
    scheduled: int = 0

    @property
    def is_counted(self) -> bool:
        """Whether there are not more of them than were counted."""
        return self.ready < MAX_COUNTED


class Waiting(msgspec.Struct, frozen=True, kw_only=True):
    """The lanes that a run waits on, as many as are looked at, and when its scheduled tasks fall
    due: the next of them, and the last.
    """

    lanes: list[LaneWaiting] = []
    next_due_at: datetime | None = None
    last_due_at: datetime | None = None

    @property
    def has_all_lanes(self) -> bool:
        return len(self.lanes) < MAX_LANES


def lanes_waiting(
    ready: Iterable[tuple[str, int]], scheduled: Iterable[tuple[str, int]]
) -> list[LaneWaiting]:
    """By name, from rows of how many are ready and scheduled; a lane may have several rows."""
    counts: dict[str, list[int]] = defaultdict(lambda: [0, 0])
    for column, rows in enumerate((ready, scheduled)):
        for lane, number in rows:
            counts[lane][column] += number
    return [
        LaneWaiting(lane=lane, ready=counts[lane][0], scheduled=counts[lane][1])
        for lane in sorted(counts)
    ]
