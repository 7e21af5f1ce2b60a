"""The worker's browser as attempts use it: tabs that are open as long as an attempt runs."""

import asyncio
import logging
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager, suppress
from dataclasses import dataclass
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any, Final

from swather.errors import Later, NotStored
from swather.net.egress import Egress
from swather.net.egress_policy import BrowserPolicy
from swather.net.errors import ProxyFailed
from swather.net.page import Page
from swather.net.request import Request
from swather.scraping.rendering import Browsing, Rendered, Rendering
from swather.scraping.tabs import LOOK_SECONDS, Seen, Tabs
from swather.worker.access.access import Access
from swather.worker.access.page_requests import PageRequests
from swather.worker.attempt import Attempt, Cut, Ending
from swather.worker.failed_pages import FailedPages
from swather.worker.stored_pages import PageStore, StoredPages

if TYPE_CHECKING:
    from swather.net.browser import Browser, Tab

_WAITS_FOR: Final = "a page of the browser"

_log = logging.getLogger(__name__)


@dataclass(frozen=True, kw_only=True)
class Grant:
    """How an attempt may visit a site, in whichever process its browser is; see Visit."""

    new_policy: PageRequests
    deadline: Callable[[], float]
    egress: Egress
    session: str
    block: frozenset[str]
    user_agent: str | None
    policy: BrowserPolicy
    keeps_pages: bool


class Visits:
    """Belongs to the loop's thread. In a `replay` pages come from there."""

    def __init__(
        self,
        policy: BrowserPolicy,
        access: Access,
        pages: PageStore,
        replay: StoredPages | None,
        failed_pages: FailedPages,
    ) -> None:
        self._policy = policy
        self._access = access
        self._pages = pages
        self._replay = replay
        self._failed_pages = failed_pages
        # A loop does not keep its tasks.
        self._leaving: set[asyncio.Task[None]] = set()

    @cached_property
    def browser(self) -> "Browser":
        """Made for the first page: many workers need none."""
        from swather.net.browser import Browser  # noqa: PLC0415 - see above

        return Browser(self._policy)

    def browse(self, attempt: Attempt, browsing: Browsing) -> AbstractAsyncContextManager["Tab"]:
        attempt.check()
        self._check_not_replayed()
        return self._tabs_of(attempt).browse(browsing)

    async def render(self, attempt: Attempt, rendering: Rendering) -> Rendered:
        request = rendering.browsing.request
        if (page := await self.replayed(attempt, request)) is not None:
            return Rendered(page)
        rendered = await self._tabs_of(attempt).render(rendering)
        attempt.check()
        self.store_rendered(attempt, request, rendered.page)
        return rendered

    async def leave(self, attempt: Attempt, ending: Ending) -> None:
        """Close what it has open; if it has failed, what that shows is kept. Who is cancelled
        meanwhile waits for it no longer, and its ending stays what it is.
        """
        assert attempt.tabs is not None
        leaving = self._start(self._look_and_close(attempt, attempt.tabs, ending))
        with suppress(asyncio.CancelledError):
            await asyncio.shield(leaving)

    def leave_behind(self, attempt: Attempt) -> None:
        """The same for an attempt that does not end."""
        if attempt.tabs is not None:
            self._start(_close(attempt.tabs))

    async def close(self) -> None:
        if "browser" in vars(self):
            await self.browser.close()

    def _start(self, coroutine: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        task = asyncio.get_running_loop().create_task(coroutine)
        self._leaving.add(task)
        task.add_done_callback(self._leaving.discard)
        return task

    async def _look_and_close(self, attempt: Attempt, tabs: Tabs, ending: Ending) -> None:
        try:
            if (
                _has_failed(attempt, ending)
                and self._failed_pages.wants(attempt)
                and (seen := await tabs.look()) is not None
            ):
                await self._failed_pages.keep(attempt, seen)
        finally:
            await _close(tabs)

    def _tabs_of(self, attempt: Attempt) -> Tabs:
        if attempt.tabs is None:
            attempt.open_tabs(Tabs(partial(self._visit, attempt)))
        assert attempt.tabs is not None
        return attempt.tabs

    @asynccontextmanager
    async def _visit(self, attempt: Attempt, browsing: Browsing) -> "AsyncIterator[Tab]":
        from swather.net.browser import Visit  # noqa: PLC0415 - Playwright is an extra

        grant = await self.grant(attempt, browsing)
        visit = Visit(
            new_policy=grant.new_policy,
            deadline=grant.deadline,
            egress=grant.egress,
            session=grant.session,
            block=grant.block,
            user_agent=grant.user_agent,
            headers=attempt.job.own_headers.and_of(browsing.request),
            storage_state=browsing.storage_state,
        )
        async with AsyncExitStack() as leaving:
            attempt.stop_clock(_WAITS_FOR)  # others may have all that the browser may open
            try:
                tab = await leaving.enter_async_context(self.browser.visit(visit))
            finally:
                attempt.start_clock(_WAITS_FOR)
            yield tab

    async def grant(self, attempt: Attempt, browsing: Browsing) -> Grant:
        """Leave to visit a site, once there is an egress for it."""
        attempt.check()
        self._check_not_replayed()
        access = attempt.access or attempt.visit(self._access)
        request = browsing.request
        # A proxy that the scraper names itself is not the egresses's business.
        egresses = access.egresses if request.egress.is_direct else None
        if egresses is not None:
            request = await egresses.let_out(request)
        return Grant(
            new_policy=PageRequests(access, request.egress, egresses),
            deadline=partial(call_deadline, attempt),
            egress=request.egress,
            session=request.session,
            block=self._policy.block if browsing.block is None else frozenset(browsing.block),
            user_agent=attempt.job.own_headers.user_agent,
            policy=self._policy,
            keeps_pages=attempt.job.keeps_pages,
        )

    async def replayed(self, attempt: Attempt, request: Request) -> Page | None:
        """In a replay, the page as it was rendered; else None."""
        attempt.check()
        return None if self._replay is None else await self._replay.rendered(attempt, request)

    def store_rendered(self, attempt: Attempt, request: Request, page: Page) -> None:
        if attempt.job.keeps_pages:
            self._pages.store_rendered(attempt, request, page)

    async def keep_seen(self, attempt: Attempt, seen: Seen) -> None:
        """Keep what an attempt showed that has failed."""
        await self._failed_pages.keep(attempt, seen)

    def _check_not_replayed(self) -> None:
        if self._replay is not None:
            raise NotStored(
                "what a scraper sees in ctx.browser() is not stored for a replay; the pages of "
                "ctx.render() are"
            )


def call_deadline(attempt: Attempt) -> float:
    """When a call to the browser has to end: so much before the attempt that what the page shows
    then can still be kept.
    """
    if attempt.tabs is not None and attempt.tabs.is_looking:
        return attempt.deadline + LOOK_SECONDS
    return attempt.deadline - min(LOOK_SECONDS, attempt.timeout / 10)


def _has_failed(attempt: Attempt, ending: Ending) -> bool:
    """Not if it was stopped, is postponed, or only its proxy has failed."""
    return (
        isinstance(ending, BaseException)
        and not isinstance(ending, Later | ProxyFailed)
        and attempt.postponed is None
        and attempt.cut in (None, Cut.TIMEOUT)
    )


async def _close(tabs: Tabs) -> None:
    try:
        await tabs.close()
    except Exception as error:  # noqa: BLE001 - the browser may be gone
        _log.warning("a page of the browser could not be closed: %r", error)
