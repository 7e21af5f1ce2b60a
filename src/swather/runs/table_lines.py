"""The rows of a CSV file, with the line each begins on and what is wrong with the bad ones."""

import csv
import re
from collections.abc import Iterable, Iterator
from contextlib import suppress
from itertools import chain, islice
from typing import Final, NamedTuple

from swather.runs.lines import MAX_LINE_BYTES

_DELIMITERS: Final = ",;\t"
_DECLARED: Final = re.compile("sep=([,;|\t])", re.IGNORECASE)
_ENOUGH_ALIKE: Final = 0.5
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


def rows(lines: Iterable[tuple[int, bytes | None]], *, sample: int = 20) -> Iterator[Row | BadRow]:
    """All rows that are not empty, the header first; `sample`: how many lines may be read ahead."""
    texts = _texts(lines)
    first = list(islice(texts, sample))
    if not first:
        return
    delimiter, declared = _delimiter(first)
    reader = csv.reader(chain(first[declared:], texts), delimiter=delimiter, strict=True)
    while True:
        number = reader.line_num + 1 + declared
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


def _delimiter(sample: list[str]) -> tuple[str, int]:
    """The delimiter, and how many lines only declare it: one that Excel writes, 'sep=;'."""
    if declared := _DECLARED.fullmatch(sample[0].strip()):
        return declared[1], 1
    widths = {delimiter: _widths(sample, delimiter) for delimiter in _DELIMITERS}
    # One that splits the first row and most others alike, into the most cells.
    alike = {name: found.count(found[0]) / len(found) for name, found in widths.items() if found}
    fitting = [name for name in alike if widths[name][0] > 1 and alike[name] >= _ENOUGH_ALIKE]
    if fitting:
        return max(fitting, key=lambda name: (alike[name], widths[name][0])), 0
    return max(_DELIMITERS, key=sample[0].count), 0


def _widths(sample: list[str], delimiter: str) -> list[int]:
    """Of the rows that can be read: the last one may be cut off."""
    widths: list[int] = []
    reader = csv.reader(sample, delimiter=delimiter)
    with suppress(csv.Error):
        widths.extend(len(cells) for cells in reader if any(cell.strip() for cell in cells))
    return widths


def _texts(lines: Iterable[tuple[int, bytes | None]]) -> Iterator[str]:
    """Every line, so that the reader's line numbers hold; what is wrong with it stays in it."""
    for _, raw in lines:
        yield _TOO_LONG + "\n" if raw is None else raw.decode(errors="surrogateescape") + "\n"


def _wrong_with(text: str) -> str | None:
    if "\0" in text:
        return "contains a NUL character"
    if text.isascii():
        return None
    if _TOO_LONG in text:
        return f"longer than {MAX_LINE_BYTES:,} bytes"
    return "is not UTF-8 (save the file as UTF-8)" if _UNDECODABLE.search(text) else None
