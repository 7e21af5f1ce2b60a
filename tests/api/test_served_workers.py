"""`serve --workers`: what the six addresses order is done, by a real supervisor and workers."""

import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from websockets.sync.client import connect

from swather.model.task_filter import TaskFilter
from swather.posix import this_process
from swather.store import Store
from tests.served import READER, ServedProcess, served
from tests.worker.given import wait_until

SCRAPER = """
import asyncio
from swather import scraper

@scraper
async def nap(ctx, target):
    await asyncio.sleep(target["seconds"])
    yield {"n": target["n"]}
"""
PATIENCE_SECONDS = 60.0


@pytest.fixture
def server(store: Store, tmp_path: Path) -> Iterator[ServedProcess]:
    (tmp_path / "naps.py").write_text(SCRAPER)
    (tmp_path / "swather.toml").write_text('[scrapers.nap]\npath = "naps.py"\n')
    variables = {"SWATHER_DB": store.url, "SWATHER_STAGGER_SECONDS": "0.01"}
    with served(tmp_path, "--workers", "0", **variables) as found:
        yield found


def workers(server: ServedProcess) -> dict[str, Any]:
    found: dict[str, Any] = server.ask("GET", "/jobs/workers/status").data["worker_status"]
    return found


def until_active(server: ServedProcess, number: int) -> dict[str, Any]:
    wait_until(lambda: workers(server)["active_workers"] == number, PATIENCE_SECONDS)
    return workers(server)


def ordered(server: ServedProcess, verb: str, number: Any = None) -> tuple[int, Any]:
    body = None if number is None else {"num_workers": number}
    answer = server.ask("POST", f"/jobs/workers/{verb}", body)
    return answer.status, answer.data


@pytest.mark.slow
@pytest.mark.timeout(240)
def test_workers_start_stop_and_restart_as_they_are_told(
    server: ServedProcess, store: Store
) -> None:
    wait_until(store.supervisors.find)
    targets = [{"n": 0, "seconds": 0}, {"n": 1, "seconds": 600}, {"n": 2, "seconds": 600}]
    started = server.ask("POST", "/api/v1/runs", {"scraper": "nap", "targets": targets})
    assert (started.status, started.data["enqueued"]) == (201, 3)
    assert workers(server) == {
        "running": False,
        "num_workers": 0,
        "active_workers": 0,
        "total_processed": 0,
        "total_failed": 0,
        "startup_recovery_done": True,
    }

    assert ordered(server, "start", 1)[1]["num_workers"] == 1
    assert until_active(server, 1)["running"] is True
    for number in (0, -1, "x"):
        assert ordered(server, "start", number)[0] == 422
    status, problem = ordered(server, "start", 3)
    assert (status, problem["command"].startswith("swather fleet scale 3")) == (409, True)

    _watch(server)

    # A worker that is to stop would wait for them.
    store.tasks.cancel(TaskFilter(run=started.data["run"]))
    assert ordered(server, "restart", 2)[1]["num_workers"] == 2
    assert until_active(server, 2)["num_workers"] == 2

    assert ordered(server, "stop")[0] == 200
    assert until_active(server, 0)["running"] is False
    assert ordered(server, "start", 1)[0] == 200
    until_active(server, 1)

    # Nobody is told of a server that is killed, but its workers notice.
    (left,) = store.workers.find()
    server.process.kill()
    wait_until(lambda: not _is_alive(left.process.pid), PATIENCE_SECONDS)


def _watch(server: ServedProcess) -> None:
    """Two messages, of which one has what the worker does."""
    headers = {"Authorization": f"Bearer {READER}"}
    with connect(f"ws://{server.host}/jobs/status", additional_headers=headers) as watching:

        def message() -> dict[str, Any]:
            found: dict[str, Any] = json.loads(watching.recv(timeout=10))
            return found

        wait_until(lambda: _has_target(message()), PATIENCE_SECONDS)
        one, other = message(), message()
    assert one["at"] < other["at"]
    assert set(other) == {
        "at",
        "worker_status",
        "performance_metrics",
        "features",
        "workers",
        "active_runs",
        "runs",
    }
    assert other["worker_status"]["total_processed"] == 1
    assert other["active_runs"] == 1
    (worker,) = other["workers"]
    assert worker["name"] == f"{this_process().host}-0"
    assert json.loads(worker["target"])["seconds"] == 600
    assert worker["since"] < other["at"]


def _has_target(message: dict[str, Any]) -> bool:
    done = message["worker_status"]["total_processed"] == 1
    return done and any(worker["target"] for worker in message["workers"])


def _is_alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True
