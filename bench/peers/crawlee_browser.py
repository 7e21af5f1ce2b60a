"""Crawlee for Python, a PlaywrightCrawler over a list of URLs.

Settings: the system's Chromium as for all, pages in one shared context (its default; incognito
pages are slower), no fingerprints, memory storage, the wanted concurrency from the start, no
session pool, no retries, no statistics in the log.
"""

import asyncio
import logging
from datetime import timedelta
from typing import Any

from crawlee import ConcurrencySettings, service_locator
from crawlee.configuration import Configuration
from crawlee.crawlers import PlaywrightCrawler, PlaywrightCrawlingContext
from crawlee.storage_clients import MemoryStorageClient

from bench import driver
from bench.rendered import Rendered
from bench.servers.chromium import launch_options


def render(urls: str, count: int, at_once: int, rows: int, program: str) -> dict[str, Any]:
    return asyncio.run(_render(urls, count, at_once, rows, program))


async def _render(urls: str, count: int, at_once: int, rows: int, program: str) -> dict[str, Any]:
    service_locator.set_storage_client(MemoryStorageClient())
    service_locator.set_configuration(Configuration(purge_on_start=True, log_level="ERROR"))
    rendered = Rendered(count, skipped=2 * at_once)

    async def handle(context: PlaywrightCrawlingContext) -> None:
        await context.page.wait_for_selector("article")
        content = await context.page.content()
        assert content.count("<article>") == rows
        await context.push_data({"url": context.request.url, "bytes": len(content)})
        rendered.add_one()

    crawler = PlaywrightCrawler(
        request_handler=handle,
        concurrency_settings=ConcurrencySettings(
            min_concurrency=at_once, max_concurrency=at_once, desired_concurrency=at_once
        ),
        browser_launch_options=launch_options(program),
        fingerprint_generator=None,
        max_request_retries=0,
        use_session_pool=False,
        configure_logging=False,
        status_message_logging_interval=timedelta(hours=1),
    )
    logging.disable(logging.ERROR)
    await crawler.run([f"{urls}{number}" for number in range(count)])
    return rendered.answer()


if __name__ == "__main__":
    driver.main(render=render)
