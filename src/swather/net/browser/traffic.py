"""The requests of a context of the browser: each is checked, admitted and followed to its end.

Those that a page begins are held by Playwright's routes, with their URLs. What routes do not see
(the next hop of a redirect, a WebSocket, a preconnection) is admitted where it has to come by, in
the guard proxy: over https by its origin.
"""

import asyncio
import logging
from collections import Counter
from collections.abc import AsyncIterator, Coroutine
from contextlib import asynccontextmanager
from time import monotonic
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import urldefrag

from swather.errors import FetchError, SwatherError
from swather.masking import shown_url
from swather.net.browser.failures import by_net_error
from swather.net.browser.visit_traffic import VisitTraffic, tunnel_to
from swather.net.egress import Egress
from swather.net.errors import Refused, TooLarge, UnusableURL, retry_after_seconds
from swather.net.fetch_policy import FetchPolicy
from swather.net.guard import CheckedOrigin, Guard
from swather.net.redirects import REDIRECTS
from swather.net.request import is_http, origin_of

if TYPE_CHECKING:
    from playwright.async_api import BrowserContext, Request, Response, Route
    from playwright.async_api import Page as BrowserPage

MAX_VISIT_BYTES: Final = 512 << 20
# What never leaves the browser.
_HARMLESS: Final = ("data:", "blob:", "about:")

_log = logging.getLogger(__name__)


class _Sent:
    """A request on its way, and its later hops."""

    __slots__ = ("began", "is_page", "policy", "url", "visit")

    def __init__(
        self, visit: VisitTraffic, policy: FetchPolicy, url: str, *, is_page: bool
    ) -> None:
        self.visit = visit
        self.policy = policy
        self.url = url
        self.is_page = is_page
        self.began = monotonic()


