"""Targets are read from files as people make them, and bad lines are told by number and reason."""

import gzip
import sys
import tracemalloc
from pathlib import Path

import pytest

from swather.errors import InputError
from swather.runs.layout import Layout
from swather.runs.lines import MAX_LINE_BYTES
from swather.runs.targets import Form, Line, form_of, from_arguments, read_targets
from tests.runs.given import read, written


def test_a_text_file_has_a_target_per_line(tmp_path):
    source = written(tmp_path, "targets.txt", "http://a.example/1\nhttp://a.example/2\n")
    assert read(source) == (["http://a.example/1", "http://a.example/2"], [])


def test_a_byte_order_mark_and_windows_line_ends_are_no_part_of_a_target(tmp_path):
    source = written(tmp_path, "targets.txt", b"\xef\xbb\xbfone\r\ntwo\r\n")
    assert read(source) == (["one", "two"], [])


def test_empty_lines_are_passed_over_but_counted(tmp_path):
    source = written(tmp_path, "targets.txt", "\n  \none\n\ntwo")
    lines = list(read_targets(source))
    assert lines == [Line(3, "one", None, source), Line(5, "two", None, source)]


def test_bad_utf8_is_told_with_its_line_and_byte(tmp_path):
    source = written(tmp_path, "targets.txt", b"one\ncaf\xe9\nthree\n")
    assert read(source) == (["one", "three"], [(2, "is not UTF-8: byte 4 is 0xe9")])


def test_a_nul_is_a_bad_line(tmp_path):
    source = written(tmp_path, "targets.txt", b"one\nt\0wo\n")
    assert read(source) == (["one"], [(2, "contains a NUL character")])


def test_a_line_that_is_too_long_is_bad_and_the_next_one_is_read(tmp_path):
    long = b"x" * (3 * MAX_LINE_BYTES)
    source = written(tmp_path, "targets.txt", b"one\n" + long + b"\ntwo\n" + long)
    good, bad = read(source)
    assert good == ["one", "two"]
    assert [number for number, _ in bad] == [2, 4]
    assert "longer than" in bad[0][1]


def test_a_line_of_the_greatest_length_is_good(tmp_path):
    source = written(tmp_path, "targets.txt", b"x" * MAX_LINE_BYTES + b"\r\ny\n")
    good, bad = read(source)
    assert ([len(value) for value in good], bad) == ([MAX_LINE_BYTES, 1], [])


def test_a_utf16_file_is_refused_with_advice(tmp_path):
    source = written(tmp_path, "targets.txt", "one\n".encode("utf-16"))
    with pytest.raises(InputError, match="UTF-16; save it as UTF-8"):
        read(source)


def test_a_missing_file_is_named():
    with pytest.raises(InputError, match=r"there is no file 'nowhere.txt'"):
        read("nowhere.txt")


def test_a_folder_is_no_target_file(tmp_path):
    with pytest.raises(InputError, match="cannot be read"):
        read(str(tmp_path))


@pytest.mark.parametrize("name", ["targets.txt.gz", "targets.gz"])
def test_a_gzipped_file_is_unpacked(tmp_path, name):
    source = written(tmp_path, name, gzip.compress(b"one\ntwo\n"))
    assert read(source) == (["one", "two"], [])


def test_a_gzipped_csv_file_is_still_csv(tmp_path):
    source = written(tmp_path, "targets.csv.gz", gzip.compress(b"id,url\n1,one\n"))
    assert read(source, column="url") == (["one"], [])


