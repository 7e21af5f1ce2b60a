"""Installed scrapers: the entry points that packages declare."""

import sys
from collections.abc import Callable, Iterable
from functools import cache
from importlib.metadata import EntryPoint, entry_points
from typing import Final

ENTRY_POINTS: Final = "swather.scrapers"


def points() -> dict[str, EntryPoint]:
    """By name; none of them is loaded."""
    return dict(_read(entry_points, tuple(sys.path)))


@cache
def _read(
    read: Callable[..., Iterable[EntryPoint]], _path: tuple[str, ...]
) -> dict[str, EntryPoint]:
    """Looking through all packages takes most of the time that a page of the dashboard takes; they
    do not change while a process runs, except where its path does.
    """
    found: dict[str, EntryPoint] = {}
    for point in sorted(read(group=ENTRY_POINTS), key=lambda point: point.name):
        # The first on the path wins, as for imports.
        found.setdefault(point.name, point)
    return found
