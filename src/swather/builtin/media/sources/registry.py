"""Sources by name: those that ship, those of installed packages, and those a scraper's file adds.

Code is never looked for by a name from a database or a target: a name selects among these.
"""

import logging
from collections.abc import Mapping
from difflib import get_close_matches
from functools import cache
from importlib import import_module
from importlib.metadata import EntryPoint, entry_points
from typing import Any, Final, TypeVar

from swather.builtin.media.sources.source import Source
from swather.errors import InputError, LoadError

ENTRY_POINTS: Final = "swather.media_sources"

# In the order in which they are asked.
_SHIPPED: Final = {
    "openverse": "Openverse",
    "wikimedia_commons": "WikimediaCommons",
    "internet_archive": "InternetArchive",
    "bing_images": "BingImages",
    "unsplash": "Unsplash",
    "pexels": "Pexels",
    "pixabay": "Pixabay",
    "flickr": "Flickr",
    "google_images": "GoogleImages",
    "yandex_images": "YandexImages",
}
_S = TypeVar("_S", bound=type[Source])
_log = logging.getLogger(__name__)
_told: Final[set[str]] = set()
_added: Final[dict[str, type[Source]]] = {}


def add_source(source: _S) -> _S:
    """Make a source known by its name, as a decorator above its class.

    One of the name of a source that ships replaces it in this process.
    """
    if not _is_source(source):
        raise InputError(f"{source!r} is not a subclass of Source with a name of its own")
    _added[source.name] = source
    return source


def names() -> tuple[str, ...]:
    """Every known source, in the order in which they are asked; none of them is loaded."""
    return tuple(dict.fromkeys([*_SHIPPED, *_added, *_points()]))


def source_named(name: str) -> type[Source]:
    """The source of a name; InputError suggests the nearest name there is."""
    if name in _added:
        return _added[name]
    if name in _SHIPPED:
        module = import_module(f"swather.builtin.media.sources.{name}")
        shipped: type[Source] = getattr(module, _SHIPPED[name])
        return shipped
    if (point := _points().get(name)) is not None:
        return _load(point)
    near = get_close_matches(name.lower().replace("-", "_"), names(), n=1, cutoff=0.5)
    hint = f"did you mean {near[0]!r}?" if near else f"there are {', '.join(names())}"
    raise InputError(f"no source is named {name!r}; {hint}")


def asked_by_default(environment: Mapping[str, str]) -> tuple[str, ...]:
    """The sources that are asked when none is named: those that are not experimental and whose
    key, if they need one, is set. An installed one that cannot be loaded is left out.
    """
    chosen = []
    for name in names():
        try:
            source = source_named(name)
        except LoadError as error:
            if name not in _told:
                _log.warning("skipping the installed source %r: %s", name, error)
                _told.add(name)
            continue
        if not source.experimental and (
            source.key_name is None or environment.get(source.key_name)
        ):
            chosen.append(name)
    return tuple(chosen)


@cache
def _points() -> dict[str, EntryPoint]:
    found: dict[str, EntryPoint] = {}
    for point in sorted(entry_points(group=ENTRY_POINTS), key=lambda point: point.name):
        # The first on the path wins, as for imports.
        found.setdefault(point.name, point)
    return found


def _load(point: EntryPoint) -> type[Source]:
    try:
        found = point.load()
    except Exception as error:
        raise LoadError(
            f"the source {point.name!r} cannot be loaded from {point.value}: "
            f"{type(error).__name__}: {error}"
        ) from error
    if not _is_source(found) or found.name != point.name:
        raise LoadError(f"{point.value} is not a subclass of Source named {point.name!r}")
    loaded: type[Source] = found
    return loaded


def _is_source(value: Any) -> bool:
    return isinstance(value, type) and issubclass(value, Source) and hasattr(value, "name")
