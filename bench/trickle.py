"""One job at a time into an idle queue, each with when its enqueue was begun and came back."""

import asyncio
import random
import time
from collections.abc import Awaitable, Callable
from typing import Any

from bench import jobs

GAP_SECONDS = (0.02, 0.04)
Times = list[list[int]]


def one_by_one(enqueue: Callable[[str], Any], count: int) -> dict[str, Times]:
    times = []
    for number in range(count):
        time.sleep(random.uniform(*GAP_SECONDS))
        begun = time.monotonic_ns()
        enqueue(jobs.target(number))
        times.append([number, begun, time.monotonic_ns()])
    return {"times": times}


async def one_by_one_async(
    enqueue: Callable[[str], Awaitable[Any]], count: int
) -> dict[str, Times]:
    times = []
    for number in range(count):
        await asyncio.sleep(random.uniform(*GAP_SECONDS))
        begun = time.monotonic_ns()
        await enqueue(jobs.target(number))
        times.append([number, begun, time.monotonic_ns()])
    return {"times": times}
