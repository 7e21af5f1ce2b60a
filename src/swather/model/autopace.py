"""A learned pace: it aims at a number of concurrent requests; failures slow it down."""

import math
from typing import Final

import msgspec

from swather.errors import InputError

_SLOWER: Final = 1.5
# The interval that a failure sets on a lane that had none.
_FIRST_SECONDS: Final = 0.1


class AutoPace(msgspec.Struct, frozen=True, kw_only=True):
    """Aims at `concurrency` requests at a time: an interval of latency / concurrency."""

    concurrency: float = 1.0
    min_seconds: float = 0.0
    max_seconds: float = 60.0

    def __post_init__(self) -> None:
        if not (self.concurrency > 0 and math.isfinite(self.concurrency)):
            raise InputError(f"concurrency must be a positive number, got {self.concurrency!r}")
        if not (0 <= self.min_seconds <= self.max_seconds and math.isfinite(self.max_seconds)):
            raise InputError(
                "min_seconds and max_seconds must be positive numbers in this order, "
                f"got {self.min_seconds!r} and {self.max_seconds!r}"
            )

    def next_every(self, old: float | None, latency_seconds: float, failed: bool) -> float:
        """The interval after a response with this latency; `old` is None when nothing is known yet.

        A failure never lowers it: an error page is often quick.
        """
        aim = latency_seconds / self.concurrency
        new = aim if old is None else (old + aim) / 2
        if failed:
            new = max(new, _SLOWER * (old or _FIRST_SECONDS))
        new = min(max(new, self.min_seconds), self.max_seconds)
        return max(new, old) if failed and old is not None else new
