"""Procrastinate on PostgreSQL, through psycopg.

Enqueue: `batch_defer_async` of 1,000 at a time, its page on batches. Work: asynchronous tasks,
LISTEN/NOTIFY on (the default), a pool with room for all slots, no logging, uvloop. Every job is
fetched and finished by a statement of its own, so more than 10 slots made nothing faster here.

Recovery, as its page "Retry stalled jobs" has it: a periodic task retries the jobs of workers
whose heartbeat (every 10 s) is older than 30 s; here it looks every 10 s instead of every 10
minutes.
"""

import asyncio
import time
from typing import Any

import procrastinate
import uvloop
from procrastinate import JobContext

from bench import driver, jobs, trickle

BATCH = 1_000
SLOTS = 10


def app_on(url: str, slots: int = SLOTS, *, recover: bool = False) -> procrastinate.App:
    connector = procrastinate.PsycopgConnector(conninfo=url, min_size=4, max_size=slots + 4)
    app = procrastinate.App(connector=connector)

    @app.task(name=jobs.NOTHING)
    async def nothing(url: str) -> None:
        jobs.nothing(url)

    @app.task(name=jobs.STAMP)
    async def stamp(url: str) -> None:
        jobs.stamp(url)

    @app.task(name=jobs.WAIT)
    async def wait(url: str) -> None:
        await jobs.wait_async(url)

    if recover:

        @app.periodic(cron="*/1 * * * * */10")
        @app.task(name="retry_stalled_jobs", queueing_lock="retry_stalled_jobs", pass_context=True)
        async def retry_stalled_jobs(context: JobContext, timestamp: int) -> None:
            for job in await app.job_manager.get_stalled_jobs():
                await app.job_manager.retry_job(job)

    return app


def prepare(url: str) -> dict[str, Any]:
    async def run() -> None:
        async with app_on(url).open_async() as app:
            await app.schema_manager.apply_schema_async()

    uvloop.run(run())
    return {}


def enqueue(url: str, kind: str, count: int) -> dict[str, Any]:
    async def run() -> float:
        async with app_on(url).open_async() as app:
            task = app.tasks[kind]
            began = time.perf_counter()
            for first in range(0, count, BATCH):
                batch = jobs.targets(first, min(BATCH, count - first))
                await task.batch_defer_async(*({"url": target} for target in batch))
            return time.perf_counter() - began

    return {"seconds": uvloop.run(run())}


def one_by_one(url: str, count: int) -> dict[str, Any]:
    async def run() -> dict[str, Any]:
        async with app_on(url).open_async() as app:
            task = app.tasks[jobs.STAMP]
            return await trickle.one_by_one_async(lambda to: task.defer_async(url=to), count)

    return uvloop.run(run())


def work(url: str, slots: int | None = None, recover: bool = False) -> dict[str, Any]:
    async def run() -> None:
        wanted = slots or SLOTS
        async with app_on(url, wanted, recover=recover).open_async() as app:
            await app.run_worker_async(concurrency=wanted)

    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        runner.run(run())
    return {}


if __name__ == "__main__":
    driver.main(prepare=prepare, enqueue=enqueue, one_by_one=one_by_one, work=work)
