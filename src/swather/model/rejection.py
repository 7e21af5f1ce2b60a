"""Rejections: rows that a scraper leaves out of the results, counted by reason."""

from collections.abc import Iterable, Mapping
from typing import Any, Final

import msgspec

from swather.errors import InputError
from swather.visible import visible_line

# Reasons can come from a site: neither their number nor their length is left to it.
MAX_REASONS: Final = 50
MAX_REASON_CHARACTERS: Final = 60
MAX_SHOWN: Final = 5
OTHER: Final = "other"
REJECTED_PREFIX: Final = "rejected:"


class Rejections(msgspec.Struct, frozen=True):
    """How many rows were left out for one reason."""

    reason: str
    count: int


def add_rejections(counts: dict[str, int], reason: str, count: int) -> None:
    """Add to the counts of one task; from the 51st reason on, under 'other'."""
    if not count:
        return
    reason = checked_reason(reason)
    if reason not in counts and len(counts) >= MAX_REASONS - 1:
        reason = OTHER
    counts[reason] = counts.get(reason, 0) + count


def checked_reason(reason: Any) -> str:
    """A reason as it is stored: one line of bounded length; InputError if it is none."""
    if not isinstance(reason, str) or not reason.strip():
        raise InputError(f"reject takes a reason such as 'no_phone', got {reason!r}")
    line = " ".join(visible_line(reason.encode("utf-8", "replace").decode()).split())
    return line if len(line) <= MAX_REASON_CHARACTERS else f"{line[: MAX_REASON_CHARACTERS - 1]}…"


def top_reasons(counts: Mapping[str, int]) -> list[tuple[str, int]]:
    """The most frequent ones, and what the rest of the reasons add up to."""
    found = list(shown_reasons(counts))
    if len(found) <= MAX_SHOWN:
        return found
    rest = found[MAX_SHOWN:]
    label = f"for {len(rest)} further reason{'s' if len(rest) > 1 else ''}"
    return [*found[:MAX_SHOWN], (label, sum(n for _, n in rest))]


def shown_reasons(counts: Mapping[str, int]) -> Iterable[tuple[str, int]]:
    """The most frequent first."""
    return sorted(counts.items(), key=lambda pair: (-pair[1], pair[0]))
