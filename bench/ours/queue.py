"""Swather as a queue: `swather.open(…).enqueue` and the command `swather worker`.

Targets are deduped by key on the way in and SQLite waits for the disk at every commit
(synchronous FULL); both are what there is. 100 slots for targets that do nothing. Recovery is on by
default.
"""

import os
import sys
import time
from pathlib import Path
from typing import Any

import swather
import swather.store
from bench import driver, jobs, trickle
from swather.scraping import registry

SCRAPERS = Path(__file__).with_name("scrapers.py")
SLOTS = 100


def prepare(url: str) -> dict[str, Any]:
    swather.store.prepare(url)
    return {}


def enqueue(url: str, kind: str, count: int) -> dict[str, Any]:
    targets = jobs.targets(0, count)
    with swather.open(url) as queue:
        scraper = _scraper(kind)
        began = time.perf_counter()
        added = queue.enqueue(f"bench-{kind}", targets, scraper=scraper)
        seconds = time.perf_counter() - began
    assert added.added == count, added
    return {"seconds": seconds}


def stream(url: str, count: int) -> dict[str, Any]:
    """Targets that never sit in memory together."""
    with swather.open(url) as queue:
        targets = map(jobs.target, range(count))
        queue.enqueue(f"bench-{jobs.NOTHING}", targets, scraper=_scraper(jobs.NOTHING))
    return driver.spent()


def enqueue_pages(url: str, urls: str, count: int) -> dict[str, Any]:
    with swather.open(url) as queue:
        targets = (f"{urls}{number}" for number in range(count))
        queue.enqueue("bench-pages", targets, scraper=_scraper("pages"))
    return {}


def one_by_one(url: str, count: int) -> dict[str, Any]:
    with swather.open(url) as queue:
        scraper = _scraper(jobs.STAMP)
        return trickle.one_by_one(
            lambda to: queue.enqueue(f"bench-{jobs.STAMP}", [to], scraper=scraper), count
        )


def work(url: str, slots: int | None = None, recover: bool = False) -> dict[str, Any]:
    command = [str(Path(sys.executable).with_name("swather")), "worker", "--forever"]
    kinds = (jobs.NOTHING, jobs.STAMP, jobs.WAIT, "pages")
    command += [f"{SCRAPERS}:{kind}" for kind in kinds]
    command += ["--concurrency", str(slots or SLOTS), "--log-level", "error", "--db", url]
    os.execv(command[0], command)  # noqa: S606 - so that the worker is the process that is watched


def _scraper(kind: str) -> swather.Scraper:
    return registry.load(f"{SCRAPERS}:{kind}")


if __name__ == "__main__":
    driver.main(
        enqueue=enqueue,
        enqueue_pages=enqueue_pages,
        one_by_one=one_by_one,
        prepare=prepare,
        stream=stream,
        work=work,
    )
