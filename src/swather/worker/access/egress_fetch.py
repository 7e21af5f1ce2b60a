"""The policy of a fetch through an egress that a source has given."""

from collections.abc import Awaitable, Callable, Coroutine
from typing import Any, Protocol

from swather.errors import FetchError
from swather.masking import shown_url
from swather.net.egress import Egress
from swather.net.errors import ConnectionFailed, FetchTimeout, ProxyFailed
from swather.net.fetch_policy import FetchPolicy
from swather.net.page import Page
from swather.net.request import Origin, Request
from swather.worker.access.attempt_egresses import GO_AWAY, AttemptEgresses
from swather.worker.access.egress_source import EgressLost

Fetch = Callable[[Request, FetchPolicy], Awaitable[Page]]


class LaneFetch(FetchPolicy, Protocol):
    """The policy of the same fetch as far as its lane is concerned; see AttemptFetch."""

    def answered(
        self,
        url: str,
        status: int,
        retry_after_seconds: float | None,
        seconds: float,
        *,
        cools_lane: bool = True,
    ) -> None: ...


class EgressFetch:
    """As its lane says, and at the pace of its egress, whose source is told what came of it.

    With `may_change`, a request that had to wait until its egress was out of use is not sent:
    EgressLost.
    """

    __slots__ = (
        "_egress",
        "_egresses",
        "_lane_fetch",
        "_max_wait",
        "_may_change",
        "end",
        "may_reach",
        "refusal",
    )

    def __init__(
        self,
        lane_fetch: LaneFetch,
        egresses: AttemptEgresses,
        egress: Egress,
        max_wait: float | None = None,
        *,
        may_change: bool = False,
    ) -> None:
        self._max_wait = max_wait
        self._may_change = may_change
        self._lane_fetch = lane_fetch
        self._egresses = egresses
        self._egress = egress
        self.may_reach = lane_fetch.may_reach
        self.refusal = lane_fetch.refusal
        self.end = lane_fetch.end

    def admit(self, url: str, origin: Origin, egress: Egress) -> Awaitable[None] | None:
        turn = self._lane_fetch.admit(url, origin, egress)
        lane = self._egresses.lane_of_url(url)
        pace = self._egresses.pace(lane, egress, self._max_wait)
        # After the first hop, the request has been sent.
        may_change, self._may_change = self._may_change, False
        if turn is None and pace is None:
            return None
        return self._wait(turn, pace, lane if may_change else None)

    async def _wait(
        self, turn: Awaitable[None] | None, pace: Coroutine[Any, Any, None] | None, lane: str | None
    ) -> None:
        try:
            if turn is not None:
                await turn
        except BaseException:
            if pace is not None:
                pace.close()
            raise
        if pace is not None:
            await pace
        if lane is not None and not self._egresses.source.may_use(self._egress, lane):
            raise EgressLost

    def answered(
        self, url: str, status: int, retry_after_seconds: float | None, seconds: float
    ) -> None:
        cools_lane = self._egresses.answered(
            self._egress, url, status, retry_after_seconds, seconds
        )
        self._lane_fetch.answered(url, status, retry_after_seconds, seconds, cools_lane=cools_lane)

    def failed(self, url: str, error: FetchError, seconds: float) -> None:
        self._egresses.failed(self._egress, url, error, seconds)
        self._lane_fetch.failed(url, error, seconds)


async def fetch_through(
    egresses: AttemptEgresses,
    request: Request,
    fetch: Fetch,
    new_lane_fetch: Callable[[], LaneFetch],
) -> Page:
    """Fetch through an egress of the attempt, once there is one."""
    while True:
        leaving = await egresses.let_out(request)
        policy = EgressFetch(
            new_lane_fetch(), egresses, leaving.egress, request.max_wait, may_change=True
        )
        try:
            return await fetch(leaving, policy)
        except EgressLost:
            continue


async def fetch_for_all(
    egresses: AttemptEgresses,
    request: Request,
    fetch: Fetch,
    new_lane_fetch: Callable[[], LaneFetch],
    max_wait: float | None,
) -> Page:
    """Fetch what the whole fleet uses, a robots.txt: what one egress cannot get must not be said of
    the site to all, so that others are tried; ProxyFailed if none is left.
    """
    while True:
        policy = EgressFetch(new_lane_fetch(), egresses, request.egress, max_wait)
        try:
            page = await fetch(request, policy)
            if page.status not in GO_AWAY:
                return page
            why = f"HTTP {page.status}"
        except (ConnectionFailed, FetchTimeout, ProxyFailed) as error:
            why = str(error)
        if not egresses.has_other(request.url):
            url = shown_url(request.url)
            raise ProxyFailed(f"{url} cannot be read through {request.egress}: {why}")
        request = await egresses.let_out(request)
