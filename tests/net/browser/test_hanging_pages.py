"""Pages that hang, swell or crash are cut, and the next target has a browser that works."""

import asyncio
import os
import signal
from contextlib import suppress

import pytest

from swather.net.browser import Browser
from swather.net.egress_policy import BrowserPolicy
from swather.net.errors import BrowserFailed, FetchTimeout
from swather.scraping.classify import classify
from tests.debian import need_chromium
from tests.net.browser.visiting import html, visit
from tests.net.fetching import forever, silent
from tests.net.site import site

pytestmark = [pytest.mark.slow, pytest.mark.timeout(180)]

SECONDS = 2.5


async def endless_page(_, writer):
    """500 MB of text, as fast as it is taken."""
    writer.write(b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 524288000\r\n\r\n")
    for _ in range(8000):
        writer.write(b"<p>" + b"x" * 65532 + b"\n")
        await writer.drain()


PAGES = {
    "well": html("<p>well</p>"),
    "loop": html("<p>a</p><script>while (true) {}</script>"),
    "later": html("<p>a</p><script>setTimeout(() => { while (true) {} })</script>"),
    "silent": silent,
    "forever": forever,
    "huge": endless_page,
    "alert": html("<script>alert(1); confirm(2); prompt(3)</script><p>well</p>"),
    "stay": html("<script>onbeforeunload = e => e.preventDefault()</script><p>well</p>"),
}


async def opened(browser, served, name, seconds=120.0):
    async with browser.visit(visit(seconds=seconds)) as tab:
        return (await tab.render(f"{served.url}/{name}")).one("p").text()


@pytest.mark.parametrize("name", ["loop", "later", "silent", "forever", "huge"])
def test_a_page_that_does_not_end_is_cut_and_the_next_one_is_well(in_browser, name):
    async def scene(browser):
        async with site(**PAGES) as served:
            await opened(browser, served, "well")
            starts = browser.starts
            with pytest.raises(FetchTimeout, match="has taken too long") as raised:
                await opened(browser, served, name, SECONDS)
            assert str(classify(raised.value).fault.error_class) == "timeout"
            return await opened(browser, served, "well"), browser.starts - starts

    # Only the page was closed.
    assert in_browser(scene) == ("well", 0)


@pytest.mark.parametrize("name", ["alert", "stay"])
def test_dialogs_hold_nothing_up(in_browser, name):
    async def scene(browser):
        async with site(**PAGES) as served:
            return await opened(browser, served, name), await opened(browser, served, "well")

    assert in_browser(scene) == ("well", "well")


def test_a_scraper_that_waits_past_its_deadline_is_woken(in_browser):
    async def scene(browser):
        async with site(**PAGES) as served, browser.visit(visit(seconds=SECONDS)) as tab:
            await tab.goto(f"{served.url}/well")
            # Playwright's own object: no call of it passes through the tab.
            await tab.locator("#never").click()

    with pytest.raises(FetchTimeout, match="has taken too long"):
        in_browser(scene)


def test_a_renderer_that_crashes_fails_its_own_target(in_browser):
    async def crash(browser, served):
        async with browser.visit(visit()) as tab:
            await tab.goto(f"{served.url}/well")
            with suppress(Exception):
                await asyncio.wait_for(tab._opened.devtools.send("Page.crash"), 5)
            await tab.evaluate("1 + 1")

    async def scene(browser):
        async with site(**PAGES) as served:
            with pytest.raises(BrowserFailed) as raised:
                await crash(browser, served)
            assert str(classify(raised.value).fault.error_class) == "transient"
            return await opened(browser, served, "well")

    assert in_browser(scene) == "well"


async def _hurt(browser, served, victim, signal_number):
    async with browser.visit(visit(seconds=SECONDS)) as tab:
        await tab.goto(f"{served.url}/well")
        pid = browser._chromium._processes._number(victim)
        (os.killpg if victim == "chromium" else os.kill)(pid, signal_number)
        while True:
            await tab.title()
            await asyncio.sleep(0.1)


async def _wait(browser, served, is_there):
    async with browser.visit(visit()) as tab:
        await tab.goto(f"{served.url}/well")
        is_there.set()
        await tab.wait_for_selector("#never")


@pytest.mark.parametrize("victim", ["chromium", "driver"])
def test_a_browser_that_dies_or_freezes_is_replaced(in_browser, victim):
    async def scene(browser):
        folders = []
        async with site(**PAGES) as served:
            for signal_number in (signal.SIGKILL, signal.SIGSTOP):
                is_there = asyncio.Event()
                neighbour = asyncio.create_task(_wait(browser, served, is_there))
                await is_there.wait()
                folders.append(browser._chromium._processes.folder)
                with pytest.raises((BrowserFailed, FetchTimeout)):
                    await _hurt(browser, served, victim, signal_number)
                assert await opened(browser, served, "well") == "well"
                # It was in the same browser: that is not the fault of its target.
                with pytest.raises(BrowserFailed):
                    await neighbour
        await browser.settled()
        return [folder.exists() for folder in folders]

    assert in_browser(scene) == [False, False]


def test_a_browser_that_takes_too_much_memory_is_replaced():
    need_chromium()

    async def scene():
        browser = Browser(BrowserPolicy(pages=1, memory_mb=60))
        try:
            async with site(**PAGES) as served:
                async with asyncio.timeout(150):
                    while browser.starts < 2:
                        with suppress(BrowserFailed):
                            await opened(browser, served, "well")
                        await asyncio.sleep(0.2)
        finally:
            await browser.close()

    asyncio.run(scene())
