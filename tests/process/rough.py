"""Scrapers whose targets try to end the process they run in."""

import asyncio
import os
import sys

from swather.model.retry import Backoff
from swather.scraping.scraper import scraper

SOON = Backoff(factor=1.0, cap_seconds=0.01, jitter=0.0)


def do(target: str) -> None:
    match target.partition("-")[0]:
        case "exit":
            os._exit(int(target.rpartition("-")[2]))
        case "interrupt":
            raise KeyboardInterrupt
        case "cancelled":
            raise asyncio.CancelledError
        case "generator":
            raise GeneratorExit
        case "system":
            sys.exit(0)


async def on_a_loop(ctx, target):
    match target.partition("-")[0]:
        case "all":
            for task in asyncio.all_tasks():
                task.cancel()
            await asyncio.sleep(0)
        case "stop":
            asyncio.get_running_loop().stop()
            await asyncio.sleep(0)
        case "spawned":
            await asyncio.gather(asyncio.create_task(spawned()))
        case _:
            await asyncio.sleep(0.01)
            do(target)
    return {"of": target}


async def spawned() -> None:
    raise KeyboardInterrupt


def plain(ctx, target):
    do(target)
    return {"of": target}


GIVEN = {"retries": 0, "backoff": SOON, "timeout": 30.0}

on_the_loop = scraper(name="on_the_loop", **GIVEN)(on_a_loop)
in_threads = scraper(name="in_threads", **GIVEN)(plain)
in_children = scraper(name="in_children", isolation="process", **GIVEN)(plain)
in_async_children = scraper(name="in_async_children", isolation="process", **GIVEN)(on_a_loop)