class Traffic:
    """Of one context, which leaves by one egress. It is the door in the guard proxy."""

    def __init__(self, egress: Egress, guard: Guard) -> None:
        self.egress = egress
        self._guard = guard
        self._visits: list[VisitTraffic] = []
        self._sent: dict[Request, _Sent] = {}
        # URLs and authorities for which a request has been admitted and is on its way.
        self._expected: Counter[str] = Counter()
        self._passed: set[str] = set()

    async def watch(self, context: "BrowserContext") -> None:
        await context.route("**/*", self._hold)
        context.on("response", self._answered)
        context.on("requestfinished", self._finished)
        context.on("requestfailed", self._failed)

    def begin(self, visit: VisitTraffic) -> None:
        self._visits.append(visit)

    def end(self, visit: VisitTraffic) -> None:
        """Nothing more leaves for this visit."""
        if visit in self._visits:
            self._visits.remove(visit)
        for request, sent in list(self._sent.items()):
            if sent.visit is visit:
                self._end(request)
        if not self._visits:
            self._passed.clear()

    # What Playwright tells.

    async def _hold(self, route: "Route") -> None:
        try:
            headers = await self._admitted(route.request)
        except SwatherError as error:
            if (visit := self._visit_of(route.request)) is not None:
                visit.note(route.request.url, error)
                if _is_page(route.request, visit):
                    visit.failure = error
            await _quietly(route.abort("blockedbyclient"))
        except Exception as error:  # noqa: BLE001 - Playwright would lose it, and hold the request
            _log.warning("a request of a page was dropped: %r", error)
            await _quietly(route.abort("failed"))
        else:
            await _quietly(route.continue_(headers=headers))

    async def _admitted(self, request: "Request") -> dict[str, str] | None:
        """The headers to send, None for the browser's own."""
        url = request.url
        visit = self._visit_of(request)
        if visit is None:
            raise Refused("no target has this page open")
        if request.resource_type in visit.blocked:
            raise Refused(f"{request.resource_type}s are not loaded")
        if not is_http(url):
            if url.startswith(_HARMLESS):
                return None
            raise UnusableURL(f"only http and https URLs can be opened, got {shown_url(url)!r}")
        is_page = _is_page(request, visit)
        sent = _Sent(visit, visit.visit.new_policy(is_page), url, is_page=is_page)
        try:
            await self._admit(sent.policy, url)
        except BaseException:
            sent.policy.end()
            raise
        sent.began = monotonic()
        self._sent[request] = sent
        self._expect(url, 1)
        extra = visit.visit.headers(url)
        return {**request.headers, **{n.lower(): v for n, v in extra.items()}} if extra else None

    def _answered(self, response: "Response") -> None:
        request = response.request
        sent = self._sent.get(request) or self._next_hop(request)
        if sent is None:
            return
        if sent.is_page:
            sent.visit.response = response
        status = response.status
        if status not in REDIRECTS and request.is_navigation_request():
            sent.visit.documents.add(origin_of(sent.url))
        wait = retry_after_seconds(response.headers) if status >= 400 else None
        sent.policy.answered(sent.url, status, wait, monotonic() - sent.began)

    def _next_hop(self, request: "Request") -> _Sent | None:
        """A redirect: its request is sent already, unless the guard proxy has held it."""
        previous = request.redirected_from
        sent = None if previous is None else self._sent.pop(previous, None)
        if sent is None:
            return None
        self._expect(sent.url, -1)
        sent.url = request.url
        self._sent[request] = sent
        self._expect(sent.url, 1)
        if is_http(sent.url) and urldefrag(sent.url)[0] not in self._passed:
            task = asyncio.create_task(self._admit_late(sent, sent.url))
            sent.visit.late.add(task)
            task.add_done_callback(sent.visit.late.discard)
        return sent

    async def _admit_late(self, sent: _Sent, url: str) -> None:
        """It went through a tunnel, in which we do not see it. The lane counts it all the same, and
        if it was not allowed, nobody gets to see the answer.
        """
        try:
            await self._admit(sent.policy, url)
        except SwatherError as error:
            sent.visit.note(url, error)
            if sent.is_page:
                sent.visit.failure = error
                await _quietly(sent.visit.page.goto("about:blank"))

    def _finished(self, request: "Request") -> None:
        sent = self._sent.get(request)
        if sent is not None and not self._is_redirected(request, sent):
            self._end(request)

    def _failed(self, request: "Request") -> None:
        sent = self._sent.get(request) or self._next_hop(request)
        if sent is None:
            return
        error = sent.visit.error_of(sent.url) or by_net_error(request.failure or "", sent.url)
        if sent.is_page and error is not None:
            sent.visit.failure = error
        if isinstance(error, FetchError) and not isinstance(error, Refused):
            sent.policy.failed(sent.url, error, monotonic() - sent.began)
        self._end(request)

    # What the guard proxy asks and tells.

    @asynccontextmanager
    async def pass_through(self, url: str, *, is_tunnel: bool) -> AsyncIterator[CheckedOrigin]:
        if not self._visits:
            raise Refused("no target has this page open")
        visit = self._visits[-1]
        key = tunnel_to(url) if is_tunnel else urldefrag(url)[0]
        policy = visit.visit.new_policy(False)
        try:
            if self._expected[key]:
                checked = await self._checked(policy, url)
            else:
                checked = await self._admit(policy, url)
                self._passed.add(key)
            yield checked
        finally:
            policy.end()

    def failed(self, url: str, error: SwatherError) -> None:
        for visit in self._visits:
            visit.note(url if url.startswith("http:") else tunnel_to(url), error)

    def count(self, size: int) -> None:
        for visit in self._visits:
            visit.size += size
            if visit.size > MAX_VISIT_BYTES:
                error = TooLarge(f"the page has loaded more than {MAX_VISIT_BYTES >> 20} MB")
                visit.note(visit.page.url, error)
                raise error

    async def _admit(self, policy: FetchPolicy, url: str) -> CheckedOrigin:
        checked = await self._checked(policy, url)
        if (turn := policy.admit(url, checked.origin, self.egress)) is not None:
            await turn
        return checked

    async def _checked(self, policy: FetchPolicy, url: str) -> CheckedOrigin:
        found = self._guard.known(url, self.egress)
        _, checked = found or await self._guard.resolve(url, self.egress)
        if not self._guard.is_allowed(checked, policy):
            await self._guard.check(checked, policy)
        return checked

    def _visit_of(self, request: "Request") -> VisitTraffic | None:
        """That of its page; what belongs to no page, or to one that a page has opened, is the
        latest visit's.
        """
        if len(self._visits) > 1:
            page = _page_of(request)
            for visit in self._visits:
                if visit.page is page:
                    return visit
        return self._visits[-1] if self._visits else None

    def _is_redirected(self, request: "Request", sent: _Sent) -> bool:
        response = request.existing_response
        return (
            response is not None
            and response.status in REDIRECTS
            and "location" in response.headers
            and not sent.url.startswith(_HARMLESS)
        )

    def _end(self, request: "Request") -> None:
        sent = self._sent.pop(request, None)
        if sent is not None:
            self._expect(sent.url, -1)
            sent.policy.end()

    def _expect(self, url: str, count: int) -> None:
        if not is_http(url):
            return
        for key in (urldefrag(url)[0], tunnel_to(url)):
            self._expected[key] += count
            if self._expected[key] <= 0:
                del self._expected[key]


def _is_page(request: "Request", visit: VisitTraffic) -> bool:
    if not request.is_navigation_request():
        return False
    try:
        return request.frame == visit.page.main_frame
    except Exception:  # noqa: BLE001 - a page that is just being opened has no frame yet
        return False


def _page_of(request: "Request") -> "BrowserPage | None":
    try:
        return request.frame.page
    except Exception:  # noqa: BLE001 - the same
        return None


async def _quietly(call: Coroutine[Any, Any, Any]) -> None:
    """A page may be gone by the time its request is decided."""
    try:
        await call
    except Exception as error:  # noqa: BLE001 - Playwright's errors are not imported for this
        _log.debug("the browser did not take an answer: %r", error)
