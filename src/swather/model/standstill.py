"""When nothing has ended for too long to be chance."""

from typing import Final

_AT_LEAST_SECONDS: Final = 2.0
# As a multiple of how long a target takes, and of the time from one end to the next.
_DURATIONS: Final = 5
_INTERVALS: Final = 10


def standstill_seconds(average_seconds: float, rate_per_second: float) -> float:
    """How long nothing may end where targets take so long, and have ended at such a rate."""
    interval = 1 / rate_per_second if rate_per_second else 0.0
    return max(_AT_LEAST_SECONDS, _DURATIONS * average_seconds, _INTERVALS * interval)
