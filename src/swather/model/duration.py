"""A length of time as people write and read it: '90s', '15m', '2h', '30d'."""

import re
from typing import Final

_UNITS: Final = {"": 1.0, "s": 1.0, "m": 60.0, "min": 60.0, "h": 3_600.0, "d": 86_400.0}
_SHOWN: Final = (("d", 86_400), ("h", 3_600), ("m", 60), ("s", 1))
_DURATION: Final = re.compile(r"\s*(\d+(?:\.\d+)?)\s*(s|min|m|h|d|)\s*")


def parse_duration(text: str) -> float | None:
    """Seconds; None for anything else. A number without a unit is in seconds."""
    match = _DURATION.fullmatch(text)
    return None if match is None else float(match[1]) * _UNITS[match[2]]


def duration(seconds: float) -> str:
    """'2h 15m', '48s', '0.4s': the two largest units."""
    if seconds < 10:
        return f"{max(seconds, 0):.1f}s"
    left = round(seconds)
    parts = []
    for unit, size in _SHOWN:
        count, left = divmod(left, size)
        if count:
            parts.append(f"{count}{unit}")
        elif parts:
            break
    return " ".join(parts[:2])
