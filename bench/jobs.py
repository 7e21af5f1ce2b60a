"""The jobs that every queue is given: the same three functions of a URL, everywhere."""

import asyncio
import time

from bench import tally

WAIT_SECONDS = 0.5
Kind = str
NOTHING, STAMP, WAIT = "nothing", "stamp", "wait"


def target(number: int) -> str:
    return f"https://example.com/{number}"


def targets(first: int, count: int) -> list[str]:
    return [target(number) for number in range(first, first + count)]


def nothing(url: str) -> None:
    """What a queue costs when the work costs nothing."""
    tally.count()


def stamp(url: str) -> None:
    """When it was begun, for who measures the way from the enqueue."""
    tally.mark("began", f"{_number(url)} {time.monotonic_ns()}")


def wait(url: str) -> None:
    """Half a second of work that can be killed; done is only what came to its end."""
    time.sleep(WAIT_SECONDS)
    tally.mark("done", _number(url))


async def wait_async(url: str) -> None:
    await asyncio.sleep(WAIT_SECONDS)
    tally.mark("done", _number(url))


def _number(url: str) -> str:
    return url.rpartition("/")[2]
