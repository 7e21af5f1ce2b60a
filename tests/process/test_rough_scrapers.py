"""A target that tries to end its process is a crash of that target; the work goes on."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

import swather.store
from swather.model.task_filter import TaskFilter
from tests import forked

pytestmark = pytest.mark.timeout(300)

ROUGH = Path(__file__).with_name("rough.py")
GOOD = [f"good-{n}" for n in range(20)]
RAISING = {
    "interrupt": "crash",
    "cancelled": "crash",
    "generator": "transient",
    "system": "transient",
}
BAD = {
    # On the worker's loop, all the tasks that a scraper sees are those of scrapers.
    "on_the_loop": {**RAISING, "spawned": "crash", "all": "completed"},
    "in_threads": RAISING,
    "in_children": RAISING,
    "in_async_children": {**RAISING, "spawned": "crash", "all": "crash"},
}


def mixed(bad: list[str]) -> list[str]:
    return [*GOOD[:10], *bad, *GOOD[10:]]


def ends_of(url: str, run: str) -> dict[str, str]:
    """How each target ended: 'completed', or the reason why not."""
    store = swather.store.open(url)
    try:
        return {
            task.target: task.reason if task.state == "failed" else str(task.state)
            for task in store.tasks.find(TaskFilter(run=run))
        }
    finally:
        store.close()


def swather_run(url: str, folder: Path, scraper: str, targets: list[str], *more: str) -> dict:
    # As few children as there can be several of.
    given = ("--db", url, "--json", "--max-failed", "100%", "--concurrency", "2")
    words = ["run", f"{ROUGH}:{scraper}", *targets, *given, *more]
    done = forked.run(words, cwd=folder, timeout=150)
    assert done.returncode == 0, done.stdout + done.stderr
    return json.loads(done.stdout)


def expected(ends: dict[str, str]) -> dict[str, str]:
    return {**dict.fromkeys(GOOD, "completed"), **ends}


@pytest.mark.parametrize(
    ("scraper", "workers"), [*((scraper, "1") for scraper in BAD), ("on_the_loop", "3")]
)
def test_what_a_scraper_raises_does_not_end_the_run(
    sqlite_url: str, tmp_path: Path, scraper: str, workers: str
):
    bad = BAD[scraper]
    told = swather_run(sqlite_url, tmp_path, scraper, mixed(list(bad)), "--workers", workers)
    assert ends_of(sqlite_url, told["run"]) == expected(bad)
    assert told["interrupted"] is False


@pytest.mark.parametrize("scraper", BAD)
def test_what_a_scraper_raises_does_not_end_a_run_in_this_process(
    sqlite_url: str, tmp_path: Path, scraper: str
):
    program = f"""
import sys
import swather
from swather.scraping.registry import load
scraper = load({f"{ROUGH}:{scraper}"!r})
done = swather.run(scraper, sys.argv[1:], db={sqlite_url!r}, concurrency=2, progress=False)
print(done.run)
"""
    done = subprocess.run(
        [sys.executable, "-c", program, *mixed(list(BAD[scraper]))],
        cwd=tmp_path,
        check=False,
        capture_output=True,
        text=True,
        timeout=150,
    )
    assert done.returncode == 0, done.stderr
    assert ends_of(sqlite_url, done.stdout.strip()) == expected(BAD[scraper])


def test_an_exit_code_of_a_scraper_is_not_taken_for_the_workers(sqlite_url: str, tmp_path: Path):
    bad = ["exit-0", "exit-2", "exit-3", "exit-75", "exit-130"]
    told = swather_run(sqlite_url, tmp_path, "on_the_loop", mixed(bad))
    assert ends_of(sqlite_url, told["run"]) == expected(dict.fromkeys(bad, "crash"))


@pytest.mark.parametrize("scraper", ["in_threads", "in_children"])
def test_a_scraper_that_exits_ends_its_own_target_alone(
    either_url: str, tmp_path: Path, scraper: str
):
    bad = ["exit-0", "exit-130"]
    told = swather_run(either_url, tmp_path, scraper, mixed(bad))
    assert ends_of(either_url, told["run"]) == expected(dict.fromkeys(bad, "crash"))


def test_several_workers_go_on_when_a_scraper_ends_them(sqlite_url: str, tmp_path: Path):
    told = swather_run(sqlite_url, tmp_path, "in_threads", mixed(["exit-0"]), "--workers", "2")
    assert ends_of(sqlite_url, told["run"]) == expected({"exit-0": "crash"})


def test_a_scraper_that_stops_the_event_loop_stops_nothing_else(sqlite_url: str, tmp_path: Path):
    told = swather_run(sqlite_url, tmp_path, "on_the_loop", mixed(["stop"]))
    assert ends_of(sqlite_url, told["run"]) == expected({"stop": "completed"})
