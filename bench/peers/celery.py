"""Celery on Redis.

After its page on optimizing: results ignored, a large prefetch multiplier for many short tasks, no
remote control, events, gossip or mingle. Enqueue: `apply_async` in a loop over one producer; it has
no bulk verb (a group does the same). Work: the solo pool for jobs that do nothing, the fastest of
solo, threads and prefork in one process; threads where a job waits.

Recovery, as its pages on tasks and on Redis have it: `acks_late`, `reject_on_worker_lost`, no
prefetch, and a visibility timeout of 10 s instead of an hour. A worker looks for what has passed it
about every 100 s, ten messages at a time.
"""

import time
from typing import Any

from celery import Celery

from bench import driver, jobs, trickle


def app_on(url: str, *, recover: bool = False) -> Celery:
    app = Celery("bench", broker=url)
    app.conf.update(
        broker_connection_retry_on_startup=True,
        broker_transport_options={"visibility_timeout": 10} if recover else {},
        task_acks_late=recover,
        task_ignore_result=True,
        task_reject_on_worker_lost=recover,
        worker_enable_remote_control=False,
        worker_hijack_root_logger=False,
        worker_send_task_events=False,
    )
    for job in (jobs.nothing, jobs.stamp, jobs.wait):
        app.task(name=job.__name__)(job)
    return app


def prepare(url: str) -> dict[str, Any]:
    return {}


def enqueue(url: str, kind: str, count: int, recover: bool = False) -> dict[str, Any]:
    app = app_on(url, recover=recover)
    task = app.tasks[kind]
    targets = jobs.targets(0, count)
    with app.producer_pool.acquire(block=True) as producer:
        began = time.perf_counter()
        for target in targets:
            task.apply_async((target,), producer=producer)
        return {"seconds": time.perf_counter() - began}


def one_by_one(url: str, count: int) -> dict[str, Any]:
    app = app_on(url)
    task = app.tasks[jobs.STAMP]
    return trickle.one_by_one(task.delay, count)


def work(url: str, slots: int | None = None, recover: bool = False) -> dict[str, Any]:
    app = app_on(url, recover=recover)
    app.conf.worker_prefetch_multiplier = 1 if recover else 4 if slots else 128
    pool = f"--pool=threads --concurrency={slots}" if slots else "--pool=solo"
    quiet = "--loglevel=ERROR --without-gossip --without-mingle --without-heartbeat"
    app.worker_main(["worker", *pool.split(), *quiet.split()])
    return {}


if __name__ == "__main__":
    driver.main(prepare=prepare, enqueue=enqueue, one_by_one=one_by_one, work=work)
