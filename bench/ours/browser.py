"""Swather rendering pages: `swather.run` in one process, queue and items in a database.

Everything is as it comes: robots.txt, the guard and a permit for each request of a page; only the
limit of 8 requests in flight per host is off.
"""

import os
import tempfile
from pathlib import Path
from typing import Any

import swather
import swather.store
from bench import driver
from bench.rendered import Rendered


def render(
    urls: str,
    count: int,
    at_once: int,
    rows: int,
    program: str,
    session: str | None,
    db: str | None = None,
) -> dict[str, Any]:
    os.environ["SWATHER_CHROMIUM"] = program
    with tempfile.TemporaryDirectory(prefix="swather-bench-") as folder:
        if db is None:
            db = f"sqlite:///{folder}/queue.db"
        else:
            swather.store.prepare(db)
        rendered = Rendered(count, skipped=2 * at_once)

        @swather.scraper(browser=True, in_flight=None, session=session)
        async def pages(ctx, url):
            page = await ctx.render(url, wait_for="article")
            rendered.add_one()
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
    return rendered.answer()


if __name__ == "__main__":
    driver.main(render=render)
