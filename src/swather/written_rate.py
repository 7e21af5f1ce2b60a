"""A rate as people write it: '5/s', '30/min', '1000/h', '1/2s'."""

import re
from typing import Final

MOST_PER_SECOND: Final = 1_000_000
# Ten years; a time that is much further away is none that databases and Python know.
_LONGEST_SECONDS: Final = 3_660 * 86_400.0
_UNITS: Final = {"s": 1.0, "m": 60.0, "min": 60.0, "h": 3600.0, "d": 86400.0}
_RATE: Final = re.compile(r"\s*(\d+(?:\.\d+)?)\s*/\s*(\d+(?:\.\d+)?)?\s*(s|min|m|h|d)\s*")

EXAMPLES: Final = "'5/s', '30/min' or '1/2s'"
BOUNDS: Final = f"at most {MOST_PER_SECOND:,}/s and at least one in ten years"


def seconds_between(rate: str) -> float | None:
    """Seconds between starts; None for what is no rate, and for a rate of zero."""
    match = _RATE.fullmatch(rate)
    if match is None:
        return None
    number, length = float(match[1]), float(match[2] or 1)
    # What is too small for a float counts as zero, and what is too large as endless.
    return length * _UNITS[match[3]] / number if number and length else None


def is_in_bounds(seconds: float) -> bool:
    return 1 / MOST_PER_SECOND <= seconds <= _LONGEST_SECONDS
