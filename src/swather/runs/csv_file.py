"""Items as CSV that a spreadsheet opens without running what a web page put into it.

A spreadsheet splits cells by the user's locale: where the comma is the decimal point it splits at
semicolons, and quotes inside a cell then mean nothing. So a formula is made harmless wherever a
cell could begin, even in the middle of ours.
"""

import io
import re
from collections.abc import Callable, Iterable, Iterator
from typing import IO, Any, Final

from swather.runs.table import row_of, text_of

# What begins a formula, in both widths, and what may precede it.
_FORMULA: Final = "[=+@\uff1d\uff0b\uff0d\uff20-]"
_UNNOTICED: Final = r"[^\S\r\n]|[\0-\x08\x0e-\x1f\x7f-\x9f\ufeff]"
_RUNS: Final = re.compile(rf"[\t\r\n]|(?:{_UNNOTICED})*{_FORMULA}")
# Not the comma: split at commas, the file has the cells that we wrote. A gap is matched as a whole
# (`*+`): to search from each of many tabs would take hours.
_GAP: Final = re.compile(rf"[;|\t\r\n](?:{_UNNOTICED}|[;|\r\n\"])*+")
_BEGINS_FORMULA: Final = re.compile(_FORMULA)
_NUMBER: Final = re.compile(r"[+-]?(\d+([.,]\d+)*|[.,]\d+)([eE][+-]?\d+)?%?")
_PHONE: Final = re.compile(r"\+[\d ()./-]*\d")
# Anything else is quoted: a number before it, as in `-5,"1+A1"`, makes no formula then.
_NEEDS_NO_QUOTES: Final = re.compile(r"[\w .]*")


def write_csv(
    items: Iterable[Any], columns: list[str], stream: IO[bytes], *, raw: bool = False
) -> None:
    """A header and a row per item; nested values are JSON. A would-be formula gets an apostrophe in
    front, unless `raw`.
    """
    guard: Callable[[str], str] = str if raw else guarded
    text = io.TextIOWrapper(stream, encoding="utf-8", newline="", write_through=False)
    if columns:
        text.write(_line([guard(name) for name in columns]))
        text.writelines(map(_line, _rows(items, columns, guard)))
    text.flush()
    text.detach()


def guarded(cell: str) -> str:
    """The cell, with an apostrophe wherever a spreadsheet would see a formula. Plain numbers and
    phone numbers stay as they are.
    """
    cell = _GAP.sub(_guarded_gap, cell)
    if _RUNS.match(cell) is None or _NUMBER.fullmatch(cell) or _PHONE.fullmatch(cell):
        return cell
    return f"'{cell}"


def _guarded_gap(found: re.Match[str]) -> str:
    """What separates two texts, with an apostrophe wherever the second would begin a cell."""
    gap = found[0]
    if _BEGINS_FORMULA.match(found.string, found.end()) is None:
        return gap
    # A tab separates too, or is a space before the formula: as the reader has it.
    last = max(0, *map(gap.rfind, ";|\r\n"))
    return gap[:last] + re.sub(r"[;|\t\r\n]", r"\g<0>'", gap[last:])


def _rows(
    items: Iterable[Any], columns: list[str], guard: Callable[[str], str]
) -> Iterator[list[str]]:
    for item in items:
        row = row_of(item)
        yield [_cell(row.get(name), guard) for name in columns]


def _cell(value: Any, guard: Callable[[str], str]) -> str:
    if value is None:
        return ""
    return guard(text_of(value))


def _line(cells: list[str]) -> str:
    if cells == [""]:
        return '""\n'  # an empty line would be no row
    return ",".join(map(_quoted, cells)) + "\n"


def _quoted(cell: str) -> str:
    if _NEEDS_NO_QUOTES.fullmatch(cell) or (_NUMBER.fullmatch(cell) and "," not in cell):
        return cell
    return '"{}"'.format(cell.replace('"', '""'))
