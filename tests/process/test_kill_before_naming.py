"""A worker that dies between the commit of a file and its name: others name it."""

import signal
from pathlib import Path

import pytest

from tests.process.given import Yard
from tests.worker.given import wait_until


def name_of(folder: Path, number: int) -> Path:
    return folder / "files" / f"page-{number}.html"


def test_the_next_worker_names_what_a_killed_one_committed(either_yard: Yard, tmp_path: Path):
    run = either_yard.run("saver", [{"die": True}])
    assert either_yard.start(run, "saver").end() == -signal.SIGKILL
    assert either_yard.counts(run) == {"completed": 1}
    assert not name_of(tmp_path, 0).exists()
    assert len(either_yard.store.results.unlinked()) == 1
    assert either_yard.start(run, "saver").end() == 0
    assert name_of(tmp_path, 0).read_bytes() == b"page 0"
    assert either_yard.store.results.unlinked() == []


@pytest.mark.parametrize("checkpoint", [False, True])
def test_a_live_worker_names_what_a_killed_one_committed(
    either_yard: Yard, tmp_path: Path, checkpoint
):
    run = either_yard.run("saver", [{"die": True, "checkpoint": checkpoint}])
    waiting = either_yard.run("patient", [{}])
    neighbour = either_yard.start(waiting, "patient")
    either_yard.wait_for("began-0")
    assert either_yard.start(run, "saver").end() == -signal.SIGKILL
    wait_until(lambda: name_of(tmp_path, 0).exists(), 30)
    assert name_of(tmp_path, 0).read_bytes() == b"page 0"
    wait_until(lambda: either_yard.store.results.unlinked() == [])
    assert neighbour.is_alive


def test_a_worker_that_ends_leaves_no_name_to_be_made(either_yard: Yard, tmp_path: Path):
    run = either_yard.run("saver", [{}] * 20)
    assert either_yard.start(run, "saver").end() == 0
    assert all(name_of(tmp_path, number).exists() for number in range(20))
    assert either_yard.store.results.unlinked() == []
