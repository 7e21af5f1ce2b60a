"""Commands that only look, on both databases."""

import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

import swather
from swather import Permanent
from tests.cli.conftest import Result, Swather

RUN = "first-run"


@pytest.fixture
def filled(database: str, monkeypatch: pytest.MonkeyPatch) -> str:
    """A run with one task completed, one failed, one to be retried and one running."""
    monkeypatch.setenv("SWATHER_DB", database)
    with swather.open(database, name="someone") as queue:
        queue.enqueue(RUN, ["a", "b", "c", "d", "e"], scraper="books")
        leases = {lease.target: lease for lease in queue.claim(3, run=RUN)}
        queue.finish(leases["a"], [{"title": "=A"}, {"title": "B"}], targets=["f"])
        queue.finish(leases["b"], error=Permanent("no such book 12", reason="not_found"))
        queue.finish(leases["c"], error="try later")
    return database


def look(call: Swather, *arguments: str) -> Result:
    said = call(*arguments)
    assert said.code == 0, said.err
    return said


def test_status_shows_a_run(swather: Swather, filled):
    said = look(swather, "status", RUN)
    for line in ("state      open", "done       2 of 6", "ready      3", "waiting    1"):
        assert line in said.out
    assert "permanent 1" in said.out
    assert "transient 1" in said.out
    data = look(swather, "status", RUN, "--json").data
    assert data["counts"]["completed"] == data["counts"]["failed"] == 1
    assert data["success_rate"] == 0.5


def test_status_shows_all_runs(swather: Swather, filled):
    said = look(swather, "status")
    assert RUN in said.out
    assert "no worker is running" in said.out
    assert look(swather, "status", "--json").data["runs"][0]["total"] == 6


def test_status_of_all_runs_says_what_stops_them_and_when_they_will_be_done(
    swather: Swather, working: int
):
    said = look(swather, "status")
    assert "unknown" in said.out
    assert f"{RUN}: Waiting for 2 running targets" in said.out
    (run,) = look(swather, "status", "--json").data["runs"]
    assert run["estimated_completion"] is None
    assert "standstill" in {reason["code"] for reason in run["reasons"]}


def test_a_scrapers_name_means_its_newest_run(swather: Swather, filled):
    with_name = look(swather, "status", "books", "--json").data
    assert with_name["run"] == RUN


@pytest.mark.slow
def test_status_watches_until_the_run_is_over(swather: Swather, filled):
    look(swather, "cancel", RUN)
    lines = look(swather, "status", RUN, "--watch", "--json").out.splitlines()
    assert json.loads(lines[-1])["state"] == "cancelled"
    assert "6 of 6" in look(swather, "status", "--watch").err


def test_why_says_what_holds_a_run_and_a_task_back(swather: Swather, filled):
    said = look(swather, "why")
    assert said.out.startswith(f"Run {RUN} is open: 2 of 6 tasks done.\n")
    assert "No worker is running. To start one " in said.out
    assert f"\n    swather worker SCRAPER --run {RUN}\n" in said.out
    assert "Its last error (permanent): no such book 12" in look(swather, "why", "2").out
    assert look(swather, "why", "--json").data["run"] == RUN


def test_errors_are_grouped(swather: Swather, filled):
    data = look(swather, "errors", "--json").data
    assert {(group["error_class"], group["count"], group["failed"]) for group in data} == {
        ("permanent", 1, 1),
        ("transient", 1, 0),
    }
    said = look(swather, "errors", RUN, "--tracebacks")
    assert "no such book #" in said.out
    assert "e.g. no such book 12" in said.out
    assert "swather.errors.Permanent: no such book 12" in said.out


