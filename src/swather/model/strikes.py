"""Strikes: how long a lane cools down after its site has asked for it; when they are forgiven."""

import math
from random import Random
from typing import NamedTuple

import msgspec

from swather.errors import InputError


class Strike(NamedTuple):
    """The count including this strike, and for how many seconds the lane cools down."""

    strikes: int
    seconds: float


class CoolDownCurve(msgspec.Struct, frozen=True, kw_only=True):
    """base · 2^strikes seconds, at most `cap_seconds`; jitter only lengthens it, up to the cap.

    Strikes are forgiven once the lane has been open for `forgive_seconds` without another.
    """

    base_seconds: float = 60.0
    cap_seconds: float = 86_400.0
    forgive_seconds: float = 1_800.0
    jitter: float = 0.1

    def __post_init__(self) -> None:
        for name in ("base_seconds", "cap_seconds", "forgive_seconds"):
            value = getattr(self, name)
            if not (value >= 0 and math.isfinite(value)):
                raise InputError(f"{name} must be 0 or a positive number, got {value!r}")
        if not 0 <= self.jitter <= 1:
            raise InputError(f"jitter must be between 0 and 1, got {self.jitter!r}")

    def remembered(self, strikes: int, opened_at: float | None, now: float) -> int:
        """The strikes that still count; `opened_at` is when the last cool-down ended."""
        if opened_at is not None and now - opened_at >= self.forgive_seconds:
            return 0
        return strikes

    def strike(self, strikes: int, opened_at: float | None, now: float, random: Random) -> Strike:
        """One more strike against a lane that is open."""
        before = self.remembered(strikes, opened_at, now)
        try:
            seconds = min(math.ldexp(self.base_seconds, before), self.cap_seconds)
        except OverflowError:
            seconds = self.cap_seconds
        seconds = min(seconds * (1 + self.jitter * random.random()), self.cap_seconds)
        return Strike(before + 1, seconds)


def struck(
    curve: CoolDownCurve,
    lane: tuple[int, float | None, float | None],
    now: float,
    retry_after_seconds: float | None,
    random: Random,
) -> Strike:
    """The effect of a strike on a lane (its strikes, until when it cools, when they are forgiven).
    While the lane cools, another strike counts as part of the last one.
    """
    strikes, cool_until, forgiven_at = lane
    asked = max(retry_after_seconds or 0.0, 0.0)
    left = 0.0 if cool_until is None else cool_until - now
    if left > 0:
        return Strike(strikes, max(left, asked))
    opened_at = None if forgiven_at is None else forgiven_at - curve.forgive_seconds
    counted = curve.strike(strikes, opened_at, now, random)
    return counted._replace(seconds=asked) if asked else counted
