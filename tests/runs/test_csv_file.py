"""CSV in which no spreadsheet finds a formula, whatever it takes for a separator."""

import csv
import io
import json
import re
import time
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from swather.runs.csv_file import guarded, write_csv

FORMULA = "=+-@\uff1d\uff0b\uff0d\uff20"
DDE = "=cmd|' /C calc'!A0"
NUMBER = r"[+-]?[\d.,]+(e[+-]?\d+)?%?"
PHONE = r"\+[\d ()./-]+"
# A number is inert, and stays so before cells that cannot continue it: a text in quotes follows no
# number in a formula.
INERT = re.compile(rf'({NUMBER}|{PHONE})(,({NUMBER}|[\w .]*|"([^"]|"")*"?))*"?', re.IGNORECASE)


def written(rows: list[dict[str, Any]], columns: list[str], *, raw: bool = False) -> str:
    stream = io.BytesIO()
    write_csv(rows, columns, stream, raw=raw)
    return stream.getvalue().decode()


def fields(text: str, delimiter: str) -> list[str]:
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter)
    return [field for row in reader for field in row]


@pytest.mark.parametrize(
    "cell",
    ["=1+1", "@SUM(A1)", "+cmd|' /C calc'!A0", "-2+3+cmd", "=", "-", "--1", "+A1", " =1", "\x00=1",
     "\ufeff=1", "\uff1d1+1", "\uff0bA1", "\uff0dA1", "\uff20A1", "\ttext", "\rtext", "\ntext",
     "+49\t1"],
)  # fmt: skip
def test_a_cell_that_would_run_is_prefixed(cell: str):
    assert guarded(cell) == f"'{cell}"


@pytest.mark.parametrize(
    "cell",
    ["-5", "+5", "-1,234.56", "-.5", "+1e10", "-12%", "+49 30 901820", "+1 (555) 010-9999", "a=b",
     "a, -b", "a;b", "a | b", "line\nline", '"=quoted"'],
)  # fmt: skip
def test_other_cells_are_left_alone(cell: str):
    assert guarded(cell) == cell


@pytest.mark.parametrize(
    ("cell", "safe"),
    [
        (f"nice\r{DDE}", f"nice\r'{DDE}"),
        (f"nice\n{DDE}", f"nice\n'{DDE}"),
        (f"nice\r\n{DDE}", f"nice\r\n'{DDE}"),
        (f"x;{DDE}", f"x;'{DDE}"),
        ('x; "@A1"', "x;' \"@A1\""),
        ("x\t+A1", "x\t'+A1"),
        ("x|-A1", "x|'-A1"),
        ("x;\uff1dA1", "x;'\uff1dA1"),
        (f"\n{DDE}", f"'\n'{DDE}"),
        ("\t=1", "'\t'=1"),
        ("x; \t\"=1", "x;' \t'\"=1"),
        ("x;\ty;\t =1", "x;\ty;'\t' =1"),
    ],
)  # fmt: skip
def test_what_another_separator_would_make_a_cell_is_prefixed(cell: str, safe: str):
    assert guarded(cell) == safe


@pytest.mark.parametrize("part", ["\t", "\t ", "; ", '\t"', "|\t", "\n\t", "\0"])
def test_no_cell_takes_long(part: str):
    """A page may be full of anything, and an export must come to its end."""
    began = time.process_time()
    guarded(f"x{part * 100_000}x")
    assert time.process_time() - began < 5.0


def test_control_characters_are_quoted():
    for code in [*range(0x20), 0x7F, *range(0x80, 0xA0)]:
        assert written([{"a": f"x{chr(code)}y"}], ["a"]) == f'a\n"x{chr(code)}y"\n'


def test_nested_values_are_guarded_and_stay_json():
    text = written([{"a": {"b": f"x;{DDE}"}}], ["a"])
    assert json.loads(fields(text, ",")[1]) == {"b": f"x;'{DDE}"}


def test_a_number_in_front_is_not_continued_by_the_next_cell():
    """Where a comma is a decimal point, `-5,1+cmd|…` is one cell and a formula."""
    text = written([{"a": -5, "b": "1+cmd|' /C calc'!A0"}], ["a", "b"])
    assert text == "a,b\n-5,\"1+cmd|' /C calc'!A0\"\n"


CELLS = st.one_of(
    st.integers(),
    st.none(),
    st.lists(st.text("a;|=\"'-\t", max_size=4), max_size=2),
    st.text(f"{FORMULA}ab15.,;|\t\r\n\0\x85\"' \ufeff", max_size=8),
    st.sampled_from(["-5", "+49 30 1", f"x;{DDE}", f'x;"{DDE}', f"x\r{DDE}", '";-1', "x;", 'x\n"']),
)


@given(st.lists(st.tuples(CELLS, CELLS, CELLS), max_size=4), CELLS.map(str), st.booleans())
@example([("x", f'a;"{DDE}"', None)], "b", False)
@example([("-5", "1+cmd|'", None)], "b", False)
def test_no_reading_of_the_file_has_a_formula(rows, name: str, header: bool):
    columns = ["a", "b", f"c{name}"]
    if header:
        columns.reverse()
    text = written([dict(zip("ab", row, strict=False)) for row in rows], columns)
    for delimiter in ",;\t|":
        for field in fields(text, delimiter):
            start = field.lstrip(" \t\0\x85\ufeff")
            if start.startswith(tuple(FORMULA)):
                assert INERT.fullmatch(field), (delimiter, field, text)


@given(st.lists(st.tuples(CELLS, CELLS, CELLS), max_size=4))
def test_raw_cells_are_read_back_as_they_were(rows):
    text = written([dict(zip("abc", row, strict=True)) for row in rows], ["a", "b", "c"], raw=True)
    assert list(csv.reader(io.StringIO(text, newline=""))) == [
        ["a", "b", "c"],
        *([_text(value) for value in row] for row in rows),
    ]


def _text(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, str):
        return value
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False)
