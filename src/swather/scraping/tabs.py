"""The browser tabs of one attempt, and what they showed when it failed."""

import asyncio
import logging
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from swather.errors import InputError
from swather.scraping.rendering import Browsing, Rendered, Rendering

if TYPE_CHECKING:
    from swather.net.browser.tab import Tab

# Opens a tab; its page is closed at the end of the block.
OpenTab = Callable[[Browsing], AbstractAsyncContextManager["Tab"]]

LOOK_SECONDS: Final = 1.0
MAX_SCREENSHOT_BYTES: Final = 5 << 20
MAX_HTML_BYTES: Final = 2 << 20

_log = logging.getLogger(__name__)


class Seen(NamedTuple):
    """What a tab showed: a picture in PNG and its HTML, each empty if it could not be had."""

    url: str
    screenshot: bytes
    html: bytes


class Tabs:
    """An attempt has one tab at a time, so that attempts that wait for a second one cannot wait for
    each other. The tab in which the last page was rendered stays open until the attempt ends: if it
    fails on that page, what the page looked like can be kept.
    """

    def __init__(self, open_tab: OpenTab) -> None:
        self._open = open_tab
        self._turn = asyncio.Lock()
        self._is_browsing = False
        # Whether what a tab shows is looked at, after an error: it may take a little longer.
        self.is_looking = False
        self._last: Tab | None = None
        self._leaving = AsyncExitStack()
        self._seen: Seen | None = None

    async def render(self, rendering: Rendering) -> Rendered:
        """Those that are asked for at the same time are rendered one after another."""
        self._check()
        async with self._turn:
            await self._leave()
            tab = await self._leaving.enter_async_context(self._open(rendering.browsing))
            self._last = tab
            request = rendering.browsing.request
            page = await tab.render(
                request.full_url,
                wait_for=rendering.wait_for,
                wait_until=rendering.wait_until,
                scroll=rendering.scroll,
                settle_seconds=rendering.settle_seconds,
                timeout=request.timeout,
            )
            screenshot = await tab.screenshot_bytes() if rendering.with_screenshot else b""
            return Rendered(page, screenshot)

    @asynccontextmanager
    async def browse(self, browsing: Browsing) -> "AsyncIterator[Tab]":
        self._check()
        async with self._turn:
            await self._leave()
            async with self._open(browsing) as tab:
                self._is_browsing = True
                try:
                    yield tab
                except GeneratorExit:
                    raise
                except BaseException:
                    self._seen = await self._look(tab)
                    raise
                finally:
                    self._is_browsing = False

    async def look(self) -> Seen | None:
        """What the last page shows now, or showed when it was left because of an error."""
        return self._seen if self._last is None else await self._look(self._last)

    async def close(self) -> None:
        await self._leave()

    async def _look(self, tab: "Tab") -> Seen | None:
        self.is_looking = True
        try:
            return await seen_on(tab)
        finally:
            self.is_looking = False

    def _check(self) -> None:
        if self._is_browsing:
            raise InputError(
                "this target has a page open in ctx.browser(): use that page, page.render(url) "
                "too, or leave its `with` block first"
            )

    async def _leave(self) -> None:
        self._last = self._seen = None
        leaving, self._leaving = self._leaving, AsyncExitStack()
        await leaving.aclose()


async def seen_on(tab: "Tab") -> Seen | None:
    """What a tab shows. It may hang, or its browser may be gone."""

    async def looked_at(look: Callable[[], Any]) -> bytes:
        try:
            async with asyncio.timeout(LOOK_SECONDS):
                found = await look()
        except Exception as error:  # noqa: BLE001 - a browser may fail in any way
            _log.debug("a tab that failed cannot be looked at: %r", error)
            return b""
        return found.encode("utf-8", "replace") if isinstance(found, str) else bytes(found)

    screenshot = await looked_at(tab.screenshot_bytes)
    html = await looked_at(tab.html)
    if not screenshot and not html:
        return None
    is_small = len(screenshot) <= MAX_SCREENSHOT_BYTES
    return Seen(tab.url, screenshot if is_small else b"", html[:MAX_HTML_BYTES])
