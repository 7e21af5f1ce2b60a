"""What may pass a lane or a scraper's limits during one claim, as both databases count it."""

import math
from collections.abc import Iterable, Sequence
from typing import Final, NamedTuple

from swather.model.lease import Permits
from swather.model.pacing import (
    PACED,
    Limits,
    Pace,
    allowance,
    bounded,
    held_by,
    opens_at,
    started,
)

# What holds back a request on a lane that has as many in flight as it may.
FULL: Final = "full"


class BaseGate:
    """One row with limits: how many more may pass it, how many did. `limits` are all that hold
    there, whoever asks.
    """

    def __init__(self, lane_id: int, limits: Limits, pace: Pace, now: float, wanted: int) -> None:
        self.lane_id = lane_id
        self.limits = limits
        self.pace = bounded(limits, pace, now)
        self.now = now
        self.left = allowance(limits, self.pace, now, wanted)
        self.passed = 0
        self._is_corrected = self.pace is not pace

    @property
    def is_to_save(self) -> bool:
        """Whether the row's pace is no longer what it says."""
        return self._is_corrected or (self.passed > 0 and self.limits.every_seconds > 0)

    def after(self) -> Pace:
        return Pace(
            started(self.limits, self.pace, self.now, self.passed),
            self.pace.paused,
            self.pace.cool_until,
            self.pace.in_flight + self.passed,
        )

    def opens_at(self) -> float:
        return opens_at(self.limits, self.after(), self.now)

    def asleep(self) -> str:
        """Why nothing more may pass now."""
        after = self.after()
        if after.paused:
            return "paused"
        if self.limits.in_flight is not None and after.in_flight >= self.limits.in_flight:
            return "full"
        return "paced"

    def held_by(self) -> str:
        return held_by(self.limits, self.after(), self.now)


class Grant(NamedTuple):
    """So many may pass all gates, the first of them in so many seconds."""

    granted: int
    starts_in_seconds: float = 0.0


def grant(gates: Sequence[BaseGate], wanted: int, ahead_seconds: float) -> Grant:
    """What may pass now; if nothing may, one that only has to wait for its pace, for so long at
    most: its moment is then taken, and nobody who comes meanwhile can have it.
    """
    count = min([wanted, *(gate.left for gate in gates)])
    if count or not ahead_seconds:
        return Grant(count)
    wait = max(gate.opens_at() - gate.now for gate in gates)
    if wait <= ahead_seconds and all(gate.held_by() in ("", PACED) for gate in gates):
        return Grant(1, wait)
    return Grant(0)


def slowest(gates: Iterable[BaseGate]) -> float:
    """The longest interval between two who pass."""
    return max((gate.limits.every_seconds for gate in gates), default=0.0)


def refusal(gates: Sequence[BaseGate]) -> Permits:
    """What to say when none may pass: for how long, and why."""
    last = max(gates, key=lambda gate: gate.opens_at())
    wait = last.opens_at() - last.now
    return Permits(0, None if math.isinf(wait) else max(wait, 0.0), last.held_by())
