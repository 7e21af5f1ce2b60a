"""Crawlee for Python, a PlaywrightCrawler over a list of URLs.

Settings: the system's Chromium as for all, pages in one shared context (its default; incognito
pages are slower), no fingerprints, memory storage, the wanted concurrency from the start, no
session pool, no retries, no statistics in the log.
"""

import asyncio
import logging
import time
from datetime import timedelta
from typing import Any

from crawlee import ConcurrencySettings, service_locator
from crawlee.configuration import Configuration
from crawlee.crawlers import PlaywrightCrawler, PlaywrightCrawlingContext
from crawlee.storage_clients import MemoryStorageClient

from bench import driver
from bench.servers.chromium import LAUNCH


def render(urls: str, count: int, at_once: int, rows: int) -> dict[str, Any]:
    return asyncio.run(_render(urls, count, at_once, rows))


async def _render(urls: str, count: int, at_once: int, rows: int) -> dict[str, Any]:
    service_locator.set_storage_client(MemoryStorageClient())
    service_locator.set_configuration(Configuration(purge_on_start=True, log_level="ERROR"))
    ended: list[float] = []

    async def handle(context: PlaywrightCrawlingContext) -> None:
        await context.page.wait_for_selector("article")
        content = await context.page.content()
        assert content.count("<article>") == rows
        await context.push_data({"url": context.request.url, "bytes": len(content)})
        ended.append(time.perf_counter())

    crawler = PlaywrightCrawler(
        request_handler=handle,
        concurrency_settings=ConcurrencySettings(
            min_concurrency=at_once, max_concurrency=at_once, desired_concurrency=at_once
        ),
        browser_launch_options=LAUNCH,
        fingerprint_generator=None,
        max_request_retries=0,
        use_session_pool=False,
        configure_logging=False,
        status_message_logging_interval=timedelta(hours=1),
    )
    logging.disable(logging.ERROR)
    await crawler.run([f"{urls}{number}" for number in range(count)])
    assert len(ended) == count, f"{len(ended)} of {count} rendered"
    return {"seconds": driver.seconds_of(ended, skipped=2 * at_once)}


if __name__ == "__main__":
    driver.main(render=render)
