"""Finds the lines of a TOML text: where each key and each element of an array stands."""

import re
from collections.abc import Iterator
from typing import Final

# A place in a document: keys, and numbers of elements.
Place = tuple[str | int, ...]

_BLANK: Final = re.compile(r"(?:[ \t\r\n]|#[^\n]*)*")
_SPACE: Final = re.compile(r"[ \t]*")
_BARE: Final = re.compile(r"[A-Za-z0-9_\-]+")
_SIMPLE: Final = re.compile(r"[^,\]}\n#]*")
_ESCAPE: Final = re.compile(r"\\(?:u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|(.))", re.DOTALL)
_ESCAPED: Final = {"b": "\b", "t": "\t", "n": "\n", "f": "\f", "r": "\r", "e": "\x1b"}


def lines_of(text: str) -> dict[Place, int]:
    """The line of every place of a text that is TOML, counted from 1."""
    return _Scanner(text.replace("\r\n", "\n")).lines()


def nearest(lines: dict[Place, int], place: Place) -> int:
    """The line of a place, or of the innermost known one around it."""
    while place and place not in lines:
        place = place[:-1]
    return lines.get(place, 1)


class _Scanner:
    """Reads what tomllib has accepted, so that it need not look for mistakes."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._at = 0
        self._line = 1
        self._counted_to = 0
        self._found: dict[Place, int] = {}
        self._counts: dict[Place, int] = {}

    def lines(self) -> dict[Place, int]:
        table: Place = ()
        while True:
            self._skip(_BLANK)
            if self._at >= len(self._text):
                return self._found
            if self._is_next("["):
                table = self._header()
            else:
                self._pair(table)

    def _header(self) -> Place:
        is_element = self._is_next("[[")
        self._at += 2 if is_element else 1
        keys = list(self._keys())
        table = self._resolved(keys[:-1])
        table = (*table, keys[-1])
        if is_element:
            number = self._counts.get(table, 0)
            self._counts[table] = number + 1
            self._mark(table)
            table = (*table, number)
        elif self._counts.get(table):
            table = (*table, self._counts[table] - 1)
        self._mark(table)
        self._at += 2 if is_element else 1
        return table

    def _resolved(self, keys: list[str]) -> Place:
        """The place of a table whose parents may be elements of arrays: the last ones so far."""
        place: Place = ()
        for key in keys:
            place = (*place, key)
            if count := self._counts.get(place):
                place = (*place, count - 1)
        return place

    def _pair(self, table: Place) -> None:
        place = table
        for key in self._keys():
            place = (*place, key)
            self._mark(place)
        self._at += 1
        self._value(place)

    def _keys(self) -> Iterator[str]:
        while True:
            self._skip(_SPACE)
            if self._is_next('"') or self._is_next("'"):
                yield self._string()
            else:
                start = self._at
                self._skip(_BARE)
                if self._at == start:
                    self._at += 1
                yield self._text[start : self._at]
            self._skip(_SPACE)
            if not self._is_next("."):
                return
            self._at += 1

    def _value(self, place: Place) -> None:
        self._skip(_SPACE)
        if self._is_next('"') or self._is_next("'"):
            self._string()
        elif self._is_next("["):
            self._array(place)
        elif self._is_next("{"):
            self._inline(place)
        else:
            self._skip(_SIMPLE)

    def _array(self, place: Place) -> None:
        self._at += 1
        number = 0
        while self._at < len(self._text):
            self._skip(_BLANK)
            if self._is_next("]"):
                break
            if self._is_next(","):
                self._at += 1
                continue
            self._mark((*place, number))
            before = self._at
            self._value((*place, number))
            self._at = max(self._at, before + 1)
            number += 1
        self._at += 1

    def _inline(self, place: Place) -> None:
        self._at += 1
        while self._at < len(self._text):
            self._skip(_BLANK)
            if self._is_next("}"):
                break
            if self._is_next(","):
                self._at += 1
                continue
            self._pair(place)
        self._at += 1

    def _string(self) -> str:
        quote = self._text[self._at]
        if self._is_next(quote * 3):
            end = self._end_of(quote, 3)
            self._at = end + 3
            return ""
        start = self._at + 1
        end = self._end_of(quote, 1)
        self._at = end + 1
        inside = self._text[start:end]
        return _ESCAPE.sub(_unescaped, inside) if quote == '"' else inside

    def _end_of(self, quote: str, count: int) -> int:
        """Where the closing quotes begin."""
        at = self._at + count
        while at < len(self._text):
            if quote == '"' and self._text[at] == "\\":
                at += 2
                continue
            if self._text.startswith(quote * count, at):
                # Up to two quotes may stand right before the closing ones.
                while count == 3 and self._text.startswith(quote, at + count):
                    at += 1
                return at
            at += 1
        return at

    def _skip(self, pattern: re.Pattern[str]) -> None:
        found = pattern.match(self._text, self._at)
        self._at = self._at if found is None else found.end()

    def _is_next(self, text: str) -> bool:
        return self._text.startswith(text, self._at)

    def _mark(self, place: Place) -> None:
        self._line += self._text.count("\n", self._counted_to, self._at)
        self._counted_to = max(self._at, self._counted_to)
        self._found.setdefault(place, self._line)


def _unescaped(found: re.Match[str]) -> str:
    code = found[1] or found[2]
    if code:
        return chr(int(code, 16))
    return _ESCAPED.get(found[3], found[3])