def test_a_group_may_be_shortened_and_must_be_known(swather: Swather, filled):
    groups = [group["group"] for group in look(swather, "errors", "--json").data]
    for group in groups:
        short = next(
            group[:n] for n in range(1, 17) if sum(g[:n] == group[:n] for g in groups) == 1
        )
        tasks = look(swather, "tasks", "--group", short, "--json").data
        assert tasks == look(swather, "tasks", "--group", group, "--json").data
        assert len(tasks) == 1
    said = swather("retry", RUN, "--group", "nothing-like-it")
    assert said.code == 2
    assert "has no error group 'nothing-like-it'" in said.err
    assert all(group in said.err for group in groups)
    look(swather, "cancel", RUN)
    assert "has no error group" in swather("retry", RUN, "--group", "").err


def test_tasks_count_what_was_executed_and_a_completed_one_has_no_error(swather: Swather, filled):
    found = look(swather, "tasks", "--json").data
    assert {task["target"]: (task["attempts"], task["error"]) for task in found} == {
        "a": (1, None),
        "b": (1, "no such book 12"),
        "c": (1, "try later"),
        **dict.fromkeys("def", (0, None)),
    }


def test_tasks_are_listed_by_filter(swather: Swather, filled):
    assert [t["target"] for t in look(swather, "tasks", "--state", "failed", "--json").data] == [
        "b"
    ]
    assert [t["target"] for t in look(swather, "tasks", "--reason", "ok", "--json").data] == ["a"]
    said = look(swather, "tasks", "--limit", "2")
    assert "there are more: --after 2" in said.out
    said = look(swather, "tasks", "--task", "2")
    assert "not_found" in said.out
    assert "no matching tasks" in look(swather, "tasks", "--lane", "example.com").out


def test_runs_are_listed(swather: Swather, filled):
    rows = look(swather, "runs", "--json").data
    assert (rows[0]["run"], rows[0]["tasks"], rows[0]["items"]) == (RUN, 6, 2)
    assert RUN in look(swather, "runs").out
    assert RUN in look(swather, "runs", "ls", "--state", "open").out
    assert look(swather, "runs", "ls", "--state", "finished").out == "no run is finished\n"


def test_items_are_exported(swather: Swather, filled):
    said = look(swather, "export", RUN, "-o", "books.csv")
    assert said.out == f"2 items of run {RUN} in books.csv\n"
    assert Path("books.csv").read_text() == 'title\n"\'=A"\nB\n'
    look(swather, "export", RUN, "-o", "raw.csv", "--raw")
    assert Path("raw.csv").read_text() == 'title\n"=A"\nB\n'
    look(swather, "export", RUN, "-o", "books.parquet")
    assert Path("books.parquet").read_bytes()[:4] == b"PAR1"


@pytest.mark.slow
def test_items_go_to_stdout(started: Swather, filled):
    said = started("export", RUN, "-o", "-")
    assert [json.loads(line) for line in said.out.splitlines()] == [
        {"title": "=A"},
        {"title": "B"},
    ]


def test_the_log_tells_what_failed(swather: Swather, filled):
    kinds = [json.loads(line)["kind"] for line in look(swather, "logs", "--json").out.splitlines()]
    assert sorted(kinds) == ["failed", "retry"]
    said = look(swather, "logs", "--task", "2")
    assert "failed" in said.out
    assert "no such book 12" in said.out
    assert "no matching events" in look(swather, "logs", "--task", "1").err


@pytest.mark.parametrize(
    "command",
    [
        "tasks --limit 9223372036854775807",
        *(f"{name} --limit {10**20}" for name in ("errors", "runs ls", "lanes ls", "logs")),
        f"why {10**20}",
        "runs prune --older-than 3000000d --dry-run",
        "runs prune --older-than 9999999999999d --dry-run",
    ],
)
def test_a_number_beyond_all_measure_is_told_in_one_line(swather: Swather, filled, command):
    said = swather(*command.split())
    assert (said.code, said.out) == (2, "")
    assert said.err.count("\n") == 1


@pytest.mark.parametrize(
    ("command", "told"),
    [("tasks --after", "no matching tasks"), ("logs --task", "no matching events")],
)
def test_beyond_all_measure_there_is_nothing(swather: Swather, filled, command, told):
    said = swather(*command.split(), str(10**20))
    assert said.code == 0
    assert told in said.out + said.err


