"""Priority, lane, partition and due time of targets, from the command line and from columns."""

from pathlib import Path

import pytest

from tests.cli.conftest import Swather, done
from tests.cli.scrapers import NUMBERS, write

CSV = "n,rank,host,land,when\n1,9,slow,nl,\n2,,,,2h\n"


@pytest.fixture(autouse=True)
def files() -> None:
    write(NUMBERS)
    Path("t.csv").write_text(CSV)
    Path("t.jsonl").write_text('{"n": "1", "rank": 9, "host": "slow", "land": "nl"}\n{"n": "2"}\n')


def tasks(swather: Swather, database: str) -> list[tuple]:
    found = done(swather, "tasks", "--db", database, "--json").data
    fields = ("target", "priority", "lane", "partition", "state")
    return [tuple(task[field] for field in fields) for task in found]


@pytest.mark.parametrize("source", ["t.csv", "t.jsonl"])
def test_columns_are_kept_with_the_task(swather: Swather, database: str, source):
    columns = ["--column", "n", "--priority-column", "rank", "--lane-column", "host"]
    columns += ["--partition-column", "land"] + (
        ["--due-column", "when"] if "csv" in source else []
    )
    file = ["--targets", source, *columns, "--priority", "3", "--db", database]
    done(swather, "enqueue", "scrapers.py", *file)
    later = "scheduled" if "csv" in source else "ready"
    assert tasks(swather, database) == [("1", 9, "slow", "nl", "ready"), ("2", 3, "", "", later)]


def test_options_hold_for_all_targets_of_a_command(swather: Swather, database: str):
    options = ["--priority", "8", "--lane", "slow", "--partition", "nl", "--due", "2h"]
    said = done(swather, "enqueue", "scrapers.py", "1", *options, "--db", database)
    assert "highest priority are taken first" in said.err
    assert tasks(swather, database) == [("1", 8, "slow", "nl", "scheduled")]
    again = done(swather, "enqueue", "scrapers.py", "2", "--db", database, "--json").data
    assert again["run"] != done(swather, "runs", "--db", database, "--json").data[1]["run"]


@pytest.mark.parametrize("source", ["t.csv", "t.jsonl"])
def test_priorities_that_count_from_one_are_inverted(swather: Swather, database: str, source):
    columns = ["--column", "n", "--priority-column", "rank", "--priority", "3", "--lowest-first"]
    done(swather, "enqueue", "scrapers.py", "--targets", source, *columns, "--db", database)
    assert [task[:2] for task in tasks(swather, database)] == [("1", 2), ("2", 8)]


def test_a_run_that_ignores_priorities_says_so(swather: Swather, database: str):
    done(swather, "enqueue", "scrapers.py", "1", "--db", database)
    urgent = ["2", "--resume", "numbers", "--priority", "9", "--db", database]
    said = done(swather, "enqueue", "scrapers.py", *urgent)
    assert "which ignores priorities; workers with --strategy priority" in said.err


def test_skipped_lines_and_duplicates_are_counted_and_listed(swather: Swather, database: str):
    Path("bad.csv").write_text("n,rank\n1,9\n2,high\n1,9\n" + "3\n" * 12)
    file = ["--targets", "bad.csv", "--column", "n", "--priority-column", "rank", "--skip-bad"]
    said = done(swather, "enqueue", "scrapers.py", *file, "--db", database)
    assert "1 target loaded, 1 duplicate skipped, 13 bad lines skipped" in said.out
    assert "  bad.csv line 3: column 'rank': expected a whole number" in said.err
    assert "  and 3 more\n" in said.err
    again = done(swather, "enqueue", "scrapers.py", *file, "--db", database)
    assert "0 targets loaded, 2 already in the run, 13 bad lines skipped" in again.out
    data = done(swather, "enqueue", "scrapers.py", *file, "--db", database, "--json").data
    assert (data["skipped"], len(data["skipped_lines"])) == (13, 10)
    assert data["skipped_lines"][1] == {
        "source": "bad.csv", "line": 5, "reason": "has 1 cell, expected 2"
    }  # fmt: skip


@pytest.mark.slow
def test_a_run_takes_the_highest_priority_first(swather: Swather):
    Path("ranks.csv").write_text("n,rank\n1,1\n2,9\n3,5\n")
    file = ["--targets", "ranks.csv", "--column", "n", "--priority-column", "rank"]
    said = swather("run", "scrapers.py", *file, "--concurrency", "1", "--batch-size", "1")
    assert said.code == 0, said.err
    lines = Path("numbers.jsonl").read_text().splitlines()
    assert [line.partition(",")[0] for line in lines] == [
        '{"number":2', '{"number":3', '{"number":1'
    ]  # fmt: skip
