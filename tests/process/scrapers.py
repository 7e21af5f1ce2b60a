"""Scrapers for workers that are processes of their own; targets say what is to happen."""

import asyncio
import os
import re
import signal
import sys
import time
from pathlib import Path

from swather.scraping import folder_files
from swather.scraping.proxies import Proxies
from swather.scraping.scraper import scraper


def note(target: dict, what: str) -> None:
    """One line per thing that happened, for the test to see."""
    with Path(target["log"]).open("a") as log:
        log.write(f"{what} {os.getpid()}\n")


@scraper(timeout=1.0, retries=0)
async def act(ctx, target):
    note(target, f"began-{target['n']}")
    match target.get("do"):
        case "spin":
            while True:
                pass
        case "hold":
            re.match(r"(a+)+$", "a" * 60 + "b")
        case "exit":
            os._exit(9)
        case "sleep":
            await asyncio.sleep(target["seconds"])
        case "block":
            time.sleep(target["seconds"])  # noqa: ASYNC251
    note(target, f"ended-{target['n']}")
    return {"n": target["n"], "attempt": ctx.attempt}


@scraper(timeout=60.0, retries=0)
async def patient(ctx, target):
    note(target, f"began-{target['n']}")
    await asyncio.sleep(target.get("seconds", 600))
    return {"n": target["n"]}


@scraper(timeout=60.0)
def deaf(ctx, target):
    note(target, f"began-{target['n']}")
    time.sleep(target.get("seconds", 600))


@scraper(isolation="process", timeout=60.0)
def in_child(ctx, target):
    note(target, f"began-{target['n']}")
    time.sleep(target.get("seconds", 600))


@scraper(allow_private=True, timeout=60.0)
async def three(ctx, target):
    """Three requests per target."""
    for part in "abc":
        await ctx.get(f"/{part}{target['n']}")


@scraper(allow_private=True, timeout=60.0, retries=0)
async def one(ctx, target):
    await ctx.get()


def fork(target: dict) -> tuple[int, int | None]:
    """In the copy, its own number and None; in the original, the copy's and how it ended."""
    pid = os.fork()
    if pid:
        return pid, os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    note(target, f"copied-{target['n']}")
    return os.getpid(), None


def fork_and(ctx, target: dict):
    """Forks; what the copy does then is named by the target."""
    if "do" not in target:
        return {"n": target["n"]}
    pid, code = fork(target)
    if code is not None:
        return {"n": target["n"], "copy": pid, "code": code}
    match target["do"]:
        case "exit":
            sys.exit(7)
        case "return":
            return {"n": target["n"], "from": "the copy"}
        case "raise":
            raise ValueError("in the copy")
        case "emit":
            try:
                ctx.emit({"from": "the copy"})
            except Exception as error:  # noqa: BLE001 - the test shall see it
                note(target, type(error).__name__)
            os._exit(8)
        case "checkpoint":
            ctx.checkpoint({"from": "the copy"})
    return None


@scraper(timeout=20.0, retries=0)
def forks_in_threads(ctx, target):
    return fork_and(ctx, target)


@scraper(timeout=20.0, retries=0, isolation="process")
def forks_in_children(ctx, target):
    return fork_and(ctx, target)


async def fork_and_await(ctx, target: dict):
    if target.get("do") == "await":
        waiting = asyncio.get_running_loop().create_future()
        pid, code = fork(target)
        if code is None:
            await waiting
        return {"n": target["n"], "copy": pid, "code": code}
    if target.get("do") == "checkpoint":
        pid, code = fork(target)
        if code is None:
            await ctx.checkpoint({"from": "the copy"})
        return {"n": target["n"], "copy": pid, "code": code}
    return fork_and(ctx, target)


@scraper(timeout=20.0, retries=0)
async def forks_on_the_loop(ctx, target):
    return await fork_and_await(ctx, target)


@scraper(timeout=20.0, retries=0, isolation="process")
async def forks_in_async_children(ctx, target):
    return await fork_and_await(ctx, target)


@scraper(timeout=300.0, isolation="process")
def dies_with_a_copy(ctx, target):
    """Its copy lives on."""
    if "do" in target and os.fork() == 0:
        note(target, "copied")
        time.sleep(600)
    if "do" in target:
        os._exit(3)
    return {"n": target["n"]}


@scraper(timeout=60.0)
def saver(ctx, target):
    """Saves a file; where the target says so, its worker is killed before it can name it."""
    if target.get("die"):
        folder_files.link = lambda *_: os.kill(os.getpid(), signal.SIGKILL)
    ctx.save(b"page %d" % target["n"], name=f"page-{target['n']}.html")
    if target.get("checkpoint"):
        ctx.checkpoint(1)
        time.sleep(600)


@scraper(timeout=60.0)
async def asks_two(ctx, target):
    """Asks `api`, then `mirror`; a later attempt only what is not committed yet."""
    if ctx.cursor is None:
        note(target, "asked-api")
        ctx.note_source("api", ok=target["n"] % 2 == 0, seconds=0.5, error="HTTP 500")
        await ctx.checkpoint("api")
    note(target, "asked-mirror")
    await asyncio.sleep(target["seconds"])
    ctx.note_source("mirror", ok=True, seconds=0.25, counts={"images": 2})


@scraper(proxies=True, rate="none", in_flight=None, robots=False, backoff=1.0)
async def through_the_pool(ctx, target):
    await ctx.get(target["url"])
    return {"n": target["n"]}


@scraper(proxies=Proxies(per_worker=2), rate="none", in_flight=None, robots=False)
async def with_proxies_of_its_own(ctx, target):
    await ctx.get(target["url"])
    return {"n": target["n"]}
