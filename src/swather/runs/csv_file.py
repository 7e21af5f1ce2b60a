"""Items as CSV that a spreadsheet opens without running what a web page put into it."""

import csv
import io
import re
from collections.abc import Callable, Iterable, Iterator
from typing import IO, Any, Final

from swather.runs.table import json_text, row_of

_RUNS_AS_FORMULA: Final = ("=", "+", "-", "@", "\t", "\r")
_NUMBER: Final = re.compile(r"[+-]?(\d+([.,]\d+)*|[.,]\d+)([eE][+-]?\d+)?%?")
_PHONE: Final = re.compile(r"\+[\d\s()./-]*\d")


def write_csv(
    items: Iterable[Any], columns: list[str], stream: IO[bytes], *, raw: bool = False
) -> None:
    """A header and a row per item; nested values are JSON. Cells that a spreadsheet would take for
    a formula get a quote in front, unless `raw`.
    """
    guard: Callable[[str], str] = str if raw else guarded
    text = io.TextIOWrapper(stream, encoding="utf-8", newline="", write_through=False)
    writer = csv.writer(text, lineterminator="\n")
    if columns:
        writer.writerow([guard(name) for name in columns])
        writer.writerows(_rows(items, columns, guard))
    text.flush()
    text.detach()


def guarded(cell: str) -> str:
    """The cell, with a quote in front when a spreadsheet would run it."""
    if not cell.startswith(_RUNS_AS_FORMULA):
        return cell
    if _NUMBER.fullmatch(cell) or _PHONE.fullmatch(cell):
        return cell
    return f"'{cell}"


def _rows(
    items: Iterable[Any], columns: list[str], guard: Callable[[str], str]
) -> Iterator[list[str]]:
    for item in items:
        row = row_of(item)
        yield [_cell(row.get(name), guard) for name in columns]


def _cell(value: Any, guard: Callable[[str], str]) -> str:
    if value is None:
        return ""
    return guard(value) if isinstance(value, str) else json_text(value)
