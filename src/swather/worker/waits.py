"""What a running attempt may wait for; see Attempt.stop_clock."""

from collections.abc import Mapping
from typing import Final

OTHER: Final = "other"
WAITS: Final = frozenset(
    {
        "its lane", "robots.txt", "the database", "an egress", "its proxy",
        "a page of the browser", "the storage for files", "its child process to start",
    }
)  # fmt: skip


def by_wait(found: Mapping[str, float]) -> dict[str, float]:
    """All that there are, with 0 where nothing waits; what is not known is 'other'."""
    sums = dict.fromkeys(sorted(WAITS), 0.0)
    for what, number in found.items():
        known = what if what in WAITS else OTHER
        sums[known] = sums.get(known, 0.0) + number
    return sums
