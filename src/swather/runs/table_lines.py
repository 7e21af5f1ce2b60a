"""The rows of a CSV file, with the line each begins on and what is wrong with the bad ones."""

import csv
import re
from collections.abc import Iterable, Iterator
from typing import Any, Final, NamedTuple

from swather.errors import InputError
from swather.runs.lines import MAX_LINE_BYTES

_DELIMITERS: Final = ",;\t"
# A lone surrogate that no undecodable byte becomes (those are U+DC80 to U+DCFF).
_TOO_LONG: Final = "\udfff"
_UNDECODABLE: Final = re.compile("[\udc80-\udcff]")


class Row(NamedTuple):
    """The cells of a row and the number of its first line."""

    number: int
    cells: list[str]


class BadRow(NamedTuple):
    """A row that cannot be read, and why."""

    number: int
    reason: str


class Header:
    """The first row: which cells of the others make a target and its key."""

    def __init__(self, source: str, names: list[str], column: str | None, key: str | None) -> None:
        self._names = [name.strip() for name in names]
        if column is None and len(set(self._names)) < len(self._names):
            twice = next(name for name in self._names if self._names.count(name) > 1)
            raise InputError(f"{source} has two columns named {twice!r}; name one with --column")
        self._column = None if column is None else self._index_of(source, column)
        self._key = None if key is None else self._index_of(source, key)

    def target(self, cells: list[str]) -> tuple[Any, str | None]:
        if len(cells) != len(self._names):
            raise InputError(f"has {len(cells)} cells, the header has {len(self._names)}")
        return self._value(cells), None if self._key is None else self._cell(cells, self._key)

    def _value(self, cells: list[str]) -> Any:
        if self._column is not None:
            return self._cell(cells, self._column)
        if len(cells) == 1:
            return cells[0].strip()
        return dict(zip(self._names, cells, strict=True))

    def _cell(self, cells: list[str], index: int) -> str:
        cell = cells[index].strip()
        if not cell:
            raise InputError(f"column {self._names[index]!r} is empty")
        return cell

    def _index_of(self, source: str, name: str) -> int:
        if name not in self._names:
            raise InputError(
                f"{source} has no column {name!r}; its columns are {', '.join(self._names)}"
            )
        return self._names.index(name)


def rows(lines: Iterable[tuple[int, bytes | None]]) -> Iterator[Row | BadRow]:
    """All rows that are not empty, the header first."""
    texts = _texts(lines)
    first = next(texts, None)
    if first is None:
        return
    delimiter = max(_DELIMITERS, key=first.count)
    reader = csv.reader(_again(first, texts), delimiter=delimiter, strict=True)
    while True:
        number = reader.line_num + 1
        try:
            cells = next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            yield BadRow(number, f"is not CSV: {error} (a quote that is never closed?)")
            continue
        if reason := _wrong_with("".join(cells)):
            yield BadRow(number, reason)
        elif any(cell.strip() for cell in cells):
            yield Row(number, cells)


def _texts(lines: Iterable[tuple[int, bytes | None]]) -> Iterator[str]:
    """Every line, so that the reader's line numbers hold; what is wrong with it stays in it."""
    for _, raw in lines:
        yield _TOO_LONG + "\n" if raw is None else raw.decode(errors="surrogateescape") + "\n"


def _again(first: str, rest: Iterator[str]) -> Iterator[str]:
    yield first
    yield from rest


def _wrong_with(text: str) -> str | None:
    if "\0" in text:
        return "contains a NUL character"
    if text.isascii():
        return None
    if _TOO_LONG in text:
        return f"longer than {MAX_LINE_BYTES:,} bytes"
    return "is not UTF-8" if _UNDECODABLE.search(text) else None
