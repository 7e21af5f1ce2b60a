"""The scraper `media` on five sources: at once and one by one, and 1,000 queries on two workers."""

import json
import os
import statistics
import subprocess
import tempfile
import time
from functools import partial
from pathlib import Path
from typing import Any

from bench.environment import OURS
from bench.figures import Figure
from bench.processes import memory_mb
from bench.queues import QUEUES, Queue
from bench.servers.sources import KEYS, PICTURES, five_sources
from bench.setting import Contender, Setting, in_turns
from tests.builtin.media.stand_ins import StandIn

ANSWER_SECONDS = 0.5
QUERIES = 3
WORKERS = 2
LOOK_SECONDS = 0.25
SWATHER = OURS.parent / "swather"


def measure(setting: Setting) -> list[Figure]:
    ours = [queue for queue in QUEUES if queue.kind == "ours" and setting.wants(queue.who)]
    return [
        *in_turns(
            setting,
            [Contender(queue.who, "ours", partial(_one_query, setting, queue)) for queue in ours],
        ),
        *in_turns(
            setting,
            [Contender(queue.who, "ours", partial(_queries, setting, queue)) for queue in ours],
            repeats=1,
        ),
    ]


def _one_query(setting: Setting, queue: Queue) -> dict[tuple[str, str], float]:
    """How long a job takes, as it says itself: without the start of a process."""
    seconds = {}
    queries = [f"query {number}" for number in range(QUERIES)]
    with five_sources(ANSWER_SECONDS) as sites, queue.fresh(setting) as url:
        for at_once in (1, 5):
            with tempfile.TemporaryDirectory(prefix="swather-bench-") as folder:
                options = ["--max-concurrent-sources", str(at_once), "--concurrency", "1"]
                _swather("run", url, folder, sites, *queries, *options, "--duplicates", "keep")
                _check_complete(Path(folder), QUERIES, len(sites))
                seconds[at_once] = statistics.median(job["seconds"] for job in _jobs(Path(folder)))
    return {
        ("5 sources, one by one", "s"): seconds[1],
        ("5 sources at once", "s"): seconds[5],
    }


def _queries(setting: Setting, queue: Queue) -> dict[tuple[str, str], float]:
    count = setting.pick(50, 1_000)
    with (
        five_sources() as sites,
        queue.fresh(setting) as url,
        tempfile.TemporaryDirectory(prefix="swather-bench-") as name,
    ):
        folder = Path(name)
        targets = folder / "queries.txt"
        targets.write_text("".join(f"query {number}\n" for number in range(count)))
        _swather("enqueue", url, name, sites, "--targets", str(targets))
        began = time.monotonic()
        workers = [
            subprocess.Popen([SWATHER, "worker", "media", "--db", url], cwd=folder, env=_clean())
            for _ in range(WORKERS)
        ]
        seen = _watch(workers)
        took = time.monotonic() - began
        _swather("export", url, name, {}, "media", "-o", "results.jsonl")
        _check_complete(folder, count, len(sites))
    fifth = max(len(seen) // 5, 1)
    grown = statistics.median(seen[-fifth:]) - statistics.median(seen[fifth : 2 * fifth] or seen)
    work = f"{count:,} queries"
    return {
        (f"{work}: files", "files/s"): count * len(sites) * PICTURES / took,
        (f"{work}: peak", "MB"): max(seen),
        (f"{work}: last fifth over second", "MB"): grown,
    }


def _watch(workers: list[subprocess.Popen[bytes]]) -> list[float]:
    """The memory of the larger worker, until both have ended."""
    seen: list[float] = []
    while running := [worker for worker in workers if worker.poll() is None]:
        if len(running) == len(workers):
            seen.append(max(memory_mb(worker.pid) for worker in running))
        time.sleep(LOOK_SECONDS)
    assert all(worker.returncode == 0 for worker in workers), "a worker failed"
    return seen


def _check_complete(folder: Path, queries: int, sources: int) -> None:
    jobs = _jobs(folder)
    worked = sum(len(job["results"]["successful_sources"]) for job in jobs)
    files = len(list(folder.glob("*/query */*/*.jpg")))
    wanted = (queries, queries * sources, queries * sources * PICTURES)
    if (len(jobs), worked, files) != wanted:
        raise RuntimeError(f"jobs, sources, files: {len(jobs), worked, files} of {wanted}")


def _jobs(folder: Path) -> list[dict[str, Any]]:
    path = next(folder.glob("*.jsonl"))
    items = [json.loads(line) for line in path.read_text().splitlines()]
    return [item for item in items if item["type"] == "job"]


def _swather(
    command: str,
    url: str,
    folder: str,
    sites: dict[str, StandIn],
    *words: str,
) -> None:
    options = ["--db", url]
    for name, site in sites.items():
        options += ["--sources", name, "--source-url", f"{name}={site.url}"]
    if sites:
        options += ["--per-source", str(PICTURES), "--source-timeout", "300"]
        words = ("media", *words)
    done = subprocess.run(
        [SWATHER, command, *words, *options],
        cwd=folder, env=_clean(), capture_output=True, text=True, check=False,
    )  # fmt: skip
    if done.returncode:
        raise RuntimeError(f"swather {command} ended with {done.returncode}: {done.stderr[-2000:]}")


def _clean() -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if not name.startswith("SWATHER_")}
    return {**kept, **KEYS}