@pytest.mark.parametrize("command", ["status", "why", "errors", "tasks", "logs"])
def test_an_unknown_run_is_told(swather: Swather, filled, command):
    said = swather(command, "nope")
    assert (said.code, said.out) == (2, "")
    assert said.err == "error: there is no run named 'nope'; `swather runs` lists them\n"


@pytest.mark.parametrize("command", ["why", "errors", "tasks", "logs"])
def test_without_any_run_there_is_nothing_to_show(swather: Swather, database, command):
    said = swather(command, "--db", database)
    assert (said.code, said.out) == (2, "")
    assert said.err == "error: there are no runs in this database yet\n"


@pytest.fixture
def working(filled: str) -> Iterator[int]:
    """A worker with two slots that holds three tasks: it has run one for long, and tells so."""
    with swather.open(filled, name="mill") as queue:
        store = queue._store
        leases = queue.claim(3, run=RUN)
        worker = next(each.id for each in store.workers.find() if each.name == "mill")
        current = [
            {
                "task": leases[0].task_id,
                "run": RUN,
                "target": "d",
                "seconds": 95.0,
                "timeout": 120.0,
            }
        ]
        told = {
            "run": RUN,
            "slots": 2,
            "busy": 2,
            "running": {RUN: 2},
            "average_seconds": 0.5,
            "completed": 40,
            "recent": {RUN: {"ended": 0, "seconds": 60.0, "quiet_seconds": 60.0}},
            "current": current,
        }
        store.workers.beat(worker, [lease.fence for lease in leases], told)
        yield leases[0].task_id


def test_leased_tasks_have_an_age_a_worker_and_an_attempt(swather: Swather, working: int):
    out = look(swather, "tasks", "--state", "leased").out
    assert out.splitlines()[0].split() == [
        "task", "state", "age", "timeout", "worker", "attempt", "target"
    ]  # fmt: skip
    row = next(line.split() for line in out.splitlines() if line.split()[0] == str(working))
    assert row[:3] == [str(working), "running", "1m"]
    assert row[4:] == ["2m", "mill", "1", "d"]
    assert out.count("mill") == 3
    data = look(swather, "tasks", "--state", "leased", "--json").data
    assert {row["task"]: row.get("running", {}).get("timeout") for row in data}[working] == 120


def test_stuck_tasks_are_those_that_run_for_too_long(swather: Swather, working: int):
    (stuck,) = look(swather, "tasks", "--stuck", "--json").data
    assert stuck["task"] == working
    assert "no matching tasks" in look(swather, "tasks", "--stuck", "--task", "1").out


def test_status_and_why_tell_of_a_hung_target(swather: Swather, working: int):
    out = look(swather, "status", RUN).out
    assert "running     2" in out
    assert "prefetched  1" in out
    assert "ETA         unknown" in out
    assert re.search(rf"oldest      1m 3\ds of 2m: task {working} on mill, d\n", out)
    assert "2 targets are running. The oldest, d, has run for 1m 3" in out
    assert "s of its timeout of 2m on worker mill. To look at it:\n" in out
    assert f"\n    swather why {working}\n" in out
    said = look(swather, "why", str(working)).out
    assert "It has been running for 1m 3" in said
    assert " on worker mill (attempt 1, its timeout is 2m)." in said
    reasons = look(swather, "why", "--json").data["reasons"]
    (hung,) = [reason for reason in reasons if reason["code"] == "standstill"]
    assert (hung["values"]["task"], hung["values"]["timeout"]) == (working, 120)
    assert hung["command"] == f"swather why {working}"


def test_at_80_columns_no_group_and_no_command_is_broken_in_two(
    swather: Swather, filled, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr("swather.cli.output._PIPED_WIDTH", 80)
    groups = [group["group"] for group in look(swather, "errors", "--json").data]
    listed = look(swather, "errors").out
    for group in groups:
        assert group in listed
    assert all(len(line) <= 80 for line in look(swather, "tasks").out.splitlines())
    assert f"\n    swather worker SCRAPER --run {RUN}\n" in look(swather, "status", RUN).out
