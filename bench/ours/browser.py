"""Swather rendering pages: `swather.run` in one process, queue and items in a database.

Everything is as it comes: robots.txt, the guard and a permit for each request of a page; only the
limit of 8 requests in flight per host is off.
"""

import os
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median
from typing import Any

import swather
import swather.store
from bench import driver
from bench.processes import family, is_leader, memory_mb, private_mb
from bench.rendered import Rendered

LEAVE_SECONDS = 10.0


def render(
    urls: str,
    count: int,
    at_once: int,
    rows: int,
    program: str,
    session: str | None,
    db: str | None = None,
) -> dict[str, Any]:
    """What pages cost."""
    rendered = Rendered(count, skipped=2 * at_once)
    _run(urls, count, at_once, rows, program, session, db, rendered.add_one)
    return rendered.answer()


def watch(
    urls: str, count: int, at_once: int, rows: int, program: str, db: str | None = None
) -> dict[str, Any]:
    """What a browser and its worker take meanwhile, and what is left."""
    before = set(family(os.getpid()))
    samples: list[tuple[float, float]] = []
    browsers: set[int] = set()

    def sample() -> None:
        started = set(family(os.getpid())) - before
        sizes = {pid: private_mb(pid) for pid in started}
        browsers.update(pid for pid in started if is_leader(pid, Path(program).name))
        samples.append((sum(sizes.values()), memory_mb(os.getpid())))

    _run(urls, count, at_once, rows, program, None, db, sample)
    left = _left(before)
    third = count // 3
    chromium, worker = ([one[kind] for one in samples] for kind in (0, 1))
    return {
        "chromium_peak_mb": max(chromium),
        "chromium_rise_mb": median(chromium[-third:]) - median(chromium[third:-third]),
        "worker_rise_mb": median(worker[-third:]) - median(worker[third:-third]),
        "starts": len(browsers),
        "processes_left": len(left),
    }


def _left(before: set[int]) -> set[int]:
    """Whatever is still there some seconds after the run."""
    ends_at = time.monotonic() + LEAVE_SECONDS
    while left := set(family(os.getpid())) - before:
        if time.monotonic() > ends_at:
            break
        time.sleep(0.1)
    return left


def _run(
    urls: str,
    count: int,
    at_once: int,
    rows: int,
    program: str,
    session: str | None,
    db: str | None,
    page_ended: Callable[[], None],
) -> None:
    os.environ["SWATHER_CHROMIUM"] = program
    with tempfile.TemporaryDirectory(prefix="swather-bench-") as folder:
        if db is None:
            db = f"sqlite:///{folder}/queue.db"
        else:
            swather.store.prepare(db)

        @swather.scraper(browser=True, in_flight=None, session=session)
        async def pages(ctx, url):
            page = await ctx.render(url, wait_for="article")
            page_ended()
            return {"url": url, "articles": len(page.css("article")), "bytes": len(page.content)}

        done = swather.run(
            pages,
            [f"{urls}{n}" for n in range(count)],
            db=db,
            concurrency=at_once,
            files_folder=Path(folder),
            progress=False,
        )
        items = sum(1 for item in done if item["articles"] == rows)
    assert done.completed == items == count, f"{done.completed} completed, {items} items"


if __name__ == "__main__":
    driver.main(render=render, watch=watch)
