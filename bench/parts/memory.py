"""The memory of a process that enqueues a million targets, and of a worker that drains them."""

import statistics
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from bench import tally
from bench.figures import Figure
from bench.processes import memory_mb
from bench.queues import QUEUES, Queue
from bench.setting import Setting
from bench.workers import Workers, folder

LOOK_SECONDS = 0.25
STALLED_SECONDS = 30.0


def measure(setting: Setting) -> list[Figure]:
    """Nothing is timed here, so both databases are at it beside each other."""
    count = setting.pick(20_000, 1_000_000, 10_000_000)
    ours = [queue for queue in QUEUES if queue.kind == "ours" and setting.wants(queue.who)]
    _ = setting.postgres
    with ThreadPoolExecutor() as pool:
        found = list(pool.map(lambda queue: _queue(setting, queue, count), ours))
    return [
        Figure(work, queue.who, "ours", "MB", (value,))
        for queue, values in zip(ours, found, strict=True)
        for work, value in values.items()
    ]


def _queue(setting: Setting, queue: Queue, count: int) -> dict[str, float]:
    with queue.fresh(setting) as url, folder() as directory:
        loaded = queue.ask("stream", url=url, count=count, seconds=3_600)
        with queue.workers(directory, url=url) as workers:
            seen = _watch(workers, directory, count)
    fifth = max(len(seen) // 5, 1)
    return {
        f"enqueue {count:,}: peak": loaded["peak_mb"],
        f"drain {count:,}: peak": max(seen),
        f"drain {count:,}: last fifth over second": statistics.median(seen[-fifth:])
        - statistics.median(seen[fifth : 2 * fifth] or seen),
    }


def _watch(workers: Workers, directory: Path, count: int) -> list[float]:
    """The memory of a worker over its work, in even steps of time."""
    seen: list[float] = []
    done, changed_at = 0, time.monotonic()
    while done < count:
        workers.check()
        now_done = tally.read_total(directory)
        if now_done > done:
            done, changed_at = now_done, time.monotonic()
            seen.append(memory_mb(workers.pids[0]))
        if time.monotonic() - changed_at > STALLED_SECONDS:
            raise RuntimeError(f"{done} of {count} done, and no more for a while")
        time.sleep(LOOK_SECONDS)
    return seen or [memory_mb(workers.pids[0])]
