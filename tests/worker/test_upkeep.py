"""What the upkeep thread says of what has failed."""

import threading
from pathlib import Path

import pytest

from swather.errors import StoreError
from swather.scraping.file_folders import FileFolders
from swather.store import Store
from swather.worker import upkeep as upkeeps
from swather.worker.upkeep import Upkeep
from tests.store.given import a_run
from tests.worker.given import wait_until


class Posted:
    """A mailbox that keeps what it is given."""

    def __init__(self):
        self.messages = []

    def post(self, message):
        self.messages.append(message)


@pytest.fixture
def upkeep(store: Store, tmp_path: Path):
    made = Upkeep(store, FileFolders({}, tmp_path, start=tmp_path), Posted())
    yield made
    made.stop()
    made.join(10)


@pytest.mark.parametrize("error", [StoreError("no answer"), ValueError("no answer")])
def test_what_is_done_once_is_not_said_to_be_tried_again(
    upkeep: Upkeep, caplog: pytest.LogCaptureFixture, error: Exception
):
    done = threading.Event()
    tried = []

    def fail(_: Store) -> None:
        tried.append(1)
        raise error

    upkeep.submit(fail)
    upkeep.submit(lambda _: done.set())
    upkeep.start()
    assert done.wait(10)
    assert tried == [1]
    assert "upkeep failed" in caplog.text
    assert "no answer" in caplog.text
    assert "again" not in caplog.text


def test_a_sweep_is_tried_again_and_said_to_be(
    upkeep: Upkeep,
    store: Store,
    caplog: pytest.LogCaptureFixture,
    monkeypatch: pytest.MonkeyPatch,
):
    tried = []

    def sweep() -> None:
        tried.append(1)
        raise StoreError("no answer")

    monkeypatch.setattr(store.workers, "sweep", sweep)
    monkeypatch.setattr(upkeeps, "SWEEP_SECONDS", 0.01)
    upkeep.start()
    wait_until(lambda: len(tried) > 1)
    assert "the sweep for dead workers failed and will be tried again: no answer" in caplog.text


def test_expired_runs_are_dropped_when_a_worker_starts(
    upkeep: Upkeep, store: Store, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(upkeeps, "EXPIRY_WORK_SECONDS", 10.0)
    runs = [a_run(store, name=f"old-{n}") for n in range(3)]
    for run in runs:
        store.runs.settle(run)
    a_run(store, 1, name="open")
    store.settings.set("keep_runs_days", 1e-9)
    upkeep.start()
    wait_until(lambda: [run.name for run in store.runs.find()] == ["open"])
