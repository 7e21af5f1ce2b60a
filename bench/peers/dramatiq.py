"""Dramatiq on Redis.

Enqueue: `send` in a loop; it has no bulk verb. Work: its command line with one process and 32
threads (the best of 8, the default, to 64 here: it prefetches by their number), no results, the
middleware that it has by default. An idle worker asks Redis again after waits that double up to a
second; `poll_seconds` is 10 ms where latency is measured (its variable dramatiq_worker_timeout).

Recovery is on by default: messages of a worker without a heartbeat for 60 s are taken over at the
next maintenance, which one command in a thousand does. With recovery asked for, the heartbeat
timeout is 5 s and every fifth command does the maintenance.
"""

import os
import sys
import time
from typing import Any

import dramatiq
from dramatiq import cli
from dramatiq.brokers.redis import RedisBroker

from bench import driver, jobs, trickle

URL = "BENCH_URL"
RECOVER = "BENCH_RECOVER"
TIMEOUT = "dramatiq_worker_timeout"
THREADS = 32


def broker_on(url: str, *, recover: bool = False) -> RedisBroker:
    settings = {"heartbeat_timeout": 5_000, "maintenance_chance": 200_000} if recover else {}
    broker = RedisBroker(url=url, **settings)
    dramatiq.set_broker(broker)
    for job in (jobs.nothing, jobs.stamp, jobs.wait):
        dramatiq.actor(job, actor_name=job.__name__, broker=broker)
    return broker


def prepare(url: str) -> dict[str, Any]:
    return {}


def enqueue(url: str, kind: str, count: int) -> dict[str, Any]:
    actor = broker_on(url).get_actor(kind)
    targets = jobs.targets(0, count)
    began = time.perf_counter()
    for target in targets:
        actor.send(target)
    return {"seconds": time.perf_counter() - began}


def one_by_one(url: str, count: int) -> dict[str, Any]:
    return trickle.one_by_one(broker_on(url).get_actor(jobs.STAMP).send, count)


def work(
    url: str,
    slots: int | None = None,
    recover: bool = False,
    poll_seconds: float | None = None,
) -> dict[str, Any]:
    os.environ[URL] = url
    if poll_seconds:
        os.environ[TIMEOUT] = str(round(poll_seconds * 1_000))
    os.environ[RECOVER] = "1" if recover else ""
    threads = str(slots or THREADS)
    sys.argv = ["dramatiq", __spec__.name, "--processes", "1", "--threads", threads]
    cli.main()
    return {}


if __name__ == "__main__":
    driver.main(prepare=prepare, enqueue=enqueue, one_by_one=one_by_one, work=work)
elif URL in os.environ:
    # Imported by dramatiq's own command line, in the process of a worker.
    broker_on(os.environ[URL], recover=bool(os.environ[RECOVER]))
