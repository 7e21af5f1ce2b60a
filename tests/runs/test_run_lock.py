"""One process of this machine executes a run; a lock says so, and ends with it."""

import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

import swather.store
from swather.errors import RunLocked
from swather.runs.run_lock import RunLock, wait_until_free
from swather.store import Store
from tests.store.given import a_run
from tests.store.processes import ROOT

HOLDING = """
import sys
import swather.store
from swather.runs.run_lock import RunLock
store = swather.store.open(sys.argv[1])
lock = RunLock(store, store.runs.get(sys.argv[2]))
print("held", flush=True)
sys.stdin.read()
lock.release()
"""


@pytest.fixture(autouse=True)
def _state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))


@contextmanager
def another_process(url: str, run: str) -> Iterator["subprocess.Popen[str]"]:
    """One that has the lock."""
    command = [sys.executable, "-c", HOLDING, url, run]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=ROOT
    ) as process:
        try:
            assert process.stdout is not None
            assert process.stdout.readline() == "held\n"
            yield process
        finally:
            process.kill()


def test_a_run_is_locked_once_at_a_time(store: Store):
    run, other = (store.runs.get(a_run(store)) for _ in range(2))
    first = RunLock(store, run)
    with pytest.raises(RunLocked, match=rf"run {run.name} is executed by process {os.getpid()} of"):
        RunLock(store, run)
    RunLock(store, other).release()
    first.release()
    RunLock(store, run).release()


def test_the_lock_leaves_no_file_behind(store: Store, tmp_path: Path):
    run = store.runs.get(a_run(store))
    before = set(tmp_path.rglob("*.lock"))
    lock = RunLock(store, run)
    with pytest.raises(RunLocked) as held:
        RunLock(store, run)
    assert held.value.lock.exists()
    lock.release()
    assert set(tmp_path.rglob("*.lock")) == before


@pytest.mark.slow
def test_the_lock_of_a_killed_process_blocks_nobody(store: Store):
    run = store.runs.get(a_run(store))
    with another_process(store.url, run.name) as process:
        with pytest.raises(RunLocked, match=rf"is executed by process {process.pid} of .* since "):
            RunLock(store, run)
        process.kill()
        process.wait()
        RunLock(store, run).release()


def test_whoever_waits_goes_on_when_the_lock_is_free(tmp_path: Path):
    store = swather.store.open(f"sqlite:///{tmp_path}/queue.db")
    run = store.runs.get(a_run(store))
    lock = RunLock(store, run)
    with pytest.raises(RunLocked) as held:
        RunLock(store, run)
    waiting = threading.Thread(target=wait_until_free, args=(held.value.lock,))
    waiting.start()
    assert waiting.is_alive()
    lock.release()
    waiting.join(10)
    assert not waiting.is_alive()
    wait_until_free(held.value.lock)
    store.close()
