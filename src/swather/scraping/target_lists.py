"""Lists of targets that packages bring, by name: what a site file may ask for with `targets`."""

from collections.abc import Callable, Iterable
from importlib.metadata import EntryPoint, entry_points
from typing import Any, Final, NamedTuple

from swather.errors import LoadError

ENTRY_POINTS: Final = "swather.target_lists"


class TargetList(NamedTuple):
    """Targets, and the type of the params that choose among them, which become options of the
    commands that take the scraper.
    """

    params: type
    targets: Callable[[Any], Iterable[Any]]


def names() -> list[str]:
    return sorted(_points())


def load(name: str) -> TargetList:
    """LoadError if it is none."""
    found = _points()[name].load()
    if not isinstance(found, TargetList):
        raise LoadError(f"{_points()[name].value} is no list of targets but {found!r}")
    return found


def _points() -> dict[str, EntryPoint]:
    return {point.name: point for point in entry_points(group=ENTRY_POINTS)}
