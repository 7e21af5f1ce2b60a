"""A worker process serves its own metrics, to those who know a token."""

import os
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from http import HTTPStatus
from pathlib import Path
from typing import Any

import httpx2
import pytest
from prometheus_client.parser import text_string_to_metric_families

import swather.store
from swather.model.run import NewRun
from swather.worker.metrics import FAMILIES
from tests.store.given import targets
from tests.worker.given import wait_until

TOKEN = "r" * 20
CODE = """\
import asyncio
from pathlib import Path
from swather import Permanent, scraper

@scraper
async def gated(ctx, target):
    if target == 9:
        raise Permanent("no")
    while target == 8 and not Path("open").exists():
        await asyncio.sleep(0.01)
    return {"target": target}
"""


@contextmanager
def a_worker(folder: Path, url: str, port: int, number: int) -> Iterator[subprocess.Popen[str]]:
    command = [sys.executable, "-P", "-m", "swather.cli", "worker", "gated.py", "--forever"]
    options = ["--metrics-port", str(port), "--number", str(number), "--concurrency", "5"]
    # The value, not the command line, which all users can read.
    environment = {"SWATHER_DB": url, "SWATHER_API_READ_TOKEN": TOKEN, "HOME": str(folder)}
    process = subprocess.Popen(
        [*command, *options],
        cwd=folder,
        env={**os.environ, **environment},
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        yield process
    finally:
        process.kill()
        process.communicate()


def free_ports() -> int:
    """One whose next is free, too."""
    while True:
        with socket.socket() as first, socket.socket() as second:
            first.bind(("127.0.0.1", 0))
            port = first.getsockname()[1]
            try:
                second.bind(("127.0.0.1", port + 1))
            except OSError:
                continue
            return port


def scrape(port: int) -> dict[tuple[str, ...], float]:
    answer = httpx2.get(
        f"http://127.0.0.1:{port}/metrics", headers={"Authorization": f"Bearer {TOKEN}"}
    )
    assert answer.status_code == HTTPStatus.OK
    return {
        (sample.name, *sample.labels.values()): sample.value
        for family in text_string_to_metric_families(answer.text)
        for sample in family.samples
    }


def scraped(port: int) -> dict[tuple[str, ...], float] | None:
    """None until it listens."""
    try:
        return scrape(port)
    except httpx2.TransportError:
        return None


@pytest.mark.timeout(120)
def test_a_worker_tells_the_truth_about_itself_on_its_own_port(sqlite_url: str, tmp_path: Path):
    (tmp_path / "gated.py").write_text(CODE)
    port = free_ports()
    store = swather.store.open(sqlite_url)
    run = store.runs.create(NewRun(scraper="gated")).name
    with a_worker(tmp_path, sqlite_url, port, 1) as worker:
        wait_until(lambda: scraped(port + 1))
        assert not can_connect(port)
        store.tasks.enqueue(run, targets(10))
        found: dict[Any, float] = wait_until(lambda: busy_with_one(port + 1))
        assert found["swather_worker_outcomes_total", "completed"] == 8
        assert found["swather_worker_outcomes_total", "failed"] == 1
        assert found["swather_worker_attempt_seconds_count",] == 9
        assert (found["swather_worker_slots", "busy"], found["swather_worker_slots", "free"]) == (
            1,
            4,
        )
        assert found["swather_worker_leases",] == 1
        assert found["swather_worker_healthy",] == 1
        assert found["swather_worker_memory_bytes",] > 1e7
        assert {name for name in FAMILIES if FAMILIES[name].kind != "histogram"} <= {
            key[0] for key in found
        }
        address = f"http://127.0.0.1:{port + 1}"
        for path, token in [
            ("/metrics", "-"),
            ("/metrics", TOKEN[1:]),
            ("/", "x"),
            ("/debug", "é"),
        ]:
            refused = httpx2.get(
                address + path, headers={"Authorization": f"Bearer {token}".encode()}
            )
            assert refused.status_code == HTTPStatus.UNAUTHORIZED
        assert httpx2.post(f"{address}/metrics").status_code == HTTPStatus.NOT_IMPLEMENTED
        with a_worker(tmp_path, sqlite_url, port, 1) as second:
            assert second.stderr is not None
            wait_until(lambda: "serves no metrics" in second.stderr.readline())
        (tmp_path / "open").touch()
        wait_until(lambda: scrape(port + 1)["swather_worker_outcomes_total", "completed"] == 9)
        worker.send_signal(signal.SIGTERM)
        worker.communicate(timeout=30)
        assert not can_connect(port + 1)
    store.close()


def busy_with_one(port: int) -> dict[tuple[str, ...], float] | None:
    found = scrape(port)
    ended = sum(n for key, n in found.items() if key[0] == "swather_worker_outcomes_total")
    return found if ended == 9 else None


def can_connect(port: int) -> bool:
    with socket.socket() as client:
        return client.connect_ex(("127.0.0.1", port)) == 0
