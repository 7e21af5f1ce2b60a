"""Excel workbooks: types kept, formulas never run, what does not fit said aloud."""

import io
import logging
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import openpyxl
import pytest

from swather.errors import InputError
from swather.runs.xlsx_file import MAX_CHARACTERS, MAX_COLUMNS, write_xlsx


def written(items: list[Any], columns: list[str], **given: Any) -> openpyxl.Workbook:
    stream = io.BytesIO()
    write_xlsx(items, columns, stream, **given)
    return openpyxl.load_workbook(stream)


def test_cells_have_the_type_of_what_they_hold():
    items = [
        {"n": 1, "x": 0.5, "b": True, "t": "a", "deep": {"a": [1]}, "big": 2**70, "none": None},
        {"n": -(10**14), "t": "1", "deep": []},
    ]
    book = written(items, ["n", "x", "b", "t", "deep", "big", "none"])
    header, first, second = book["items"].iter_rows(values_only=True)
    assert header == ("n", "x", "b", "t", "deep", "big", "none")
    assert first == (1, 0.5, True, "a", '{"a":[1]}', str(2**70), None)
    assert second == (-(10**14), None, None, "1", "[]", None, None)


@pytest.mark.parametrize("text", ["=1+1", "+1+1", "-1+1", "@SUM(1)", "\t=1", "=cmd|' /C calc'!A0"])
def test_a_text_that_looks_like_a_formula_stays_a_text(text):
    book = written([{"a": text}], ["a", "=b"])
    cell = book["items"]["A2"]
    assert (cell.value, cell.data_type, cell.quotePrefix) == (text, "s", True)
    assert book["items"]["B1"].data_type == "s"


def test_links_and_numbers_in_texts_stay_texts():
    book = written([{"a": "http://shop.example/"}, {"a": "007"}], ["a"])
    assert [row[0].value for row in book["items"].iter_rows(min_row=2)] == [
        "http://shop.example/",
        "007",
    ]
    assert book["items"]["A2"].hyperlink is None


def test_rows_beyond_a_sheet_go_to_the_next_with_its_own_header():
    book = written([{"n": n} for n in range(5)], ["n"], max_rows=3)
    sheets = [[row[0] for row in sheet.iter_rows(values_only=True)] for sheet in book]
    assert book.sheetnames == ["items", "items 2", "items 3"]
    assert sheets == [["n", 0, 1], ["n", 2, 3], ["n", 4]]


def test_a_text_too_long_for_a_cell_is_cut_and_said(caplog: pytest.LogCaptureFixture):
    texts = ["a" * MAX_CHARACTERS, "b" * (MAX_CHARACTERS + 1), "\U0001f600" * MAX_CHARACTERS]
    with caplog.at_level(logging.WARNING):
        book = written([{"a": text} for text in texts], ["a"])
    whole, cut, wide = (row[0].value for row in book["items"].iter_rows(min_row=2))
    assert whole == texts[0]
    assert cut == "b" * (MAX_CHARACTERS - 1) + "…"
    assert len(wide.encode("utf-16-le")) <= 2 * MAX_CHARACTERS
    assert "2 texts were cut to the 32,767 characters" in caplog.text


def test_more_columns_than_a_sheet_has_are_refused():
    with pytest.raises(InputError, match=r"16,385 columns.*write \.csv or \.parquet"):
        written([], [str(n) for n in range(MAX_COLUMNS + 1)])


def test_control_characters_leave_the_file_whole_and_nothing_else_behind(tmp_path: Path):
    with (tmp_path / "x.xlsx").open("wb") as stream:
        write_xlsx([{"a": "x\x00\x1b[31m\ufffe"}], ["a"], stream, folder=tmp_path)
    assert ZipFile(tmp_path / "x.xlsx").testzip() is None
    openpyxl.load_workbook(tmp_path / "x.xlsx")
    assert [path.name for path in tmp_path.iterdir()] == ["x.xlsx"]
