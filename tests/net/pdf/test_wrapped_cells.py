"""Cells of several lines: which row each line belongs to, and what is no part of the table."""

import pytest

from swather.testing.countries.pdf_file import Text
from tests.net.pdf.test_table_rows import rows_of

HEAD = [Text(40, 770, "Code"), Text(120, 770, "Nom"), Text(400, 770, "Prix")]
COLUMNS = ["Code", "Nom", "Prix"]


def row(y: float, code: str, price: str, name: str = "") -> list[Text]:
    named = [Text(120, y, name)] if name else []
    return [Text(40, y, code), *named, Text(400, y, price)]


def names(*pages: list[Text]) -> dict[str, str]:
    return {each["Code"]: each["Nom"] for each in rows_of(*pages, columns=COLUMNS)}


def centred(y: float, code: str, *lines: str) -> list[Text]:
    """A row whose name has several lines, of which the middle is as high as its other cells."""
    top = y + 11 * (len(lines) - 1) / 2
    texts = [Text(120, top - 11 * number, line) for number, line in enumerate(lines)]
    return [*row(y, code, "9 $"), *texts]


@pytest.mark.parametrize("pitch", [24, 36])
def test_a_cell_that_is_centred_keeps_its_first_line(pitch: int):
    texts = [
        text
        for number in range(3)
        for text in centred(740 - pitch * number, f"A{number}", f"Aspirine {number}", "forte")
    ]
    assert names([*HEAD, *texts]) == {f"A{n}": f"Aspirine {n} forte" for n in range(3)}


def test_a_cell_of_three_lines_that_is_centred_keeps_them_all():
    texts = [*centred(740, "A1", "a", "b", "c"), *centred(700, "A2", "d", "e", "f")]
    assert names([*HEAD, *texts]) == {"A1": "a b c", "A2": "d e f"}


def test_centred_and_single_lines_may_follow_each_other():
    texts = [
        *row(745, "A1", "1 $", "one"),
        *centred(720, "A2", "two", "too"),
        *row(700, "A3", "3 $"),
    ]
    assert names([*HEAD, *texts]) == {"A1": "one", "A2": "two too", "A3": ""}


def test_a_cell_that_begins_on_its_row_keeps_all_its_lines():
    texts = [
        Text(120, 739, "and more"),
        Text(120, 728, "and yet more"),
        *row(717, "A2", "2 $", "b"),
    ]
    assert names([*HEAD, *row(750, "A1", "1 $", "a"), *texts, Text(120, 706, "c")]) == {
        "A1": "a and more and yet more", "A2": "b c",
    }  # fmt: skip


def test_a_title_between_rows_is_no_part_of_them():
    texts = [*row(750, "A1", "1 $", "a"), Text(120, 722, "Section B"), *row(710, "A2", "2 $", "b")]
    assert names([*HEAD, *texts]) == {"A1": "a", "A2": "b"}


@pytest.mark.parametrize(
    "title", [[Text(400, 810, "2")], [Text(120, 800, "Price list"), Text(120, 789, "of 2026")]]
)
def test_a_title_above_a_table_that_goes_on_is_no_part_of_it(title: list[Text]):
    first, second = [*HEAD, *row(750, "A1", "9 $", "a")], [*title, *row(760, "A2", "8 $", "b")]
    found = rows_of(first, second, columns=COLUMNS)
    assert [tuple(each.values()) for each in found] == [("A1", "a", "9 $"), ("A2", "b", "8 $")]


def test_a_row_goes_on_over_a_page_without_a_head():
    first = [*HEAD, *row(750, "A1", "9 $", "a")]
    near = [Text(120, 771, "and more"), *row(760, "A2", "8 $", "b")]
    assert names(first, near) == {"A1": "a and more", "A2": "b"}
    wide = [Text(120, 800, "and more"), Text(400, 800, "each"), *row(760, "A2", "8 $", "b")]
    assert names(first, wide) == {"A1": "a and more", "A2": "b"}


@pytest.mark.parametrize("head", [HEAD, []])
def test_a_centred_row_that_begins_a_page_keeps_its_first_line(head: list[Text]):
    first = [*HEAD, *row(750, "A1", "9 $", "a")]
    second = [*head, *centred(750, "A2", "Aspirine", "forte")]
    assert names(first, second) == {"A1": "a", "A2": "Aspirine forte"}
