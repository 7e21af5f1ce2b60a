"""A tab: what a scraper has of the browser during a visit."""

import asyncio
from time import monotonic
from typing import TYPE_CHECKING, Any, Final, Literal

from swather.net.errors import FetchTimeout
from swather.net.page import Page
from swather.net.request import Request

if TYPE_CHECKING:
    from pathlib import Path

    from playwright.async_api import Page as BrowserPage

    from swather.net.browser.visit import Visit

WaitUntil = Literal["load", "domcontentloaded", "networkidle"]
_SCROLL_WAIT_SECONDS: Final = 0.5
# What describes the body as it was sent, not the document as scripts have left it.
_OF_THE_BODY: Final = frozenset({"content-encoding", "content-length", "transfer-encoding"})


class Tab:
    """`page` is Playwright's own Page; its names work on the tab, too: `tab.click(…)`.

    `downloads` are the finished ones: where each is, and the name that its site suggests.
    """

    def __init__(self, page: "BrowserPage", visit: "Visit") -> None:
        self.page = page
        self.downloads: list[tuple[Path, str]] = []
        self._visit = visit

    def __getattr__(self, name: str) -> Any:
        return getattr(self.page, name)

    async def render(
        self,
        url: str,
        *,
        wait_for: str | None = None,
        wait_until: WaitUntil = "load",
        scroll: int = 0,
        timeout: float | None = None,  # noqa: ASYNC109 - the user's word for it, as in ctx.get
    ) -> Page:
        """Open a URL and return the document after its scripts have run. `wait_for` is a CSS
        selector to wait for, `scroll` how often to scroll to the end, `timeout` in seconds.
        """
        Request(url=url, timeout=timeout)
        left = self._visit.deadline() - monotonic()
        seconds = left if timeout is None else min(left, timeout)
        response = await self.page.goto(url, wait_until=wait_until, timeout=1_000 * seconds)
        if wait_for is not None:
            await self.page.wait_for_selector(wait_for, state="attached", timeout=1_000 * seconds)
        if scroll:
            await self.scroll_to_end(max_scrolls=scroll)
        if response is None:
            raise FetchTimeout(f"{url} was not opened")
        headers = [
            (each["name"].lower(), each["value"])
            for each in await response.headers_array()
            if each["name"].lower() not in _OF_THE_BODY
        ]
        return Page(
            url=self.page.url,
            status=response.status,
            raw_headers=_in_utf8(headers),
            content=(await self.html()).encode("utf-8", "replace"),
        )

    async def scroll_to_end(
        self, *, max_scrolls: int = 20, wait_seconds: float = _SCROLL_WAIT_SECONDS
    ) -> int:
        """Scroll down until the page grows no more; how often it did."""
        height = 0
        for count in range(max_scrolls):
            now = await self.page.evaluate(
                "() => { window.scrollTo(0, document.documentElement.scrollHeight);"
                " return document.documentElement.scrollHeight }"
            )
            if now == height:
                return count
            height = now
            await asyncio.sleep(wait_seconds)
        return max_scrolls

    async def html(self) -> str:
        """The document as it is now."""
        return await self.page.content()

    async def screenshot_bytes(self, *, full_page: bool = True) -> bytes:
        """A PNG of the page."""
        return await self.page.screenshot(full_page=full_page)

    async def storage_state(self) -> dict[str, Any]:
        """Cookies and local storage, for a later visit's `storage_state`."""
        return dict(await self.page.context.storage_state())


def _in_utf8(headers: list[tuple[str, str]]) -> list[tuple[str, str]]:
    """The headers of a document that is UTF-8 now, whatever it was sent in."""
    kept = [(name, value) for name, value in headers if name != "content-type"]
    kind = next((value for name, value in headers if name == "content-type"), "text/html")
    return [*kept, ("content-type", f"{kind.partition(';')[0].strip()}; charset=utf-8")]
