"""Gates: what may pass the limits of a lane or a scraper in one claim, on both databases."""

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
    hold_on,
    opens_at,
    started,
)

# The hold on a lane that has as many requests in flight as it may.
FULL: Final = "full"


class BaseGate:
    """One row with limits: how many more may pass it, and how many did. `limits` are all that apply
    to it, whoever asks.
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
    def needs_saving(self) -> bool:
        """Whether the row's pace has changed."""
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

    def sleep_reason(self) -> str:
        """Why nothing more may pass now."""
        after = self.after()
        if after.paused:
            return "paused"
        if self.limits.in_flight is not None and after.in_flight >= self.limits.in_flight:
            return "full"
        return "paced"

    def hold(self) -> str:
        return hold_on(self.limits, self.after(), self.now)


class Grant(NamedTuple):
    """How many may pass all gates, and in how many seconds the first may."""

    granted: int
    starts_in_seconds: float = 0.0


def grant(gates: Sequence[BaseGate], wanted: int, ahead_seconds: float) -> Grant:
    """How many may pass now; if none, one that only has to wait for its pace, for at most
    `ahead_seconds`: its moment is reserved, and no one else can take it.
    """
    count = min([wanted, *(gate.left for gate in gates)])
    if count or not ahead_seconds:
        return Grant(count)
    wait = max(gate.opens_at() - gate.now for gate in gates)
    if wait <= ahead_seconds and all(gate.hold() in ("", PACED) for gate in gates):
        return Grant(1, wait)
    return Grant(0)


def slowest(gates: Iterable[BaseGate]) -> float:
    """The longest interval between two passes."""
    return max((gate.limits.every_seconds for gate in gates), default=0.0)


def refusal(gates: Sequence[BaseGate]) -> Permits:
    """The answer when none may pass: for how long, and why."""
    last = max(gates, key=lambda gate: gate.opens_at())
    wait = last.opens_at() - last.now
    return Permits(0, None if math.isinf(wait) else max(wait, 0.0), last.hold())
