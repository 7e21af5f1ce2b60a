"""Named statements are read from their files, or the import fails and says where."""

import sys
from pathlib import Path

import pytest

from swather.store.queries import Queries


def queries_of(folder: Path, monkeypatch: pytest.MonkeyPatch, **files: str) -> Queries:
    """The statements of a package whose folder has these files."""
    package = folder / "given" / "queries"
    package.mkdir(parents=True)
    (package.parent / "__init__.py").touch()
    for name, text in files.items():
        (package / f"{name}.sql").write_text(text)
    monkeypatch.syspath_prepend(folder)
    monkeypatch.delitem(sys.modules, "given", raising=False)
    return Queries("given")


def test_a_statement_is_an_attribute_under_its_name(tmp_path, monkeypatch):
    queries = queries_of(
        tmp_path,
        monkeypatch,
        lanes="-- Lanes.\n\n-- name: pause_lane\n-- Why.\nUPDATE lanes\nSET paused = 1\n\n\n"
        "-- name: find_lane\nSELECT id FROM lanes\n",
        runs="-- name: list_runs\nSELECT 1",
    )
    assert queries.pause_lane == "-- Why.\nUPDATE lanes\nSET paused = 1\n"
    assert queries.find_lane == "SELECT id FROM lanes\n"
    assert queries.names() == ["find_lane", "list_runs", "pause_lane"]


def test_an_unknown_statement_is_no_attribute(tmp_path, monkeypatch):
    queries = queries_of(tmp_path, monkeypatch, lanes="-- name: find_lane\nSELECT 1\n")
    with pytest.raises(AttributeError, match="no statement of given is named 'find_run'"):
        _ = queries.find_run


def test_other_files_are_left_alone(tmp_path, monkeypatch):
    queries = queries_of(tmp_path, monkeypatch, lanes="-- name: find_lane\nSELECT 1\n")
    (tmp_path / "given" / "queries" / "notes.txt").write_text("no statement")
    assert Queries("given").names() == queries.names()


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("-- name: a\nSELECT 1\n-- name: a\nSELECT 2\n", "lanes.sql: a second statement named 'a'"),
        ("-- name: a\n-- name: b\nSELECT 1\n", "lanes.sql: statement 'a' is empty"),
        ("-- name: a\n-- only a comment\n\n", "lanes.sql: statement 'a' is empty"),
        ("SELECT 1\n-- name: a\nSELECT 1\n", "lanes.sql: 'SELECT 1' comes before the first name"),
        ("-- Nothing but a comment.\n", "lanes.sql: there is no statement"),
        ("-- name: a\nSELECT 1\n--name: b\nSELECT 2\n", "lanes.sql: cannot read '--name: b'"),
        ("--name: a\nSELECT 1\n", "lanes.sql: 'SELECT 1' comes before the first name"),
        ("-- name: A lane\nSELECT 1\n", "lanes.sql: cannot read '-- name: A lane'"),
        ("-- name: names\nSELECT 1\n", "lanes.sql: no statement can be named 'names'"),
    ],
)
def test_a_file_that_is_not_clear_is_refused(tmp_path, monkeypatch, text, said):
    with pytest.raises(ValueError, match=said):
        queries_of(tmp_path, monkeypatch, lanes=text)


def test_a_statement_includes_another_without_its_comments(tmp_path, monkeypatch):
    queries = queries_of(
        tmp_path,
        monkeypatch,
        claim="-- name: claim\nSELECT (\n    -- include: limits\n) AS g\n",
        lanes="-- name: limits\n-- Why.\nSELECT 1\nFROM lanes\n",
    )
    assert queries.claim == "SELECT (\n    SELECT 1\n    FROM lanes\n) AS g\n"
    assert queries.limits == "-- Why.\nSELECT 1\nFROM lanes\n"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("-- name: a\nSELECT\n-- include: b\n", "there is no statement 'b' to include"),
        (
            "-- name: a\nSELECT\n-- include: b\n-- name: b\n1\n-- include: c\n-- name: c\n2\n",
            "'b' is included, and cannot include others",
        ),
        ("-- name: a\nSELECT\n--include: b\n", "statement 'a': cannot read '--include: b'"),
        ("-- name: a\nSELECT\n-- include : b\n", "statement 'a': cannot read '-- include : b'"),
    ],
)
def test_an_include_that_is_not_clear_is_refused(tmp_path, monkeypatch, text, said):
    with pytest.raises(ValueError, match=said):
        queries_of(tmp_path, monkeypatch, lanes=text)


def test_a_name_belongs_to_one_file(tmp_path, monkeypatch):
    one = "-- name: a\nSELECT 1\n"
    with pytest.raises(ValueError, match=r"runs.sql: a second statement named 'a'"):
        queries_of(tmp_path, monkeypatch, lanes=one, runs=one)
