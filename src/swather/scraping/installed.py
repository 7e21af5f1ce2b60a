"""Installed scrapers: the entry points that packages declare."""

from importlib.metadata import EntryPoint, entry_points
from typing import Final

ENTRY_POINTS: Final = "swather.scrapers"


def points() -> dict[str, EntryPoint]:
    """By name; none of them is loaded."""
    found: dict[str, EntryPoint] = {}
    for point in sorted(entry_points(group=ENTRY_POINTS), key=lambda point: point.name):
        # The first on the path wins, as for imports.
        found.setdefault(point.name, point)
    return found
