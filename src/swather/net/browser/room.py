"""A room: a context of the browser with its pages, used by one target after another."""

import asyncio
from contextlib import suppress
from time import monotonic
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from swather.net.browser.guard_proxy import Credentials, GuardProxy
from swather.net.browser.traffic import Traffic
from swather.net.browser.visit import Visit
from swather.net.browser.visit_traffic import VisitTraffic
from swather.net.egress import Egress
from swather.net.guard import Guard
from swather.net.request import is_http, origin_of

if TYPE_CHECKING:
    from playwright.async_api import Browser as PlaywrightBrowser
    from playwright.async_api import BrowserContext, CDPSession
    from playwright.async_api import Page as BrowserPage

CLEAN_SECONDS: Final = 5.0
CLOSE_SECONDS: Final = 3.0
_LEAVE: Final = "() => { try { sessionStorage.clear() } catch {} window.name = '' }"
_BLANK: Final = "about:blank"
_MOMENT_SECONDS: Final = 0.1


class RoomKey(NamedTuple):
    """Visits that may use the same room."""

    session: str
    egress: Egress
    user_agent: str | None

    @classmethod
    def of(cls, visit: Visit) -> "RoomKey":
        return cls(visit.session, visit.egress, visit.user_agent)


class OpenPage(NamedTuple):
    page: "BrowserPage"
    devtools: "CDPSession"


class Room:
    """Without a session it has one visit at a time, and nothing of a target is left for the next.
    Visits of a session share its room.
    """

    def __init__(
        self,
        key: RoomKey,
        context: "BrowserContext",
        traffic: Traffic,
        proxy: GuardProxy,
        credentials: Credentials,
    ) -> None:
        self.key = key
        self.context = context
        self.traffic = traffic
        self.visits = 0
        self.idle_since = monotonic()
        self._proxy = proxy
        self._credentials = credentials
        self._idle: list[OpenPage] = []

    @classmethod
    async def open(
        cls,
        key: RoomKey,
        browser: "PlaywrightBrowser",
        proxy: GuardProxy,
        guard: Guard,
        storage_state: dict[str, Any] | None,
    ) -> "Room":
        traffic = Traffic(key.egress, guard)
        credentials = proxy.register(traffic)
        try:
            context = await browser.new_context(
                user_agent=key.user_agent,
                proxy={
                    "server": proxy.url,
                    "username": credentials.user,
                    "password": credentials.password,
                },
                service_workers="block",
                storage_state=storage_state,  # type: ignore[arg-type] # as Playwright returned it
            )
            await traffic.watch(context)
        except BaseException:
            proxy.forget(credentials)
            raise
        return cls(key, context, traffic, proxy, credentials)

    async def enter(self, visit: Visit) -> tuple[OpenPage, VisitTraffic]:
        """A page for a visit, which can make requests from now on."""
        if self._idle:
            opened = self._idle.pop()
        else:
            page = await self.context.new_page()
            # What users wait for ends with the visit, not after Playwright's half a minute.
            page.set_default_timeout(0)
            opened = OpenPage(page, await self.context.new_cdp_session(page))
        traffic = VisitTraffic(visit, opened.page)
        self.traffic.begin(traffic)
        return opened, traffic

    async def leave(self, opened: OpenPage, traffic: VisitTraffic, *, can_stay: bool) -> bool:
        """Clean up after a visit; False if the room cannot be used again."""
        try:
            async with asyncio.timeout(CLEAN_SECONDS):
                if self.key.session:
                    await self._leave_page(opened, can_stay=can_stay)
                    return True
                if not can_stay or not _is_simple(opened.page, traffic):
                    return False
                await self._clean(opened, traffic)
        except Exception:  # noqa: BLE001 - it hangs, has crashed or is gone
            return False
        finally:
            self.traffic.end(traffic)
        self._idle.append(opened)
        return True

    async def _leave_page(self, opened: OpenPage, *, can_stay: bool) -> None:
        # As many as are in use now: a new page is a new process, and an idle one takes memory.
        if can_stay and len(self._idle) < self.visits:
            await opened.page.goto(_BLANK)
            self._idle.append(opened)
        else:
            await opened.page.close()

    async def _clean(self, opened: OpenPage, traffic: VisitTraffic) -> None:
        page, devtools = opened
        for popup in self.context.pages:
            if popup is not page:
                await popup.close()
        # The page does one after the other; we need not wait between them.
        *_, opened_blank = await asyncio.gather(
            *(frame.evaluate(_LEAVE) for frame in page.frames),
            page.goto(_BLANK),
            return_exceptions=True,
        )
        if isinstance(opened_blank, BaseException):
            raise opened_blank
        await asyncio.gather(
            self.context.clear_cookies(),
            _forget_history(devtools),
            *(
                devtools.send(
                    "Storage.clearDataForOrigin", {"origin": origin, "storageTypes": "all"}
                )
                for origin in traffic.documents
            ),
        )

    async def close(self) -> bool:
        """False if it cannot be closed: the whole browser hangs."""
        self._proxy.forget(self._credentials)
        try:
            async with asyncio.timeout(CLOSE_SECONDS):
                await self.context.close()
        except TimeoutError:
            return False
        except Exception:  # noqa: BLE001 - it is gone already
            return True
        return True


async def _forget_history(devtools: "CDPSession") -> None:
    """For a moment after a navigation Chromium may say that there is no page."""
    try:
        await devtools.send("Page.resetNavigationHistory")
    except Exception:  # noqa: BLE001 - Playwright's error is not imported for this
        await asyncio.sleep(_MOMENT_SECONDS)
        await devtools.send("Page.resetNavigationHistory")


def _is_simple(page: "BrowserPage", traffic: VisitTraffic) -> bool:
    """Whether all documents that the visit has seen are still there to be asked to forget: the
    storage of a tab cannot be cleared from outside.
    """
    there = {origin_of(frame.url) for frame in page.frames if is_http(frame.url)}
    return traffic.documents <= there


async def cut(opened: OpenPage) -> bool:
    """Close a page whatever it does; False if it stays."""
    with suppress(Exception):
        async with asyncio.timeout(CLOSE_SECONDS):
            await opened.page.close()
    return opened.page.is_closed()
