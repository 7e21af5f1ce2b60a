"""The browser of a child process. It runs there and ends with it; the worker, which has the permits
and knows the hosts that are allowed, decides about each request of its pages.
"""

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING, Any, Protocol

from swather.errors import FetchError
from swather.net.egress import Egress
from swather.net.egress_policy import BrowserPolicy
from swather.net.request import Origin
from swather.scraping.arguments import OwnHeaders
from swather.scraping.rendering import Browsing, Rendered, Rendering
from swather.scraping.tabs import Tabs
from swather.worker.runners import visit_wire, wire

if TYPE_CHECKING:
    from swather.net.browser import Browser, Tab


class Line(Protocol):
    """The connection to the worker."""

    def tell(self, token: int, verb: str, body: bytes) -> None: ...
    async def ask(self, token: int, verb: str, body: bytes) -> bytes: ...


class ChildBrowser:
    """Started for the first page of the first target that wants one."""

    def __init__(self) -> None:
        self._browser: Browser | None = None

    def started(self, granted: visit_wire.Granted) -> "Browser":
        from swather.net.browser import Browser  # noqa: PLC0415 - Playwright is an extra

        if self._browser is None:
            self._browser = Browser(
                BrowserPolicy(
                    executable=None if granted.executable is None else Path(granted.executable),
                    memory_mb=granted.memory_mb,
                    pages=granted.pages,
                )
            )
        return self._browser

    async def close(self) -> None:
        if self._browser is not None:
            await self._browser.close()
            self._browser = None


class ChildVisits:
    """Of one attempt, the one of `token`."""

    def __init__(
        self, browser: ChildBrowser, line: Line, token: int, own_headers: OwnHeaders
    ) -> None:
        self._browser = browser
        self._line = line
        self._token = token
        self._own_headers = own_headers
        self._keeps_pages = False
        self.tabs: Tabs | None = None

    def open_tabs(self) -> Tabs:
        """On the loop."""
        if self.tabs is None:
            self.tabs = Tabs(self._visit)
        return self.tabs

    async def render(self, rendering: Rendering) -> Rendered:
        request = rendering.browsing.request
        replayed = visit_wire.replayed_of(await self._ask("replayed", wire.pack(request)))
        if replayed is not None:
            return Rendered(replayed)
        rendered = await self.open_tabs().render(rendering)
        if self._keeps_pages:
            self._tell("rendered", visit_wire.Rendered(request, rendered.page))
        return rendered

    async def leave(self, *, has_failed: bool) -> None:
        """Close what is open; if the attempt has failed, the worker keeps what that shows."""
        if self.tabs is None:
            return
        try:
            if has_failed and (seen := await self.tabs.look()) is not None:
                await self._ask("seen", wire.pack(visit_wire.Seen(*seen)))
        finally:
            await self.tabs.close()

    @asynccontextmanager
    async def _visit(self, browsing: Browsing) -> "AsyncIterator[Tab]":
        from swather.net.browser import Visit  # noqa: PLC0415 - Playwright is an extra

        granted = visit_wire.granted_of(await self._ask("visit", wire.pack(browsing)))
        self._keeps_pages = granted.keeps_pages
        requests = _Requests(self._ask, self._tell, granted)
        visit = Visit(
            new_policy=requests.new,
            deadline=requests.deadline,
            egress=granted.egress,
            session=granted.session,
            block=frozenset(granted.block),
            user_agent=granted.user_agent,
            headers=self._own_headers.and_of(browsing.request),
            storage_state=browsing.storage_state,
        )
        try:
            async with self._browser.started(granted).visit(visit) as tab:
                yield tab
        finally:
            self._tell("over", visit_wire.Over(granted.number))

    async def _ask(self, verb: str, body: bytes) -> bytes:
        return await self._line.ask(self._token, verb, body)

    def _tell(self, verb: str, said: Any) -> None:
        self._line.tell(self._token, verb, wire.pack(said))


Ask = Callable[[str, bytes], Awaitable[bytes]]
Tell = Callable[[str, Any], None]


class _Requests:
    """Those of one visit. Their waits do not count as its time, as the worker sees it, too."""

    def __init__(self, ask: Ask, tell: Tell, granted: visit_wire.Granted) -> None:
        self.ask = ask
        self.tell = tell
        self.visit = granted.number
        self.allowed: set[tuple[str, int, bool]] = set()
        self._until = monotonic() + granted.seconds
        self._last = 0
        self._waiting = 0
        self._since = 0.0

    def new(self, is_page: bool) -> "_LinePolicy":
        self._last += 1
        return _LinePolicy(self, self._last, is_page=is_page)

    def deadline(self) -> float:
        return self._until + (monotonic() - self._since if self._waiting else 0.0)

    async def wait(self, verb: str, body: bytes) -> bytes:
        if not self._waiting:
            self._since = monotonic()
        self._waiting += 1
        try:
            return await self.ask(verb, body)
        finally:
            self._waiting -= 1
            if not self._waiting:
                self._until += monotonic() - self._since


class _LinePolicy:
    """See swather.net.fetch_policy.FetchPolicy."""

    def __init__(self, requests: _Requests, number: int, *, is_page: bool) -> None:
        self._requests = requests
        self._number = number
        self._is_page = is_page

    def may_reach(self, host: str, port: int, *, private: bool) -> bool:
        return (host, port, private) in self._requests.allowed

    async def refusal(self, host: str, port: int, address: str, *, private: bool) -> str | None:
        requests = self._requests
        reach = visit_wire.Reach(requests.visit, host, port, address, private)
        why = visit_wire.refusal_of(await requests.wait("reach", wire.pack(reach)))
        if why is None:
            requests.allowed.add((host, port, private))
        return why

    def admit(self, url: str, origin: Origin, egress: Egress) -> Awaitable[None]:
        del origin, egress  # which the worker knows
        return self._admit(url)

    async def _admit(self, url: str) -> None:
        requests = self._requests
        asked = visit_wire.Admit(requests.visit, self._number, self._is_page, url)
        await requests.wait("admit", wire.pack(asked))

    def answered(
        self, url: str, status: int, retry_after_seconds: float | None, seconds: float
    ) -> None:
        self._tell(url, status, retry_after_seconds, seconds, None)

    def failed(self, url: str, error: FetchError, seconds: float) -> None:
        self._tell(url, 0, None, seconds, wire.error_of(error))

    def end(self) -> None:
        requests = self._requests
        requests.tell("over", visit_wire.Over(requests.visit, self._number))

    def _tell(
        self,
        url: str,
        status: int,
        retry_after_seconds: float | None,
        seconds: float,
        error: wire.Met | None,
    ) -> None:
        requests = self._requests
        requests.tell(
            "answered",
            visit_wire.Answered(
                requests.visit, self._number, url, status, retry_after_seconds, seconds, error
            ),
        )
