"""kill -9 of `swather run` with all its processes, again and again, the same command each time."""

import json
import logging
import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

import swather.store
from tests.worker.given import wait_until

PROGRAM = Path(sys.executable).with_name("swather")
KILLS = int(os.environ.get("SWATHER_TEST_KILLS", "5"))
TARGETS = 60 * KILLS
SCRAPER = """
from swather import scraper

@scraper
async def steady(ctx, number):
    await ctx.sleep(0.2)
    yield {"number": int(number)}
"""


def descendants(pid: int) -> list[int]:
    """The process and everything it has started, as the kernel tells it."""
    found = [pid]
    for tasks in Path(f"/proc/{pid}/task").glob("*/children"):
        for child in tasks.read_text().split():
            found += descendants(int(child))
    return found


def kill_tree(process: subprocess.Popen[bytes]) -> None:
    for pid in descendants(process.pid):
        os.kill(pid, signal.SIGSTOP)
    for pid in descendants(process.pid):
        os.kill(pid, signal.SIGKILL)
    process.wait()


@pytest.mark.skipif(sys.platform != "linux", reason="children are found in /proc")
@pytest.mark.timeout(60 + 30 * KILLS)
def test_nothing_is_lost_or_doubled_by_kill_9_of_everything(either_url: str, tmp_path: Path):
    seed = random.randrange(10**6)
    logging.getLogger(__name__).warning("the moments of the kills have seed %d", seed)
    moments = random.Random(seed)
    (tmp_path / "steady.py").write_text(SCRAPER)
    (tmp_path / "numbers.txt").write_text("".join(f"{number}\n" for number in range(TARGETS)))
    command = [
        PROGRAM, "run", "steady.py", "--targets", "numbers.txt", "--db", either_url,
        "--workers", "2", "--concurrency", "2", "-o", "out.jsonl",
    ]  # fmt: skip
    store = swather.store.open(either_url)
    said = tmp_path / "said"

    def done() -> int:
        runs = store.runs.find()
        return store.runs.counts(runs[0].name).completed if runs else 0

    def begin() -> subprocess.Popen[bytes]:
        with said.open("ab") as stderr:
            return subprocess.Popen(command, cwd=tmp_path, stdout=stderr, stderr=stderr)

    killed = 0
    while killed < KILLS:
        before = done()
        process = begin()
        if moments.random() < 0.8:
            wait_until(lambda b=before, p=process: done() > b or p.poll() is not None, 60)
        time.sleep(moments.uniform(0, 0.5))
        if process.poll() is not None:
            break
        kill_tree(process)
        killed += 1
    assert killed == KILLS, f"the run was over before all the kills: {said.read_text()}"
    assert begin().wait(120) == 0, said.read_text()

    (run,) = store.runs.find()
    counts = store.runs.counts(run.name)
    assert run.state == "finished"
    assert (counts.completed, counts.total, counts.items) == (TARGETS, TARGETS, TARGETS)
    lines = (tmp_path / "out.jsonl").read_text().splitlines()
    assert sorted(json.loads(line)["number"] for line in lines) == list(range(TARGETS))
    assert store.upkeep.check() == []
    store.close()
