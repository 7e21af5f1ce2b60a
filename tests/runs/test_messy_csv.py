"""CSV files as people have them: without a header, with two columns of URLs, saved by Excel."""

import pytest

from swather.errors import InputError
from swather.runs.layout import Layout
from swather.runs.target_options import OptionTexts
from swather.runs.targets import BadLine, Line, Note, read_targets
from tests.runs.given import written

ONE, TWO = "https://shop.example/1", "https://shop.example/2"


def entries(tmp_path, content: str | bytes, **layout) -> tuple[list, list, str]:
    """Targets, bad lines, and what was assumed."""
    source = written(tmp_path, "t.csv", content)
    found = list(read_targets(source, Layout(**layout)))
    return (
        [line.value for line in found if isinstance(line, Line)],
        [(line.number, line.reason) for line in found if isinstance(line, BadLine)],
        " ".join(note.text.replace(source, "t.csv") for note in found if isinstance(note, Note)),
    )


@pytest.mark.parametrize(
    ("content", "layout", "targets", "said"),
    [
        (f"{ONE}\n{TWO}\n", {}, [ONE, TWO], "t.csv has no header: its first line holds a URL"),
        (f"7,{ONE}\n8,{TWO}\n", {}, [ONE, TWO], "taking targets from column '2'"),
        (f"7,{ONE}\n8,{TWO}\n", {"column": "1"}, ["7", "8"], "has no header"),
        ("1\n2\n", {}, ["1", "2"], "its first line holds only numbers"),
        ("1\n2\n", {"header": True}, ["2"], ""),
        ("ant\nbee\n", {}, ["bee"], "'ant', is taken as the header (--no-header"),
        ("ant\nbee\n", {"header": False}, ["ant", "bee"], ""),
        (f"url\n{ONE}\n", {}, [ONE], ""),
        (f"{ONE},x\n{TWO},y\n", {"header": True, "column": "x"}, ["y"], ""),
        (f"id,link\n1,{ONE}\n", {}, [ONE], "taking targets from column 'link', the only one"),
        (f"id,link\n1,{ONE}\n", {"column": "2"}, [ONE], ""),
        (f"id,link\n1,{ONE}\n", {"rows": True}, [{"id": "1", "link": ONE}], ""),
        (f"\ufeffid;link;\r\n1;{ONE};\r\n\r\n2;{TWO};\r\n", {}, [ONE, TWO], "column 'link'"),
        (f"sep=;\nid;link\n1;{ONE}\n", {}, [ONE], "column 'link'"),
        (f'url\n"{ONE},a"\n{TWO}\n', {}, [f"{ONE},a", TWO], ""),
        (f"url\n{ONE};a\n{TWO}\n", {}, [f"{ONE};a", TWO], ""),
        ("url,city\n", {}, [], ""),
    ],
)
def test_targets_are_found_and_what_was_assumed_is_said(tmp_path, content, layout, targets, said):
    found, bad, notes = entries(tmp_path, content, **layout)
    assert (found, bad) == (targets, [])
    assert said in notes
    assert bool(said) == bool(notes)


@pytest.mark.parametrize(
    ("content", "layout", "message"),
    [
        (f"a,b\n{ONE},{TWO}\n", {}, r"2 columns with URLs: a, b. Choose one with --column 'a', or"),
        ("city,state\nAustin,TX\n", {}, r"no column with URLs; its columns are city, state. Choo"),
        (f"7,{ONE}\n", {"column": "url"}, "no header, so it has no column 'url'; name columns by"),
        (f"id,link\n7,{ONE}\n", {"column": "3"}, "no column '3'; its columns are id, link"),
        ("a,b\n1,2\n", {"column": "a", "rows": True}, "pass only one"),
    ],
)
def test_what_cannot_be_decided_is_asked(tmp_path, content, layout, message):
    with pytest.raises(InputError, match=message):
        entries(tmp_path, content, **layout)


def test_in_a_column_of_urls_everything_else_is_bad(tmp_path):
    content = (
        f"n,url\n1,{ONE}\n2,www.shop.example/2\n3,htp:/not a url\n4,n/a\n5,{TWO}\n6,{TWO}\n7\n"
    )
    found, bad, _ = entries(tmp_path, content)
    assert found == [ONE, TWO, TWO]
    no_url = "is not a URL; URLs begin with http:// or https://"
    assert bad == [
        (3, f"'www.shop.example/2' {no_url}. Did you mean 'https://www.shop.example/2'?"),
        (4, f"'htp:/not a url' {no_url}"),
        (5, f"'n/a' {no_url}"),
        (8, "has 1 cell, expected 2"),
    ]


def test_columns_give_priority_lane_partition_and_due_time(tmp_path):
    source = written(
        tmp_path,
        "t.csv",
        f"url,rank,host,land,when\n{ONE},9,https://other.example/x,nl,2h\n{TWO},,,,\n"
        f"{ONE},high,,,\n{ONE},,,,tomorrow\n{ONE},,,,2001-01-01\n",
    )
    columns = OptionTexts(priority="rank", lane="host", partition="land", due="when")
    layout = Layout(column="url", options=columns, texts=OptionTexts(priority="2", lane="slow"))
    first, second, high, tomorrow, past = read_targets(source, layout)
    assert first.options == (9, "other.example", "nl", 7_200.0)
    assert second.options == (2, "slow", None, 0.0)
    assert high[:2] == (4, "column 'rank': expected a whole number from 1 to 10, got 'high'")
    assert tomorrow.reason.startswith("column 'when': expected a time such as 2026-03-01T12:00")
    assert past.options.due_in_seconds == 0.0


def test_members_of_json_objects_do_too(tmp_path):
    lines = (
        '{"u": "a", "rank": 9}\n{"u": "b", "rank": "8"}\n{"u": "c"}\n{"u": "d", "rank": 11}\n1\n'
    )
    source = written(tmp_path, "t.jsonl", lines)
    layout = Layout(column="u", options=OptionTexts(priority="rank"))
    nine, eight, none, wrong, number = read_targets(source, layout)
    assert [line.options.priority for line in (nine, eight, none)] == [9, 8, None]
    assert wrong.reason == "column 'rank': expected a whole number from 1 to 10, got 11"
    assert number.reason == "is not a JSON object, so it has no 'rank'"
