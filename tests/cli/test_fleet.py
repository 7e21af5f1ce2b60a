"""`swather fleet`: one fleet from its start to its end, and what each command says."""

import os
import pty
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest

import swather.store
from swather import posix
from swather.model.supervisor import NewSupervisor, SupervisorState
from swather.store import Store
from tests.cli.conftest import PROGRAM, Swather, done
from tests.worker.given import wait_until

SCRAPER = """
import asyncio
from swather import scraper

@scraper
async def nap(ctx, target):
    await asyncio.sleep(target["seconds"])
    yield {"n": target["n"]}
"""


@pytest.fixture
def store(swather: Swather) -> Iterator[Store]:
    done(swather, "db", "init")
    opened = swather_store()
    yield opened
    opened.close()


def swather_store() -> Store:
    return swather.store.open("sqlite:///swather.db")


def a_fleet(store: Store, name: str = "barn", **fields: Any) -> int:
    fields = {"process": posix.this_process(), "wanted": 2, **fields}
    return store.supervisors.register(NewSupervisor(name=name, **fields))


@pytest.fixture
def naps(swather: Swather, monkeypatch: pytest.MonkeyPatch) -> str:
    """A run of targets that take a while."""
    monkeypatch.setenv("SWATHER_STAGGER_SECONDS", "0.01")
    Path("naps.py").write_text(SCRAPER)
    lines = [f'{{"n": {n}, "seconds": 0.02}}\n' for n in range(200)]
    Path("naps.jsonl").write_text("".join(lines))
    data = done(swather, "enqueue", "naps.py", "--targets", "naps.jsonl", "--json").data
    return data["run"]


@pytest.mark.slow
def test_a_fleet_in_the_background_from_its_start_to_its_end(swather: Swather, naps: str):
    options = ("--name", "barn", "--concurrency", "2", "--workers", "1", "--yes")
    said = done(swather, "fleet", "up", "naps.py", *options, "--detach")
    assert "Fleet barn is up: process" in said.out
    store = swather_store()
    (row,) = store.supervisors.find()
    try:
        again = swather("fleet", "up", "naps.py", *options)
        assert (again.code, again.out) == (2, "")
        assert f"'barn' is already up: its supervisor is process {row.process.pid}" in again.err
        assert done(swather, "fleet", "scale", "2", "--json").data["wanted"] == 2

        def two_at_work() -> bool:
            workers = done(swather, "fleet", "status", "--json").data[0]["workers"]
            return len(workers) == 2 and all(worker["completed"] for worker in workers)

        wait_until(two_at_work)
        assert "up" in done(swather, "fleet", "status").out
        wait_until(lambda: not store.runs.counts(naps).unfinished)
    finally:
        down = done(swather, "fleet", "down")
    counts = store.runs.counts(naps)
    assert f"Run {naps}: 200 completed, 0 failed, 200 items meanwhile; 200 of 200 done." in down.out
    workers = [line.split() for line in down.out.splitlines() if line.startswith("Worker ")]
    assert sum(int(words[2]) for words in workers) == counts.completed == 200
    assert store.supervisors.get(row.id).state is SupervisorState.RETIRED
    logs = done(swather, "fleet", "logs", "--limit", "5000").out
    assert logs.count(" INFO completed {") == 200
    assert "supervisor | " in logs
    assert "wanted workers: 2 instead of 1" in logs
    only = done(swather, "fleet", "logs", "1", "-n", "2").out.splitlines()
    assert [line.split(" | ")[0] for line in only] == ["worker-1  "] * 2
    store.close()


