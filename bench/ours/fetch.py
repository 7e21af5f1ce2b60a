"""Swather fetching pages: `swather.run` in one process, queue and items in a database.

Everything is as it comes, robots.txt and the guard against private addresses included, except for
the limit of 8 requests in flight per host, which is off: concurrency is what all contenders have.
The default rate is for public hosts, and the pages are on loopback.
"""

import tempfile
import time
from pathlib import Path
from typing import Any

import swather
import swather.store
from bench import driver


@swather.scraper(in_flight=None)
async def pages(ctx, url):
    page = await ctx.get(url)
    return {"url": url, "bytes": len(page.content)}


def fetch(urls: str, count: int, at_once: int, db: str | None = None) -> dict[str, Any]:
    with tempfile.TemporaryDirectory(prefix="swather-bench-") as folder:
        if db is None:
            db = f"sqlite:///{folder}/queue.db"
        else:
            swather.store.prepare(db)
        targets = [f"{urls}{n}" for n in range(count)]
        # Modules are loaded when they are first needed; nobody's imports are on the clock.
        swather.run(pages, [f"{urls}first"], progress=False)
        before = driver.spent()["cpu_seconds"]
        began = time.perf_counter()
        done = swather.run(
            pages,
            targets,
            db=db,
            concurrency=at_once,
            files_folder=Path(folder),
            progress=False,
        )
        seconds = time.perf_counter() - began
        spent = driver.spent()
        items = sum(1 for item in done if item["bytes"] > 0)
    assert done.completed == items == count, f"{done.completed} completed, {items} items"
    return {**spent, "cpu_seconds": spent["cpu_seconds"] - before, "seconds": seconds}


if __name__ == "__main__":
    driver.main(fetch=fetch)
