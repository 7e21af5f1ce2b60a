"""Playwright in a loop, without anything of ours: with a context for each page, or with pages that
are used again. It keeps nothing.
"""

import asyncio
from typing import Any

from playwright.async_api import Browser, Page, async_playwright

from bench import driver
from bench.rendered import Rendered
from bench.servers.chromium import launch_options


def render(
    urls: str, count: int, at_once: int, rows: int, program: str, fresh: bool
) -> dict[str, Any]:
    rendered = Rendered(count, skipped=2 * at_once)
    asyncio.run(_render(rendered, urls, count, at_once, rows, program, fresh=fresh))
    return rendered.answer()


async def _render(
    rendered: Rendered,
    urls: str,
    count: int,
    at_once: int,
    rows: int,
    program: str,
    *,
    fresh: bool,
) -> None:
    waiting = iter(range(count))
    async with async_playwright() as driver_of:
        browser = await driver_of.chromium.launch(**launch_options(program))

        async def one() -> None:
            page = await (await browser.new_context()).new_page()
            for number in waiting:
                if fresh:
                    await _in_fresh_context(browser, f"{urls}{number}", rows)
                else:
                    await _show(page, f"{urls}{number}", rows)
                rendered.add_one()

        await asyncio.gather(*(one() for _ in range(at_once)))
        await browser.close()


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