@pytest.mark.slow
def test_in_the_foreground_it_shows_its_workers_and_ends_with_a_signal(
    naps: str, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv("TERM", "xterm")
    ours, theirs = pty.openpty()
    command = [PROGRAM, "fleet", "up", "naps.py", "--run", naps, "--workers", "2", "--name", "barn"]
    with subprocess.Popen(
        [*command, "--concurrency", "1", "--yes"],
        stdin=theirs,
        stdout=subprocess.PIPE,
        stderr=theirs,
    ) as process:
        os.close(theirs)
        seen = b""
        while not re.search(rb"2 of 2 workers.*1 of 1 busy \S+ [1-9]", seen, re.DOTALL):
            seen += os.read(ours, 1 << 16)
        process.send_signal(signal.SIGINT)
        while True:
            try:
                data = os.read(ours, 1 << 16)
            except OSError:
                break
            if not data:
                break
            seen += data
        assert process.stdout is not None
        out = process.stdout.read().decode()
        assert process.wait(30) == 130
    os.close(ours)
    text = seen.decode(errors="replace")
    assert "Fleet barn: 2 of 2 workers" in text
    assert "Finishing running targets; press Ctrl-C again to stop now" in text
    assert out.startswith("Fleet barn was up for")
    store = swather_store()
    counts = store.runs.counts(naps)
    assert counts.leased == 0
    assert f"{counts.done:,} of 200 done" in out
    store.close()


@pytest.mark.slow
def test_a_fleet_whose_code_does_not_run_is_not_started(installed: Swather, naps: str):
    Path("naps.py").write_text("raise RuntimeError('no')")
    said = installed("fleet", "up", "naps.py", "--detach", "--yes")
    assert said.code == 2
    assert "RuntimeError" in said.err
    assert not list(Path().glob(".swather/logs/fleet-*"))


def test_without_a_fleet_each_command_says_how_to_start_one(swather: Swather, store: Store):
    for command in (["scale", "3"], ["restart"], ["down"]):
        said = swather("fleet", *command)
        assert said.code == 2
        assert "no fleet is up; start one: swather fleet up" in said.err
    assert "no fleet is up" in done(swather, "fleet", "status").out
    assert done(swather, "fleet", "status", "--json").data == []
    assert "there was no fleet yet" in swather("fleet", "logs").err
    assert done(swather, "fleet", "down", "--all", "--json").data == []


def test_of_several_fleets_one_must_be_named(swather: Swather, store: Store):
    barn, shed = a_fleet(store), a_fleet(store, "shed")
    for command in (["scale", "3"], ["restart"], ["down"], ["logs"]):
        said = swather("fleet", *command)
        assert (said.code, said.out) == (2, "")
        assert "several fleets are up: barn, shed" in said.err
    said = done(swather, "fleet", "scale", "5", "--name", "shed")
    assert said.out == "fleet shed: 5 workers wanted instead of 2\n"
    done(swather, "fleet", "restart", "--name", "barn")
    orders = [store.supervisors.beat(number) for number in (barn, shed)]
    assert [(order.wanted, order.restarts) for order in orders] == [(2, 1), (5, 0)]
    unknown = swather("fleet", "scale", "5", "--name", "byre")
    assert "there is no fleet named 'byre'; up are: barn, shed" in unknown.err


def test_a_fleet_that_scales_itself_is_not_scaled_by_hand(swather: Swather, store: Store):
    a_fleet(store, minimum=1, maximum=4)
    said = swather("fleet", "scale", "3")
    assert said.code == 2
    assert "scales itself between 1 and 4 workers" in said.err


def test_a_dead_supervisor_is_called_lost_at_once(swather: Swather, store: Store):
    with subprocess.Popen([sys.executable, "-S", "-c", ""]) as ended:
        process = msgspec.structs.replace(posix.this_process(), pid=ended.pid, started="1")
    a_fleet(store, process=process)
    said = done(swather, "fleet", "status").out
    assert "lost: its supervisor died; `swather fleet up` starts it again" in said
    assert "the fleet 'barn' is not up" in swather("fleet", "down", "--name", "barn").err


def test_what_a_database_says_of_a_fleet_controls_no_terminal(
    swather: Swather, store: Store, tmp_path: Path
):
    nasty = "\x1b]0;owned\x07\x1b[2J"
    worker = {"number": 0, "state": nasty, "where": nasty, "crashes": 1, "why": nasty}
    number = a_fleet(store, nasty, command=nasty, log_folder=str(tmp_path))
    store.supervisors.beat(number, {"workers": [worker, {}]})
    (tmp_path / "worker-0.log").write_text(f"2026-01-01 {nasty}\n")
    for command in (["status"], ["logs"], ["scale", "1"], ["restart"], ["status", "--json"]):
        said = done(swather, "fleet", *command)
        assert "\x1b" not in said.out + said.err
    store.supervisors.retire(number, {"totals": [nasty]})
    assert "\x1b" not in done(swather, "fleet", "status").out


def test_logs_are_read_in_the_order_of_their_times(swather: Swather, store: Store, tmp_path: Path):
    a_fleet(store, log_folder=str(tmp_path))
    (tmp_path / "worker-0.log").write_text(
        "2026-01-01 10:00:00,000 INFO a\n2026-01-01 10:00:02,000 ERROR c\n  its traceback\n"
    )
    (tmp_path / "supervisor.log").write_text("2026-01-01 10:00:01,000 INFO b\n")
    (tmp_path / "private.log").write_text("2026-01-01 10:00:01,000 INFO not ours\n")
    lines = done(swather, "fleet", "logs").out.splitlines()
    assert [line.split(" | ")[1][24:] for line in lines] == ["INFO a", "INFO b", "ERROR c", ""]
    assert len(done(swather, "fleet", "logs", "-n", "1").out.splitlines()) == 1
    assert len(done(swather, "fleet", "logs", "--json").out.splitlines()) == 4
    assert "no log is called 'private'" in swather("fleet", "logs", "private").err
    none = done(swather, "fleet", "logs", "7")
    assert (none.out, none.err) == ("", f"no log of this kind in {tmp_path}\n")


def test_logs_on_another_machine_are_named(swather: Swather, store: Store):
    a_fleet(store, log_folder="/nowhere/at/all")
    said = swather("fleet", "logs")
    assert said.code == 2
    assert "the logs of fleet barn are in /nowhere/at/all on" in said.err


MISTAKES = {
    "no such scraper": (["up", "nowhere.py"], "nowhere.py"),
    "no such run": (["up", "--run", "nope"], "nope"),
    "a name that is no file's": (["up", "--name", "a/b"], "the name of a fleet"),
    "two workers and a number": (["up", "--test", "--workers", "3"], "--test has two workers"),
    "too few": (["scale", "-1"], "-1"),
}


@pytest.mark.parametrize("name", MISTAKES)
def test_a_mistake_is_one_line(swather: Swather, store: Store, name):
    command, words = MISTAKES[name]
    said = swather("fleet", *command)
    assert (said.code, said.out) == (2, "")
    assert words in said.err
    assert len(said.err.splitlines()) == 1
    assert store.supervisors.find(live=False) == []


def test_without_a_database_nothing_is_started(swather: Swather):
    said = swather("fleet", "up", "--name", "barn")
    assert said.code == 3
    assert "there is no database" in said.err
