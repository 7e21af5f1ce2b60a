"""Tables of PDF files: complete over page breaks, and bounded."""

import pytest

from swather.errors import InputError, MissingExtra
from swather.net.errors import BadResponse, MissingElement, TooComplex, TooLarge
from swather.net.page import Page
from swather.net.pdf import process, reading
from swather.testing.countries.pdf_file import Text, pdf

COLUMNS = ["Code", "Product name", "Price"]


def a_page(rows: list[tuple[str, str, str]], *, has_head: bool = True) -> list[Text]:
    texts = [Text(40, 800, "Price list Code 2026", 14)]
    if has_head:
        texts += [Text(40, 770, "Code"), Text(120, 770, "Product name"), Text(400, 770, "Price")]
        texts += [Text(300, 770, "Note")]
    for number, (code, name, price) in enumerate(rows):
        y = 750 - 14 * number
        texts += [Text(40, y, code), Text(120, y, name), Text(300, y, "x"), Text(400, y, price)]
    return [*texts, Text(250, 30, "Page 1", 8)]


def rows_of(*pages: list[Text], columns: list[str] = COLUMNS) -> list[dict[str, str]]:
    return Page(url="http://example.com/a.pdf", content=pdf(pages)).pdf_rows(columns)


def test_a_table_goes_on_over_pages_with_repeated_heads():
    listed = [(f"A{n}", f"A long name of {n}", f"{n},50 $") for n in range(90)]
    rows = rows_of(a_page(listed[:40]), a_page(listed[40:80]), a_page(listed[80:]))
    assert [tuple(row.values()) for row in rows] == listed
    assert list(rows[0]) == COLUMNS


def test_a_page_without_a_head_goes_on_with_the_columns_before():
    first, second = ("A1", "one", "1,00"), ("A2", "two", "2,00")
    pages = a_page([first]), a_page([second], has_head=False)
    assert ("A2", "two", "2,00") in [tuple(row.values()) for row in rows_of(*pages)]


def test_a_cell_goes_on_in_the_next_line_and_on_the_next_page():
    wrapped = [*a_page([("A1", "one", "1,00")]), Text(120, 740, "and more")]
    rest = [*a_page([]), Text(120, 750, "and still more")]
    assert rows_of(wrapped, rest)[0]["Product name"] == "one and more and still more"


def test_the_number_of_a_page_is_no_part_of_a_row():
    assert rows_of(a_page([("A1", "one", "1,00")]))[-1] == {
        "Code": "A1", "Product name": "one", "Price": "1,00",
    }  # fmt: skip


def test_cells_are_told_by_any_alignment():
    right = Text(428 - 8 * 5.4, 736, "1 234,50")
    wide = Text(115, 736, "A name wider than its head")
    page = [*a_page([("A1", "one", "1,00")]), Text(40, 736, "A2"), wide, right]
    assert rows_of(page)[1] == {
        "Code": "A2", "Product name": "A name wider than its head", "Price": "1 234,50",
    }  # fmt: skip


def test_a_table_without_these_columns_is_told():
    with pytest.raises(MissingElement, match="has all of the columns Code, Prix"):
        rows_of(a_page([]), columns=["Code", "Prix"])


@pytest.mark.parametrize("columns", [[], ["Code", "code"], ["Code", " "]])
def test_columns_have_different_names(columns: list[str]):
    with pytest.raises(InputError, match="different names"):
        rows_of(a_page([]), columns=columns)


def read(content: bytes) -> list[dict[str, str]]:
    return Page(url="http://example.com/a.pdf", content=content).pdf_rows(COLUMNS)


def test_what_is_not_a_pdf_or_damaged_is_told():
    with pytest.raises(BadResponse, match="is not a PDF"):
        read(b"<html>")
    with pytest.raises(BadResponse, match="cannot be read"):
        read(b"%PDF-1.4\nnothing\n%%EOF")


def test_a_file_that_is_cut_off_is_told():
    whole = pdf([a_page([("A1", "one", "1,00")])])
    for length in range(200, len(whole), 150):
        with pytest.raises(BadResponse, match="cut off"):
            read(whole[:length])


def test_pages_and_bytes_have_bounds(monkeypatch: pytest.MonkeyPatch):
    content = pdf([a_page([("A1", "one", "1,00")])] * 3)
    with pytest.raises(TooLarge, match="has 3 pages, and 2 are read"):
        reading.table_rows(content, "http://example.com/a.pdf", COLUMNS, max_pages=2)
    monkeypatch.setattr(reading, "MAX_BYTES", 100)
    with pytest.raises(TooLarge, match="a PDF may have 100"):
        read(content)


def test_letters_of_a_page_have_a_bound(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(process, "MAX_GLYPHS", 10)
    answer = process.read(pdf([a_page([])]), COLUMNS, 5)
    assert answer["error"] == "large"


def test_a_file_that_takes_too_long_ends_only_its_reader(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(reading, "PROCESSOR_SECONDS", 0.05)
    monkeypatch.setattr(reading, "_PATIENCE", 1_000)
    many = [a_page([(f"A{n}", "one", "1,00") for n in range(50)])] * 300
    with pytest.raises(TooComplex, match="processor time"):
        read(pdf(many))


def test_without_the_extra_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(reading, "find_spec", lambda name: None)
    with pytest.raises(MissingExtra, match=r"swather\[pdf\]"):
        read(pdf([a_page([])]))
