"""What cannot work is told in one line, before anything is made."""

import sys
from pathlib import Path

import pytest

from tests.cli.conftest import Swather
from tests.cli.scrapers import NUMBERS, write

TWO = NUMBERS + NUMBERS.replace("numbers", "others")


@pytest.fixture(autouse=True)
def files() -> None:
    write(NUMBERS)
    write("def (", "broken.py")
    write("import nothing_of_this_name", "imports.py")
    write("x = 1", "empty.py")
    write(TWO, "two.py")
    Path("targets.jsonl").write_text('1\nnope\n2\n{"a"\n')
    Path("foreign.jsonl").write_text("mine\n")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("nope.py", "1"), "there is no file 'nope.py'"),
        (("broken.py", "1"), "broken.py is not Python: invalid syntax in "),
        (("broken.py", "1"), "broken.py, line 1: def ("),
        (("imports.py", "1"), "ModuleNotFoundError: No module named 'nothing_of_this_name'"),
        (("empty.py", "1"), "empty.py has no scraper: put @scraper above a function"),
        (("two.py", "1"), "two.py has 2 scrapers; name one of them: two.py:numbers, two.py:others"),
        (("nobodys", "1"), "no scraper named 'nobodys' is registered in"),
        (("scrapers.py",), "nothing to scrape: swather run scrapers.py URL…"),
        (("scrapers.py", "--targets", "no.txt"), "there is no file 'no.txt'"),
        (("scrapers.py", "1", "--column", "url"), "need a file to be in: --targets FILE"),
        (("scrapers.py", "1", "--priority", "11"), "--priority: expected a whole number from 1"),
        (("scrapers.py", "1", "--due", "tomorrow"), "--due: expected a time such as 2026-03-01"),
        (("scrapers.py", "1", "--retry-failed", "--new"), "--retry-failed and --new exclude"),
        (("scrapers.py", "1", "--strategy", "best"), "'best' is not one of 'fifo', 'lifo'"),
        (("scrapers.py", "1", "--workers", "0"), "Invalid value for '--workers'"),
        (("scrapers.py", "1", "--concurrency", "x"), "Invalid value for '--concurrency'"),
        (("scrapers.py", "1", "--limit", "0"), "Invalid value for '--limit'"),
        (("scrapers.py", "1", "--max-time", "soon"), "expected a time such as 90s, 15m, 2h or 30d"),
        (("scrapers.py", "1", "--max-time", "0"), "Invalid value for '--max-time'"),
        (("scrapers.py", "1", "--max-failed", "some"), "expected a number or a share such as 1%"),
        (("scrapers.py", "1", "--max-failed", "200%"), "Invalid value for '--max-failed'"),
        (("scrapers.py", "1", "--lease-seconds", "0"), "lease_seconds should be greater than 0"),
        (("scrapers.py", "1", "-p", "pages"), "a parameter looks like name=value, got 'pages'"),
        (("scrapers.py", "1", "-o", "no/x.jsonl"), "there is no folder no"),
        (("scrapers.py", "1", "-o", "x.xml"), "written to .jsonl, .json, .csv, .xlsx and .parquet"),
        (
            ("scrapers.py", "1", "-o", "foreign.jsonl"),
            "foreign.jsonl exists and Swather did not write it",
        ),
        (("scrapers.py", "1", "--resume", "a", "--new"), "--resume and --new exclude each other"),
        (("scrapers.py", "1", "--db", "mysql://x"), "'mysql://x' is not a database URL"),
    ],
)
def test_it_is_said_in_one_line_and_nothing_is_made(swather: Swather, arguments, message):
    before = sorted(Path().iterdir())
    said = swather("run", *arguments)
    assert (said.code, said.out) == (2, "")
    assert message in said.err
    assert said.err.count("\n") == 1
    assert [path for path in sorted(Path().iterdir()) if path.name != "__pycache__"] == before


def test_bad_targets_are_listed_and_nothing_is_made(swather: Swather):
    said = swather("run", "scrapers.py", "--targets", "targets.jsonl")
    assert (said.code, said.out) == (2, "")
    first, second, third, last = said.err.splitlines()
    assert first == "error: some targets cannot be used:"
    assert second.startswith("  targets.jsonl line 2: is not JSON")
    assert third.startswith("  targets.jsonl line 4: is not JSON")
    assert last == "Fix them, or skip them with --skip-bad."
    assert not Path("swather.db").exists()


def test_a_missing_extra_comes_with_the_command_that_installs_it(
    swather: Swather, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    said = swather("run", "scrapers.py", "1", "-o", "numbers.parquet")
    assert said.code == 2
    assert "pip install 'swather[parquet]'" in said.err
    assert not Path("swather.db").exists()


def test_a_database_that_is_not_there_is_3(swather: Swather):
    said = swather("run", "scrapers.py", "1", "--db", "postgresql://nobody@127.0.0.1:1/none")
    assert said.code == 3
    assert said.err.count("\n") == 1


def test_an_unknown_run_is_told(swather: Swather):
    said = swather("run", "scrapers.py", "--resume", "nope")
    assert said.code == 2
    assert "there is no run named 'nope'" in said.err


@pytest.mark.slow
def test_an_item_that_is_no_json_fails_its_target(swather: Swather):
    write(
        "from swather import scraper\n\n\n@scraper\nasync def odd(ctx, target):\n"
        "    yield {'what': object()}\n",
        "odd.py",
    )
    said = swather("run", "odd.py", "a", "--json")
    assert said.code == 1
    assert said.data["counts"]["reasons"] == {"bad_item": 1}
    assert "item is not JSON" in said.data["groups"][0]["title"]


@pytest.mark.slow
@pytest.mark.parametrize("verb", ["run", "enqueue"])
def test_a_file_without_a_target_is_told(swather: Swather, verb):
    Path("none.txt").write_text("\n\n")
    said = swather(verb, "scrapers.py", "--targets", "none.txt")
    assert said.code == 0, said.err
    assert "note: there are no targets in none.txt\n" in said.err
