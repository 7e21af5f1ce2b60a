"""Items as an Excel workbook, through XlsxWriter, which is loaded only here.

Rows are streamed to a temporary file, so that a million of them need no memory. Texts are written
as texts: Excel runs no formula in them, not even when the cell is edited.
"""

import logging
import tempfile
from collections.abc import Iterable
from importlib import import_module
from pathlib import Path
from typing import IO, Any, Final

from swather.errors import InputError, MissingExtra
from swather.runs.csv_file import guarded
from swather.runs.table import row_of, text_of
from swather.runs.words import count

MAX_ROWS: Final = 1_048_576
MAX_COLUMNS: Final = 16_384
MAX_CHARACTERS: Final = 32_767
# Excel's numbers have 15 digits.
_EXACT: Final = 10**15

_log = logging.getLogger(__name__)


def load_xlsxwriter() -> Any:
    """The module, or MissingExtra with the command to install it."""
    try:
        return import_module("xlsxwriter")
    except ImportError as error:
        raise MissingExtra(
            "Excel needs an optional package: pip install 'swather[xlsx]'"
        ) from error


def write_xlsx(
    items: Iterable[Any],
    columns: list[str],
    stream: IO[bytes],
    *,
    folder: Path | None = None,
    max_rows: int = MAX_ROWS,
) -> None:
    """A header and a row per item; rows that do not fit go to further sheets."""
    if len(columns) > MAX_COLUMNS:
        raise InputError(
            f"the items have {len(columns):,} columns; an Excel sheet has at most {MAX_COLUMNS:,}; "
            "write .csv or .parquet instead"
        )
    writer = load_xlsxwriter()
    with tempfile.TemporaryDirectory(prefix=".swather-export-", dir=folder) as scratch:
        book = writer.Workbook(stream, {"constant_memory": True, "tmpdir": scratch})
        book.use_zip64()
        sheets = _Sheets(book, columns, max_rows)
        for item in items:
            sheets.add(row_of(item))
        book.close()
    if sheets.cut:
        _log.warning(
            "%s cut to the %s characters that an Excel cell holds; "
            ".csv and .parquet have the whole text",
            count(sheets.cut, "text was", "texts were"),
            f"{MAX_CHARACTERS:,}",
        )


class _Sheets:
    """The sheets of a workbook, each with the header; `cut` counts texts that did not fit."""

    def __init__(self, book: Any, columns: list[str], max_rows: int) -> None:
        self._book = book
        self._columns = columns
        self._max_rows = max_rows
        self._bold = book.add_format({"bold": True})
        # What an apostrophe in front of a cell means to Excel; the text stays as it is.
        self._as_text = book.add_format({"quote_prefix": True})
        self.cut = 0
        self._number = 0
        self._begin()

    def add(self, row: dict[str, Any]) -> None:
        if self._row == self._max_rows:
            self._begin()
        for column, name in enumerate(self._columns):
            self._write(column, row.get(name))
        self._row += 1

    def _begin(self) -> None:
        self._number += 1
        name = "items" if self._number == 1 else f"items {self._number}"
        self._sheet = self._book.add_worksheet(name)
        self._sheet.freeze_panes(1, 0)
        for column, title in enumerate(self._columns):
            self._sheet.write_string(0, column, self._fitting(title), self._bold)
        self._row = 1

    def _write(self, column: int, value: Any) -> None:
        match value:
            case None:
                return
            case bool():
                self._sheet.write_boolean(self._row, column, value)
            case int() | float() if abs(value) < _EXACT or isinstance(value, float):
                self._sheet.write_number(self._row, column, value)
            case _:
                text = self._fitting(text_of(value))
                style = self._as_text if guarded(text) != text else None
                self._sheet.write_string(self._row, column, text, style)

    def _fitting(self, text: str) -> str:
        # Excel counts in UTF-16, in which a character takes one unit or two.
        if 2 * len(text) <= MAX_CHARACTERS:
            return text
        data = text.encode("utf-16-le")
        if len(data) <= 2 * MAX_CHARACTERS:
            return text
        self.cut += 1
        return data[: 2 * (MAX_CHARACTERS - 1)].decode("utf-16-le", errors="ignore") + "…"
