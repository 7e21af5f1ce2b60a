"""CSV files of targets: columns, keys, and rows that do not fit."""

import pytest

from swather.errors import InputError
from swather.runs.layout import Layout
from swather.runs.targets import read_targets
from tests.runs.given import read, written


def test_a_named_column_is_the_target_and_another_the_key(tmp_path):
    source = written(tmp_path, "t.csv", "id,url\n1,one\n2,two\n")
    lines = list(read_targets(source, Layout(column="url", key="id")))
    assert [line[:3] for line in lines] == [(2, "one", "1"), (3, "two", "2")]


def test_a_whole_row_is_an_object(tmp_path):
    source = written(tmp_path, "t.csv", "city,state\nAustin,TX\n")
    assert read(source, rows=True) == ([{"city": "Austin", "state": "TX"}], [])


def test_the_cells_of_a_single_column_are_the_targets(tmp_path):
    source = written(tmp_path, "t.csv", "url\none\ntwo\n")
    assert read(source) == (["one", "two"], [])


def test_a_cell_may_hold_commas_quotes_and_line_ends(tmp_path):
    source = written(tmp_path, "t.csv", 'q,n\n"a, ""b""\r\nc",1\nd,2\n')
    lines = list(read_targets(source, Layout(column="q")))
    assert [line[:2] for line in lines] == [(2, 'a, "b"\nc'), (4, "d")]


@pytest.mark.parametrize("delimiter", [";", "\t"])
def test_semicolons_and_tabs_are_seen_in_the_header(tmp_path, delimiter):
    rows = [["id", "url"], ["1", "a,b"]]
    source = written(tmp_path, "t.csv", "\n".join(delimiter.join(row) for row in rows))
    assert read(source, column="url") == (["a,b"], [])


def test_a_byte_order_mark_is_no_part_of_the_first_column(tmp_path):
    source = written(tmp_path, "t.csv", b"\xef\xbb\xbfurl,n\r\none,1\r\n")
    assert read(source, column="url") == (["one"], [])


def test_a_missing_column_is_told_with_those_that_are_there(tmp_path):
    source = written(tmp_path, "t.csv", "id,link\n1,one\n")
    with pytest.raises(InputError, match="no column 'url'; its columns are id, link"):
        read(source, column="url")
    with pytest.raises(InputError, match="no column 'sku'"):
        read(source, column="link", key="sku")


def test_two_columns_of_one_name_need_a_choice(tmp_path):
    source = written(tmp_path, "t.csv", "a,a\n1,2\n")
    with pytest.raises(InputError, match="two columns named 'a'"):
        read(source, rows=True)


def test_rows_that_do_not_fit_are_told_by_line(tmp_path):
    source = written(tmp_path, "t.csv", "id,url\n1\n2,two,3\n4,\n5,five\n\n,\n")
    good, bad = read(source, column="url")
    assert good == ["five"]
    assert bad == [
        (2, "has 1 cell, expected 2"),
        (3, "has 3 cells, expected 2"),
        (4, "column 'url' is empty"),
    ]


def test_bad_utf8_and_nul_are_told_by_line(tmp_path):
    source = written(tmp_path, "t.csv", b"id,url\n1,caf\xe9\n2,a\0b\n3,caf\xc3\xa9\n")
    good, bad = read(source, column="url")
    assert good == ["café"]
    assert bad == [(2, "is not UTF-8 (save the file as UTF-8)"), (3, "contains a NUL character")]


def test_a_quote_that_is_never_closed_is_told_where_it_begins(tmp_path):
    source = written(tmp_path, "t.csv", 'id,url\n1,one\n2,"two\n3,three\n')
    good, bad = read(source, column="url")
    assert good == ["one"]
    assert bad[0][0] == 3
    assert "a quote that is never closed?" in bad[0][1]


def test_a_row_that_is_too_long_is_told_and_the_next_is_read(tmp_path):
    source = written(tmp_path, "t.csv", b"id,url\n1," + b"x" * (2 << 20) + b"\n2,two\n")
    good, bad = read(source, column="url")
    assert (good, bad[0][0]) == (["two"], 2)


def test_an_empty_file_has_no_targets(tmp_path):
    assert read(written(tmp_path, "t.csv", ""), column="url") == ([], [])