def test_a_cut_gzipped_file_is_told_with_the_line_it_reaches(tmp_path):
    packed = gzip.compress(b"".join(b"target %d\n" % n for n in range(50_000)))
    source = written(tmp_path, "targets.txt.gz", packed[: len(packed) // 2])
    with pytest.raises(InputError, match=r"is damaged after line [\d,]+"):
        read(source)


def test_a_file_that_only_claims_to_be_gzipped_is_told(tmp_path):
    source = written(tmp_path, "targets.txt.gz", "one\n")
    with pytest.raises(InputError, match="is damaged after line 0"):
        read(source)


def test_json_lines_hold_any_value(tmp_path):
    source = written(tmp_path, "targets.jsonl", '"one"\n{"url": "two"}\n\n[1, 2]\n3\n')
    assert read(source) == (["one", {"url": "two"}, [1, 2], 3], [])


def test_a_member_of_a_json_object_may_be_the_target_and_another_its_key(tmp_path):
    source = written(tmp_path, "t.ndjson", '{"u": "one", "id": 7}\n{"u": "two", "id": "b"}\n')
    lines = list(read_targets(source, Layout(column="u", key="id")))
    assert [line[:3] for line in lines] == [(1, "one", "7"), (2, "two", "b")]


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        (b'{"u": 1', "is not JSON"),
        (b"NaN", "is not JSON"),
        (b'{"u": "\\ud800"}', "is not JSON"),
        (b"[" * 5_000, "is nested too deeply"),
        (b'{"u": "caf\xe9"}', "is not UTF-8"),
        (b"null", "null is not a target"),
        (b'{"other": 1}', "has no 'u'"),
        (b"[1]", "is not a JSON object"),
        (b'{"u": null}', "has no 'u'"),
    ],
)
def test_a_bad_json_line_is_told_with_its_reason(tmp_path, line, reason):
    source = written(tmp_path, "targets.jsonl", b'{"u": 1}\n' + line + b'\n{"u": 3}\n')
    good, bad = read(source, column="u")
    assert good == [1, 3]
    assert [number for number, _ in bad] == [2]
    assert reason in bad[0][1]


def test_of_names_that_come_twice_in_an_object_the_last_one_counts(tmp_path):
    source = written(tmp_path, "targets.jsonl", '{"u": 1, "u": 2}\n')
    assert read(source) == ([{"u": 2}], [])


def test_a_key_must_be_text_or_a_number(tmp_path):
    source = written(tmp_path, "targets.jsonl", '{"id": [1]}\n{"id": ""}\n{"id": true}\n')
    good, bad = read(source, key="id")
    assert (good, len(bad)) == ([], 3)
    assert "expected text or a number" in bad[0][1]


def test_standard_input_is_text_unless_a_column_is_asked_for(tmp_path, monkeypatch):
    with Path(written(tmp_path, "typed", "id,url\n1,one\n")).open() as typed:
        monkeypatch.setattr(sys, "stdin", typed)
        assert read("-", column="url") == (["one"], [])
    assert form_of("-") is Form.TEXT


def test_standard_input_that_is_closed_is_told(monkeypatch):
    monkeypatch.setattr(sys, "stdin", None)
    with pytest.raises(InputError, match="standard input is closed"):
        read("-")


def test_text_has_no_columns(tmp_path):
    with pytest.raises(InputError, match="plain text"):
        read_targets(written(tmp_path, "targets.txt", "one"), Layout(column="url"))


@pytest.mark.parametrize("name", ["targets.json", "targets.xlsx", "targets.parquet.gz"])
def test_other_forms_are_refused_with_those_that_can_be_read(name):
    with pytest.raises(InputError, match=r"\.txt, \.csv and \.jsonl"):
        read_targets(name)


@pytest.mark.parametrize(
    ("argument", "value"),
    [('{"a": 1}', {"a": 1}), (' ["a"]', ["a"]), ("{a}", "{a}"), ("[::1", "[::1"), ("3", "3")],
)
def test_an_argument_that_is_a_json_object_or_list_is_that(argument: str, value: object):
    assert [line.value for line in from_arguments([argument])] == [value]


def test_arguments_are_numbered():
    lines = list(from_arguments(["one", "two"]))
    assert [(line.number, line.value) for line in lines] == [(1, "one"), (2, "two")]


@pytest.mark.slow
def test_a_large_file_is_never_in_memory(tmp_path):
    source = written(tmp_path, "targets.txt", "".join(f"target {n}\n" for n in range(100_000)))
    tracemalloc.start()
    assert sum(1 for _ in read_targets(source)) == 100_000
    _, peak_bytes = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak_bytes < 200_000
