"""Schedulers as real processes, some of them killed: each due time becomes one run."""

import os
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

import swather.store
from swather.model.run import RunState
from swather.store import Store
from tests.store.database import Postgres, SQLite
from tests.worker.given import wait_until

PROGRAM = Path(sys.executable).with_name("swather")
SCRAPER = "from swather import scraper\n\n@scraper\ndef books(ctx, n):\n    return n\n"
SETTINGS = """\
[scrapers.books]
path = "books.py"
targets = "n.txt"
schedule = { cron = "0 0 1 1 *", overlap = "both" }
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "books.py").write_text(SCRAPER)
    (tmp_path / "swather.toml").write_text(SETTINGS)
    (tmp_path / "n.txt").write_text("1\n2\n3\n")
    return tmp_path


@pytest.fixture
def store(either_url: str) -> Iterator[Store]:
    opened = swather.store.open(either_url)
    yield opened
    opened.close()


def a_scheduler(folder: Path, url: str) -> subprocess.Popen[bytes]:
    with (folder / f"log-{time.monotonic_ns()}").open("wb") as log:
        return subprocess.Popen(
            [PROGRAM, "schedules", "run", "--db", url],
            cwd=folder,
            stderr=log,
            env={**os.environ, "SWATHER_POLL_SECONDS": "0.02"},
        )


def make_due(url: str) -> None:
    """As if the year had begun: the due time is a moment ago, and another one than before."""
    if url.startswith("sqlite"):
        SQLite(Path(url.removeprefix("sqlite:///"))).execute(
            "UPDATE schedules SET next_at = unixepoch('subsec') - 1"
        )
        return
    postgres = Postgres(url)
    postgres.execute("UPDATE swather.schedules SET next_at = now() - interval '1 second'")
    postgres.close()


def test_three_schedulers_of_which_two_are_killed_start_each_run_once(
    folder: Path, either_url: str, store: Store
):
    schedulers = [a_scheduler(folder, either_url) for _ in range(3)]
    try:
        wait_until(store.schedules.find)
        for number in range(1, 4):
            make_due(either_url)
            wait_until(lambda number=number: len(store.runs.find()) == number)
            if number < 3:
                # Perhaps the one that loads just now.
                schedulers[number].kill()
        wait_until(lambda: [run.load_incomplete for run in store.runs.find()] == [False] * 3)
        wait_until(lambda: {each.state for each in store.schedules.firings()} == {"running"})
        assert [store.runs.counts(run.name).ready for run in store.runs.find()] == [3, 3, 3]
        assert {run.state for run in store.runs.find()} == {RunState.OPEN}
        schedulers[0].terminate()
        assert schedulers[0].wait(30) == 0
    finally:
        for each in schedulers:
            each.kill()
            each.wait()
