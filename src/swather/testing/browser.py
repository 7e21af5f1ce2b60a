"""A real browser for one target, in tests and in `swather try`."""

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from time import monotonic
from typing import TYPE_CHECKING

from swather.net.egress_policy import BrowserPolicy
from swather.net.fetch_policy import FetchPolicy
from swather.net.page import Page
from swather.net.request import Request
from swather.net.stored_page import as_rendered
from swather.scraping.arguments import OwnHeaders
from swather.scraping.rendering import Browsing, Rendered, Rendering
from swather.scraping.tabs import Seen, Tabs

if TYPE_CHECKING:
    from swather.net.browser import Browser, Tab

# Told of each page that was rendered.
Record = Callable[[Request, Page], None]


class RealBrowser:
    """Chromium, started for the first page. `headed` shows its window. With `instead_of_get` the
    pages of ctx.get() are rendered, too. `seen` is what the last page showed in the end.
    """

    def __init__(
        self,
        policy: BrowserPolicy | None = None,
        *,
        headed: bool = False,
        instead_of_get: bool = False,
        record: Record | None = None,
    ) -> None:
        self.instead_of_get = instead_of_get
        self.seen: Seen | None = None
        self._policy = policy or BrowserPolicy()
        self._headed = headed
        self._record = record
        self._browser: Browser | None = None
        self._tabs: Tabs | None = None

    def tabs(self, policy: FetchPolicy, own_headers: OwnHeaders, timeout: float) -> Tabs:
        """For one target, whose pages may go where `policy` allows."""
        until = monotonic() + timeout

        @asynccontextmanager
        async def visit(browsing: Browsing) -> "AsyncIterator[Tab]":
            from swather.net.browser import Browser, Visit  # noqa: PLC0415 - Playwright is an extra

            if self._browser is None:
                self._browser = Browser(self._policy, headed=self._headed)
            request = browsing.request
            block = self._policy.block if browsing.block is None else frozenset(browsing.block)
            wanted = Visit(
                new_policy=lambda _: policy,
                deadline=lambda: until,
                egress=request.egress,
                session=request.session,
                block=block,
                user_agent=own_headers.user_agent,
                headers=own_headers.and_of(request),
                storage_state=browsing.storage_state,
            )
            async with self._browser.visit(wanted) as tab:
                yield tab

        self._tabs = Tabs(visit)
        return self._tabs

    async def render(self, tabs: Tabs, rendering: Rendering) -> Rendered:
        rendered = await tabs.render(rendering)
        if self._record is not None:
            request = rendering.browsing.request
            self._record(request if self.instead_of_get else as_rendered(request), rendered.page)
        return rendered

    async def close(self) -> None:
        if self._tabs is not None:
            self.seen = await self._tabs.look()
            await self._tabs.close()
        if self._browser is not None:
            await self._browser.close()
            self._browser = None
