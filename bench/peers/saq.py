"""SAQ, on PostgreSQL or Redis.

Enqueue: it has no bulk verb; `enqueue` many at once over its pool (20 connections, the default on
both), as `asyncio.gather` over its own `map` does. Work: asynchronous functions, uvloop, no
logging; 100 slots on PostgreSQL and 20 on Redis for jobs that do nothing, the best of 5, 20 and
100.

Recovery: a job is swept when its timeout (10 s by default) or heartbeat has passed, but with the
default of one attempt it is then given up. So `retries=3`, `heartbeat=5` and a sweep every 5 s.
"""

import asyncio
import time
from typing import Any

import uvloop
from saq import Queue, Worker

from bench import driver, jobs, trickle

AT_ONCE = 100
SLOTS = {"postgresql": 100, "redis": 20}
RECOVERY = {"retries": 3, "heartbeat": 5}


async def nothing(_: Any, *, url: str) -> None:
    jobs.nothing(url)


async def stamp(_: Any, *, url: str) -> None:
    jobs.stamp(url)


async def wait(_: Any, *, url: str) -> None:
    await jobs.wait_async(url)


def prepare(url: str) -> dict[str, Any]:
    async def run() -> None:
        queue = Queue.from_url(url)
        await queue.connect()
        await queue.disconnect()

    uvloop.run(run())
    return {}


def enqueue(url: str, kind: str, count: int, recover: bool = False) -> dict[str, Any]:
    settings = RECOVERY if recover else {}

    async def run() -> float:
        queue = Queue.from_url(url)
        await queue.connect()
        left = iter(jobs.targets(0, count))

        async def some() -> None:
            for target in left:
                await queue.enqueue(kind, url=target, **settings)

        began = time.perf_counter()
        await asyncio.gather(*(some() for _ in range(AT_ONCE)))
        seconds = time.perf_counter() - began
        await queue.disconnect()
        return seconds

    return {"seconds": uvloop.run(run())}


def one_by_one(url: str, count: int) -> dict[str, Any]:
    async def run() -> dict[str, Any]:
        queue = Queue.from_url(url)
        await queue.connect()
        times = await trickle.one_by_one_async(lambda to: queue.enqueue(jobs.STAMP, url=to), count)
        await queue.disconnect()
        return times

    return uvloop.run(run())


def work(url: str, slots: int | None = None, recover: bool = False) -> dict[str, Any]:
    async def run() -> None:
        worker = Worker(
            Queue.from_url(url),
            [nothing, stamp, wait],
            concurrency=slots or SLOTS[url.partition(":")[0]],
            timers={"sweep": 5} if recover else None,
        )
        await worker.queue.connect()
        await worker.start()

    uvloop.run(run())
    return {}


if __name__ == "__main__":
    driver.main(prepare=prepare, enqueue=enqueue, one_by_one=one_by_one, work=work)
