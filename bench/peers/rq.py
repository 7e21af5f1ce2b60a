"""RQ on Redis.

Enqueue: `enqueue_many` of 1,000 prepared jobs in one pipeline, its page on bulk jobs. Work: the
SimpleWorker, which its page on workers recommends where forking for every job costs more than the
job; no logging, no results kept. One job at a time is what a worker of RQ does.

Recovery: a job whose worker was killed is found by the maintenance of another worker (every 10
minutes by default) once its heartbeat is older than the monitoring interval (30 s) and a minute,
and is retried if it has retries left: so `Retry(max=3)`, a maintenance every 5 s, an interval of
2 s, and a worker TTL of 20 s, since an idle worker looks no sooner. The default worker forks for
every job; there are ten of them.
"""

import logging
import time
from typing import Any

from redis import Redis
from rq import Queue, Retry, SimpleWorker, Worker

from bench import driver, jobs, trickle

BATCH = 1_000
FUNCTIONS = {jobs.NOTHING: jobs.nothing, jobs.STAMP: jobs.stamp, jobs.WAIT: jobs.wait}


def queue_on(url: str) -> Queue:
    return Queue(connection=Redis.from_url(url))


def prepare(url: str) -> dict[str, Any]:
    return {}


def enqueue(url: str, kind: str, count: int, recover: bool = False) -> dict[str, Any]:
    queue = queue_on(url)
    retry = Retry(max=3) if recover else None
    began = time.perf_counter()
    for first in range(0, count, BATCH):
        batch = jobs.targets(first, min(BATCH, count - first))
        queue.enqueue_many(
            [
                Queue.prepare_data(FUNCTIONS[kind], (target,), result_ttl=0, retry=retry)
                for target in batch
            ]
        )
    return {"seconds": time.perf_counter() - began}


def one_by_one(url: str, count: int) -> dict[str, Any]:
    queue = queue_on(url)
    return trickle.one_by_one(lambda to: queue.enqueue(jobs.stamp, to, result_ttl=0), count)


def work(url: str, slots: int | None = None, recover: bool = False) -> dict[str, Any]:
    logging.disable(logging.ERROR)
    kind = SimpleWorker if slots is None else Worker
    settings: dict[str, Any] = {}
    if recover:
        settings = {"maintenance_interval": 5, "job_monitoring_interval": 2, "worker_ttl": 20}
    kind([queue_on(url)], connection=Redis.from_url(url), **settings).work(logging_level="ERROR")
    return {}


if __name__ == "__main__":
    driver.main(prepare=prepare, enqueue=enqueue, one_by_one=one_by_one, work=work)
