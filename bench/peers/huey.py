"""Huey, on SQLite or Redis.

Enqueue: one call per task; it has no bulk verb. Work: its consumer with threads, no results kept,
no logging; SQLite in WAL mode and, unless `fsync` says otherwise, as durable as SQLite is by
default, which is what ours is; with `fsync=False` as fast as it gets. Two worker threads on SQLite
and one on Redis for jobs that do nothing: more of them only wait for one lock. On SQLite new tasks
are polled for, every 0.1 s backing off to 10 s by default; where the latency is measured
`poll_seconds` is 10 ms. On Redis they are pushed by a blocking pop.

Recovery: there is none to switch on. A task is popped before it is run, and what a killed consumer
had popped is gone.
"""

import logging
import time
from pathlib import Path
from typing import Any

from huey import RedisHuey, SqliteHuey

from bench import driver, jobs, trickle

JOBS = (jobs.nothing, jobs.stamp, jobs.wait)


def huey_on(url: str, fsync: bool | None = None) -> tuple[Any, dict[str, Any]]:
    """The queue, and its tasks by name."""
    if url.startswith("redis://"):
        queue = RedisHuey("bench", url=url, results=False)
    else:
        queue = SqliteHuey("bench", filename=url, fsync=fsync, results=False)
    return queue, {job.__name__: queue.task()(job) for job in JOBS}


def prepare(url: str, fsync: bool | None = None) -> dict[str, Any]:
    if not url.startswith("redis://"):
        Path(url).unlink(missing_ok=True)
    huey_on(url, fsync)
    return {}


def enqueue(url: str, kind: str, count: int, fsync: bool | None = None) -> dict[str, Any]:
    _, tasks = huey_on(url, fsync)
    task = tasks[kind]
    targets = jobs.targets(0, count)
    began = time.perf_counter()
    for target in targets:
        task(target)
    return {"seconds": time.perf_counter() - began}


def one_by_one(url: str, count: int, fsync: bool | None = None) -> dict[str, Any]:
    return trickle.one_by_one(huey_on(url, fsync)[1][jobs.STAMP], count)


def work(
    url: str,
    slots: int | None = None,
    recover: bool = False,
    fsync: bool | None = None,
    poll_seconds: float | None = None,
) -> dict[str, Any]:
    logging.disable(logging.ERROR)
    polls = {"initial_delay": poll_seconds, "max_delay": poll_seconds} if poll_seconds else {}
    queue, _ = huey_on(url, fsync)
    queue.create_consumer(
        workers=slots or (1 if url.startswith("redis://") else 2),
        worker_type="thread",
        periodic=False,
        **polls,
    ).run()
    return {}


if __name__ == "__main__":
    driver.main(prepare=prepare, enqueue=enqueue, one_by_one=one_by_one, work=work)
