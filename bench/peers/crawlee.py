"""Crawlee for Python, an HttpCrawler over a list of URLs.

Settings: its fastest crawler (HttpCrawler parses nothing), its default and fastest client (impit),
memory storage, the wanted concurrency from the start instead of being scaled up to (min, desired
and max are the same, as its page on scaling says), no session pool, no retries, no statistics in
the log. `crawl` uses its SQL storage, which is what survives a kill.
"""

import asyncio
import logging
import time
from datetime import timedelta
from pathlib import Path
from typing import Any

from crawlee import ConcurrencySettings, service_locator
from crawlee.configuration import Configuration
from crawlee.crawlers import HttpCrawler, HttpCrawlingContext
from crawlee.storage_clients import MemoryStorageClient, SqlStorageClient

from bench import driver, tally


def fetch(urls: str, count: int, at_once: int) -> dict[str, Any]:
    return asyncio.run(_fetch(urls, count, at_once))


async def _fetch(urls: str, count: int, at_once: int) -> dict[str, Any]:
    service_locator.set_storage_client(MemoryStorageClient())
    service_locator.set_configuration(Configuration(purge_on_start=True, log_level="ERROR"))
    fetched = 0
    ended = 0.0

    async def handle(context: HttpCrawlingContext) -> None:
        nonlocal fetched, ended
        content = await context.http_response.read()
        await context.push_data({"url": context.request.url, "bytes": len(content)})
        fetched += 1
        ended = time.perf_counter()

    crawler = HttpCrawler(
        request_handler=handle,
        concurrency_settings=ConcurrencySettings(
            min_concurrency=at_once, max_concurrency=at_once, desired_concurrency=at_once
        ),
        max_request_retries=0,
        use_session_pool=False,
        configure_logging=False,
        status_message_logging_interval=timedelta(hours=1),
    )
    logging.disable(logging.ERROR)
    # Once for what is set up at the first use; nobody's imports are on the clock.
    await crawler.run([f"{urls}first"])
    fetched = 0
    before = driver.spent()["cpu_seconds"]
    began = time.perf_counter()
    await crawler.run([f"{urls}{number}" for number in range(count)])
    assert fetched == count, f"{fetched} of {count} fetched"
    spent = driver.spent()
    return {**spent, "cpu_seconds": spent["cpu_seconds"] - before, "seconds": ended - began}


def crawl(urls: str, count: int, at_once: int, keep: str) -> dict[str, Any]:
    """With its SQL storage, nothing purged, begun again with the same first page."""
    Path(keep).mkdir(exist_ok=True)
    return asyncio.run(_crawl(urls, count, at_once, keep))


async def _crawl(urls: str, count: int, at_once: int, keep: str) -> dict[str, Any]:
    storage = SqlStorageClient(connection_string=f"sqlite+aiosqlite:///{keep}/crawl.db")
    service_locator.set_storage_client(storage)
    service_locator.set_configuration(Configuration(purge_on_start=False))

    async def handle(context: HttpCrawlingContext) -> None:
        name = context.request.url.rpartition("/")[2]
        if name == "first":
            await context.add_requests([f"{urls}{number}" for number in range(count)])
        else:
            tally.mark("done", name)

    async with storage:
        crawler = HttpCrawler(
            request_handler=handle,
            concurrency_settings=ConcurrencySettings(
                max_concurrency=at_once, desired_concurrency=at_once
            ),
        )
        await crawler.run([f"{urls}first"], purge_request_queue=False)
    return {}


if __name__ == "__main__":
    driver.main(crawl=crawl, fetch=fetch)
