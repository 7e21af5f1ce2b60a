"""Playwright in a loop, without anything of ours: with a context for each page, or with pages that
are used again. It keeps nothing.
"""

import asyncio
import time
from typing import Any

from playwright.async_api import Browser, Page, async_playwright

from bench import driver
from bench.servers.chromium import LAUNCH


def render(urls: str, count: int, at_once: int, rows: int, fresh: bool) -> dict[str, Any]:
    return asyncio.run(_render(urls, count, at_once, rows, fresh=fresh))


async def _render(urls: str, count: int, at_once: int, rows: int, *, fresh: bool) -> dict[str, Any]:
    waiting = iter(range(count))
    async with async_playwright() as driver_of:
        browser = await driver_of.chromium.launch(**LAUNCH)
        pages = [await (await browser.new_context()).new_page() for _ in range(at_once)]
        for page in pages:
            await _show(page, f"{urls}first", rows)

        async def one(page: Page) -> None:
            for number in waiting:
                if fresh:
                    await _in_fresh_context(browser, f"{urls}{number}", rows)
                else:
                    await _show(page, f"{urls}{number}", rows)

        began = time.perf_counter()
        await asyncio.gather(*map(one, pages))
        seconds = time.perf_counter() - began
        await browser.close()
    return {"seconds": seconds}


async def _in_fresh_context(browser: Browser, url: str, rows: int) -> None:
    context = await browser.new_context()
    await _show(await context.new_page(), url, rows)
    await context.close()


async def _show(page: Page, url: str, rows: int) -> None:
    await page.goto(url)
    await page.wait_for_selector("article")
    content = await page.content()
    assert content.count("<article>") == rows


if __name__ == "__main__":
    driver.main(render=render)
