"""Scrapers for workers that are processes of their own; targets say what is to happen."""

import asyncio
import os
import re
import signal
import time
from pathlib import Path

from swather.scraping import files
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


@scraper(timeout=60.0)
def saver(ctx, target):
    """Saves a file; where the target says so, its worker is killed before it can name it."""
    if target.get("die"):
        files._link = lambda *_: os.kill(os.getpid(), signal.SIGKILL)
    ctx.save(b"page %d" % target["n"], name=f"page-{target['n']}.html")
    if target.get("checkpoint"):
        ctx.checkpoint(1)
        time.sleep(600)
