"""The limit of fetching from Python: the HTTP client alone, in a loop, keeping nothing."""

import asyncio
import time
from typing import Any

import wreq

from bench import driver


def fetch(urls: str, count: int, at_once: int) -> dict[str, Any]:
    return asyncio.run(_fetch(urls, count, at_once))


async def _fetch(urls: str, count: int, at_once: int) -> dict[str, Any]:
    client = wreq.Client()
    left = iter(range(count))
    fetched = 0

    async def slot() -> None:
        nonlocal fetched
        for number in left:
            async with await client.get(f"{urls}{number}") as response:
                body = await response.bytes()
            fetched += len(body) > 0

    before = driver.spent()["cpu_seconds"]
    began = time.perf_counter()
    await asyncio.gather(*(slot() for _ in range(at_once)))
    seconds = time.perf_counter() - began
    assert fetched == count, f"{fetched} of {count} fetched"
    spent = driver.spent()
    return {**spent, "cpu_seconds": spent["cpu_seconds"] - before, "seconds": seconds}


if __name__ == "__main__":
    driver.main(fetch=fetch)
