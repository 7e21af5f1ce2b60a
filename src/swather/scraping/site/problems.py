"""What is wrong in a site file: each mistake with its line."""

import re
from collections.abc import Iterable
from difflib import get_close_matches
from typing import Any, Final

from swather.errors import BadSite
from swather.scraping.site.lines import Place, lines_of, nearest
from swather.visible import visible

MAX_SAID: Final = 20
_MAX_VALUE_CHARACTERS: Final = 80
_BARE: Final = re.compile(r"[A-Za-z0-9_\-]+")


class Problems:
    """Collects the mistakes of one file; `name` is how people call it."""

    def __init__(self, name: str, text: str) -> None:
        self._name = name
        self._text = text
        self._lines: dict[Place, int] | None = None
        self._found: list[tuple[int, str]] = []

    def add(self, place: Place, message: str) -> None:
        if self._lines is None:
            self._lines = lines_of(self._text)
        where = f"{written(place)}: " if place else ""
        self._found.append((nearest(self._lines, place), f"{where}{message}"))

    def add_line(self, line: int, message: str) -> None:
        self._found.append((line, message))

    @property
    def count(self) -> int:
        return len(self._found)

    def raise_any(self) -> None:
        """BadSite that lists the mistakes in the order of their lines."""
        if not self._found:
            return
        said = [f"{self._name}:{line}: {text}" for line, text in sorted(self._found)]
        if len(said) > MAX_SAID:
            said[MAX_SAID:] = [f"… and {len(said) - MAX_SAID} more"]
        raise BadSite("\n".join(said))


def written(place: Place) -> str:
    """A place as people write it: fields.price[1].css."""
    parts = []
    for step in place:
        if isinstance(step, int):
            parts.append(f"[{step + 1}]")
            continue
        key = step if _BARE.fullmatch(step) else repr(visible(step))
        parts.append(f".{key}" if parts else key)
    return "".join(parts)


def shown(value: Any) -> str:
    """A value of the file, short and harmless."""
    text = visible(repr(value))
    return text if len(text) <= _MAX_VALUE_CHARACTERS else f"{text[:_MAX_VALUE_CHARACTERS]}…"


def instead_of(name: str, known: Iterable[str]) -> str:
    """What to write in place of an unknown name."""
    allowed = list(known)
    near = get_close_matches(name, allowed, n=1)
    hint = f"; did you mean {near[0]!r}?" if near else ""
    return f"expected one of {', '.join(allowed)}{hint}"
