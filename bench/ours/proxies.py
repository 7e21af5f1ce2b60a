"""Swather fetching pages through one proxy: of the pool, or named with each request."""

import tempfile
import time
from pathlib import Path
from typing import Any

import swather
import swather.store
from bench import driver
from swather.model.proxy_list import parse_proxies


@swather.scraper(proxies=True, in_flight=None, rate="none")
async def pooled(ctx, url):
    page = await ctx.get(url)
    return {"bytes": len(page.content)}


@swather.scraper(in_flight=None, rate="none")
async def named(ctx, url):
    page = await ctx.get(url, proxy=ctx.params["proxy"])
    return {"bytes": len(page.content)}


def fetch(
    proxy: str, count: int, at_once: int, *, uses_pool: bool, db: str | None = None
) -> dict[str, Any]:
    scraper, params = (pooled, {}) if uses_pool else (named, {"proxy": proxy})
    with tempfile.TemporaryDirectory(prefix="swather-bench-") as folder:
        db = db or f"sqlite:///{folder}/queue.db"
        swather.store.prepare(db)
        store = swather.store.open(db)
        store.proxies.load(parse_proxies([proxy])[0], source="bench", replace=True)
        store.close()
        options = {"db": db, "params": params, "progress": False, "files_folder": Path(folder)}
        swather.run(scraper, ["http://pages.example/page/first"], new=True, **options)
        targets = [f"http://pages.example/page/{n}" for n in range(count)]
        began = time.perf_counter()
        done = swather.run(scraper, targets, new=True, concurrency=at_once, **options)
        seconds = time.perf_counter() - began
    assert done.completed == count, f"{done.completed} completed"
    return {"seconds": seconds}


if __name__ == "__main__":
    driver.main(fetch=fetch)
