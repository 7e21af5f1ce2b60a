"""The browser as a scraper sees it: a part of every context."""

from abc import abstractmethod
from collections.abc import Collection
from contextlib import AbstractAsyncContextManager
from typing import TYPE_CHECKING

from swather.errors import InputError
from swather.model.outcome import File
from swather.net.page import Page
from swather.scraping.arguments import Fields, Headers
from swather.scraping.attempt import Content
from swather.scraping.rendering import (
    NOWHERE,
    Browsing,
    Rendering,
    StorageState,
    WaitUntil,
    browsing_of,
    rendering_of,
)
from swather.scraping.web import Web

if TYPE_CHECKING:
    from swather.net.browser.tab import Tab


class BrowsingWeb(Web):
    """Opens pages in the worker's browser, where their scripts run."""

    __slots__ = ()

    def browser(
        self,
        *,
        block: Collection[str] | None = None,
        storage_state: StorageState = None,
        headers: Headers = None,
        proxy: str | None = None,
    ) -> AbstractAsyncContextManager["Tab"]:
        """Open a page in the browser: `async with ctx.browser() as page`.

        It has all that Playwright's own page has, `page.goto(url)` and `page.click(selector)`, and
        ours: `page.render(url)` and `page.read()` return a Page as `get` does. `block` are kinds of
        resources that are not loaded: images, fonts, media, stylesheets. `storage_state` begins
        logged in, with what `page.storage_state()` returned, or a file of it.
        """
        self._check_usable()
        return self._verbs.browse(self._visit(block, storage_state, headers, proxy))

    async def render(
        self,
        url: str | None = None,
        *,
        wait_for: str | None = None,
        wait_until: WaitUntil = "load",
        scroll: int = 0,
        timeout: float | None = None,  # noqa: ASYNC109
        check: bool = True,
        block: Collection[str] | None = None,
        screenshot: str | None = None,
        storage_state: StorageState = None,
        headers: Headers = None,
        params: Fields = None,
        proxy: str | None = None,
    ) -> Page:
        """Fetch a page as `get` does, with a browser: it is returned as its scripts have left it.

        It is complete at the event `wait_until` ('load', 'domcontentloaded', 'networkidle'), once
        an element matches the selector `wait_for`, and after it was scrolled to its end `scroll`
        times, or as often as that adds to it. `screenshot` saves a picture of it with the result,
        under this name. See `browser` for `block` and `storage_state`.
        """
        self._check_usable()
        rendering = self._rendering(
            url, wait_for=wait_for, wait_until=wait_until, scroll=scroll, timeout=timeout,
            block=block, screenshot=screenshot, storage_state=storage_state, headers=headers,
            params=params, proxy=proxy,
        )  # fmt: skip
        return await self._render(rendering, screenshot, check=check)

    @abstractmethod
    async def save(
        self, content: Content, name: str | None = None, media_type: str = ""
    ) -> File: ...

    def _visit(
        self,
        block: Collection[str] | None,
        storage_state: StorageState,
        headers: Headers,
        proxy: str | None,
    ) -> Browsing:
        """Of pages that are not known yet; the target may have no URL."""
        return self._browsing(
            self._base() or NOWHERE,
            block=block,
            storage_state=storage_state,
            headers=headers,
            proxy=proxy,
        )

    def _rendering(
        self,
        url: str | None,
        *,
        wait_for: str | None,
        wait_until: WaitUntil,
        scroll: int,
        timeout: float | None,
        block: Collection[str] | None,
        screenshot: str | None,
        storage_state: StorageState,
        headers: Headers,
        params: Fields,
        proxy: str | None,
    ) -> Rendering:
        browsing = self._browsing(
            url, block=block, storage_state=storage_state, headers=headers, params=params,
            timeout=timeout, proxy=proxy,
        )  # fmt: skip
        return rendering_of(
            browsing,
            wait_for=wait_for,
            wait_until=wait_until,
            scroll=scroll,
            screenshot=screenshot,
        )

    def _browsing(
        self,
        url: str | None,
        *,
        block: Collection[str] | None,
        storage_state: StorageState,
        headers: Headers,
        params: Fields = None,
        timeout: float | None = None,
        proxy: str | None,
    ) -> Browsing:
        """It runs in the thread of the scraper, as its hooks shall."""
        if not self._scraper.options.browser:
            raise InputError(
                f"the scraper {self._scraper.name!r} has no browser: write @scraper(browser=True)"
            )
        request = self._request(
            "GET", url, headers=headers, params=params, timeout=timeout, proxy=proxy
        )
        return browsing_of(request, block=block, storage_state=storage_state)

    async def _render(self, rendering: Rendering, screenshot: str | None, *, check: bool) -> Page:
        self._check_usable()
        rendered = await self._verbs.render(rendering)
        self.page = page = rendered.page
        if screenshot is not None and rendered.screenshot:
            await self.save(rendered.screenshot, screenshot, "image/png")
        if check:
            page.raise_for_status()
        return page
