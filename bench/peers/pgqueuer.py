"""PgQueuer on PostgreSQL, through asyncpg, its faster driver.

After its pages on performance and benchmarks: `pgq autovac` after the install, a connection of its
own for the queue manager, uvloop, no logging, durable tables (the default, as ours are). Enqueue:
lists of 1,000 in one call, without dedupe keys. Work: batches of 1,000 for jobs that do nothing,
the best of 10, 100 and 1,000 here; 10 (the default) where a job takes time.

Recovery is on by default: jobs whose heartbeat is older than 30 s are picked again.
"""

import statistics
import time
import uuid
from collections.abc import Awaitable, Callable
from datetime import timedelta
from typing import Any

import asyncpg
import uvloop
from pgqueuer import PgQueuer
from pgqueuer.db import AsyncpgDriver
from pgqueuer.models import Job
from pgqueuer.queries import EntrypointExecutionParameter, Queries

from bench import driver, jobs, trickle

BATCH = 1_000
WARM_UP = 20


async def connected(url: str, use: Callable[[asyncpg.Connection], Awaitable[Any]]) -> Any:
    connection = await asyncpg.connect(url)
    try:
        return await use(connection)
    finally:
        await connection.close()


def prepare(url: str) -> dict[str, Any]:
    async def run(connection: asyncpg.Connection) -> None:
        queries = Queries(AsyncpgDriver(connection))
        await queries.install()
        await queries.optimize_autovacuum()

    uvloop.run(connected(url, run))
    return {}


def enqueue(url: str, kind: str, count: int) -> dict[str, Any]:
    async def run(connection: asyncpg.Connection) -> float:
        queries = Queries(AsyncpgDriver(connection))
        began = time.perf_counter()
        for first in range(0, count, BATCH):
            batch = [target.encode() for target in jobs.targets(first, min(BATCH, count - first))]
            await queries.enqueue([kind] * len(batch), batch, [0] * len(batch))
        return time.perf_counter() - began

    return {"seconds": uvloop.run(connected(url, run))}


def one_by_one(url: str, count: int) -> dict[str, Any]:
    async def run(connection: asyncpg.Connection) -> dict[str, Any]:
        queries = Queries(AsyncpgDriver(connection))
        return await trickle.one_by_one_async(
            lambda to: queries.enqueue(jobs.STAMP, to.encode()), count
        )

    return dict(uvloop.run(connected(url, run)))


def claims(url: str, depth: int, times: int, rounds: int) -> dict[str, Any]:
    """Latencies (p50 and p99 ms) of a dequeue of 10, with so many jobs in the queue."""
    manager = uuid.uuid4()

    async def run(connection: asyncpg.Connection) -> list[tuple[float, float]]:
        queries = Queries(AsyncpgDriver(connection))
        entrypoints = {jobs.NOTHING: EntrypointExecutionParameter(concurrency_limit=0)}

        async def fill_up() -> None:
            there = sum(one.count for one in await queries.queue_size())
            for first in range(there, depth, BATCH):
                new = jobs.targets(first, min(BATCH, depth - first))
                batch = [target.encode() for target in new]
                await queries.enqueue([jobs.NOTHING] * len(batch), batch, [0] * len(batch))

        await fill_up()
        await connection.execute("VACUUM ANALYZE")
        found = []
        for _ in range(rounds):
            taken = []
            for number in range(times + WARM_UP):
                if number % 50 == 0:
                    await fill_up()
                began = time.perf_counter()
                held = await queries.dequeue(
                    batch_size=10,
                    entrypoints=entrypoints,
                    queue_manager_id=manager,
                    global_concurrency_limit=None,
                    heartbeat_timeout=timedelta(seconds=30),
                )
                taken.append((time.perf_counter() - began) * 1e3)
                assert len(held) == 10, f"a dequeue of 10 gave {len(held)}"
                await queries.log_jobs([(job, "successful", None) for job in held])
            cuts = statistics.quantiles(taken[WARM_UP:], n=100, method="inclusive")
            found.append((cuts[49], cuts[98]))
        return found

    return {"latencies": uvloop.run(connected(url, run))}


def work(url: str, slots: int | None = None, recover: bool = False) -> dict[str, Any]:
    async def run(connection: asyncpg.Connection) -> None:
        queue = PgQueuer(AsyncpgDriver(connection))

        @queue.entrypoint(jobs.NOTHING)
        async def nothing(job: Job) -> None:
            jobs.nothing((job.payload or b"").decode())

        @queue.entrypoint(jobs.STAMP)
        async def stamp(job: Job) -> None:
            jobs.stamp((job.payload or b"").decode())

        # PgQueuer bounds what a worker takes at twice a batch; a limit keeps it to the slots.
        @queue.entrypoint(jobs.WAIT, concurrency_limit=slots or 0)
        async def wait(job: Job) -> None:
            await jobs.wait_async((job.payload or b"").decode())

        await queue.run(batch_size=slots or BATCH)

    uvloop.run(connected(url, run))
    return {}


if __name__ == "__main__":
    driver.main(claims=claims, enqueue=enqueue, one_by_one=one_by_one, prepare=prepare, work=work)
