"""An attempt's requests: robots.txt obeyed, every one of them paid for, answers heeded."""

import asyncio
from collections.abc import Awaitable
from functools import partial
from time import monotonic

from swather.errors import FetchError
from swather.net.egress import Egress, WayOut
from swather.net.errors import LaneBusy
from swather.net.fetch_policy import FetchPolicy
from swather.net.page import Page
from swather.net.request import Origin, Request
from swather.net.robots import MAX_REDIRECTS
from swather.net.robots_rules import Rules
from swather.scraping.targets import lane_of_url
from swather.worker.access.access import Access
from swather.worker.access.asked import Asked, note
from swather.worker.access.attempt_egresses import GO_AWAY, AttemptEgresses
from swather.worker.access.egress_fetch import EgressFetch, Fetch, fetch_for_all, fetch_through
from swather.worker.access.permits import Bystander, Requester


class AttemptAccess:
    """What all fetches of one attempt share.

    The claim has paid for the first request on the task's own lane; every other one, redirects and
    robots.txt among them, takes a permit from the lane that it goes to. The lease stands for one
    request in flight at a time on the task's own lane; any other one is counted by itself. `status`
    is that of the last request: 0 while it has no answer, None before the first; `struck` are lanes
    whose site has asked us to go away. `egresses` is None if its requests leave directly.
    `requests`: how many it has made, redirects among them.
    """

    __slots__ = (
        "_access",
        "_asked",
        "_claim_is_unused",
        "_lease_is_free",
        "_own_lane",
        "_robots",
        "egresses",
        "requester",
        "requests",
        "status",
        "struck",
    )

    def __init__(
        self, requester: Requester, access: Access, asked: list[Asked] | None = None
    ) -> None:
        self.requester = requester
        self._asked = asked
        self._access = access
        self._own_lane = requester.lease.lane
        self._lease_is_free = bool(self._own_lane)
        self._claim_is_unused = True
        self._robots = access.robots(requester.job.own_headers.user_agent)
        self.egresses: AttemptEgresses | None = None
        if requester.job.way_out is not WayOut.DIRECT:
            self.egresses = AttemptEgresses(
                requester, access.egress_source(requester.job), access.throttle
            )
        self.requests = 0
        self.status: int | None = None
        self.struck: set[str] | None = None

    def may_reach(self, host: str, port: int, *, private: bool) -> bool:
        return self._access.hosts.is_known(self.requester.job, host, port, private=private)

    async def refusal(self, host: str, port: int, address: str, *, private: bool) -> str | None:
        requester = self.requester
        requester.stop_clock("the database")  # which may be slow to answer
        try:
            return await self._access.hosts.refusal(
                requester.job, host, port, address, private=private
            )
        finally:
            requester.start_clock("the database")

    def needs_robots(self, url: str, origin: Origin) -> bool:
        """Whether robots.txt has to be asked for: it is not known here, or disallows this."""
        if not self.requester.job.obeys_robots:
            return False
        rules = self._robots.known(origin.url)
        return rules is None or not rules.allows(url)

    async def check_robots(
        self, url: str, lane: str, egress: Egress, max_wait: float | None = None
    ) -> None:
        """Disallowed, or rules that this process did not know until now."""

        async def settle(rules: Rules) -> None:
            if lane:
                await self._access.sites.crawl_delay(lane, rules.crawl_delay_seconds)

        # Others may have to wait for a permit, and we for them.
        self.requester.stop_clock("robots.txt")
        try:
            await self._robots.check(url, partial(self._fetch_robots, egress, max_wait), settle)
        finally:
            self.requester.start_clock("robots.txt")

    def use_lease(self, lane: str) -> bool:
        """Let the lease stand for the next request on the lane, if it can."""
        if lane != self._own_lane or not self._lease_is_free:
            return False
        self._lease_is_free = False
        return True

    def use_claim(self, lane: str) -> bool:
        """Use the permit that came with the claim, if it is there and still counts."""
        if not self._claim_is_unused or lane != self._own_lane:
            return False
        self._claim_is_unused = False
        return self._access.throttle.use_claim(self.requester.lease)

    def is_free(self, lane: str) -> bool:
        """Whether nothing limits the lane, as far as is known."""
        return self._access.throttle.is_free(lane)

    async def wait_for_permit(self, requester: Requester, lane: str) -> None:
        """LaneBusy when the lane is closed for long and the requester may not be postponed."""
        requester.stop_clock("its lane")
        try:
            await self._access.throttle.wait_for_permit(requester, lane)
        finally:
            requester.start_clock("its lane")

    async def wait_for_counted_permit(self, requester: Requester, lane: str) -> bool:
        """The same for a request that the lease does not stand for; whether it is counted now."""
        throttle = self._access.throttle
        if not lane or throttle.is_open(lane):
            return False
        # Nobody else may use it while the store is asked to give it to others.
        gives_up, self._lease_is_free = self._lease_is_free, False
        requester.stop_clock("its lane")
        try:
            granted = await throttle.wait_for_counted_permit(requester, lane, gives_up=gives_up)
        finally:
            requester.start_clock("its lane")
        self._lease_is_free = gives_up and not granted.has_given_up
        return granted.is_counted

    def leave(self, lane: str, *, is_leased: bool) -> None:
        """A request on the lane has ended, which the lease stood for or which was counted."""
        if is_leased:
            self._lease_is_free = True
        else:
            self._access.throttle.leave(lane)

    def await_answer(self) -> None:
        """A request of the scraper's goes out."""
        self.status = 0
        self.requests += 1

    def await_resource(self) -> None:
        """A request of a page in the browser goes out, which says nothing about the target."""
        self.requests += 1

    def policy_through(self, egress: Egress, max_wait: float | None) -> FetchPolicy:
        """For a fetch through an egress of its egresses."""
        assert self.egresses is not None
        return EgressFetch(AttemptFetch(self, max_wait), self.egresses, egress, max_wait)

    async def fetch_through(self, request: Request, fetch: Fetch) -> Page:
        """Fetch through an egress of its egresses, once there is one."""
        assert self.egresses is not None
        return await fetch_through(
            self.egresses, request, fetch, lambda: AttemptFetch(self, request.max_wait)
        )

    def answered(
        self,
        url: str,
        status: int,
        retry_after_seconds: float | None,
        seconds: float,
        lane: str,
        *,
        cools_lane: bool,
    ) -> None:
        """`cools_lane`: if it asks us to go away, that is said to all, however they leave."""
        self.status = status
        self._access.measurements.answered(self.requester.job.run.name, lane, status)
        self.heed(url, status, retry_after_seconds, seconds, cools_lane=cools_lane)

    def failed(self, url: str, error: FetchError, seconds: float) -> None:
        self.status = 0
        self.note_failure(url, error, seconds)

    def heed(
        self,
        url: str,
        status: int,
        retry_after_seconds: float | None,
        seconds: float,
        *,
        cools_lane: bool,
    ) -> None:
        """What an answer says of its lane, also one that is no page of the scraper's."""
        if self._asked is not None:
            note(self._asked, url, status, "", seconds)
        if status in GO_AWAY and cools_lane and (lane := self._lane_of_url(url)):
            self.struck = {lane, *(self.struck or ())}
            self._access.sites.strike(lane, retry_after_seconds, f"HTTP {status}")
        if self.requester.job.is_auto:
            failed = status >= 500 or status in GO_AWAY
            self._access.sites.timed(self._lane_of_url(url), seconds, failed=failed)

    def note_failure(self, url: str, error: FetchError, seconds: float) -> None:
        """The same when no answer came."""
        if self._asked is not None:
            note(self._asked, url, 0, type(error).__name__, seconds)
        if self.requester.job.is_auto:
            self._access.sites.timed(self._lane_of_url(url), seconds, failed=True)

    def forget_status(self) -> None:
        """The last answer does not count."""
        self.status = None

    def lane_of(self, origin: Origin) -> str:
        """The host's, unless the scraper names lanes itself."""
        return self._own_lane if self.requester.job.names_lanes else origin.authority

    def _lane_of_url(self, url: str) -> str:
        return self._own_lane if self.requester.job.names_lanes else lane_of_url(url)

    async def _fetch_robots(self, egress: Egress, max_wait: float | None, url: str) -> Page:
        """As the request leaves: a proxy may be the only way there, or there to hide us."""
        agent = self.requester.job.own_headers.user_agent
        headers = {} if agent is None else {"User-Agent": agent}
        request = Request(url=url, headers=headers, egress=egress, max_redirects=MAX_REDIRECTS)
        fetch, egresses = self._access.fetcher.fetch, self.egresses
        if egresses is None or not egresses.has_given(egress):
            return await fetch(request, _RobotsFetch(self, max_wait))
        return await fetch_for_all(
            egresses, request, fetch, lambda: _RobotsFetch(self, max_wait), max_wait
        )


class AttemptFetch:
    """The FetchPolicy of one fetch of an attempt. From `admit` to `end` it is in flight, on the
    lane of its present hop. With `max_wait` its hops wait for so many seconds in all, and it never
    postpones the attempt.
    """

    __slots__ = (
        "_access",
        "_asked_lane",
        "_is_leased",
        "_lane",
        "_wait_left",
        "failed",
        "may_reach",
        "refusal",
    )

    def __init__(self, access: AttemptAccess, max_wait: float | None) -> None:
        self._access = access
        self._wait_left = max_wait
        # What its present hop is paced by, and the same, but '' while nothing stands for it.
        self._asked_lane = self._lane = ""
        self._is_leased = False
        self.may_reach = access.may_reach
        self.refusal = access.refusal
        self.failed = access.failed

    def admit(self, url: str, origin: Origin, egress: Egress) -> Awaitable[None] | None:
        access = self._access
        self._asked_lane = lane = access.lane_of(origin)
        if self._lane and lane != self._lane:
            self.end()
        if access.needs_robots(url, origin):
            self.end()
            return self._check_robots_and_enter(url, lane, egress)
        if not self._enter_at_once(lane):
            return self._enter_and_ask(lane)
        self._sent()
        return None

    def answered(
        self,
        url: str,
        status: int,
        retry_after_seconds: float | None,
        seconds: float,
        *,
        cools_lane: bool = True,
    ) -> None:
        """See AttemptAccess.answered."""
        lane = self._asked_lane
        self._access.answered(
            url, status, retry_after_seconds, seconds, lane, cools_lane=cools_lane
        )

    async def _check_robots_and_enter(self, url: str, lane: str, egress: Egress) -> None:
        await self._access.check_robots(url, lane, egress, self._wait_left)
        if self._enter_at_once(lane):
            self._sent()
        else:
            await self._enter_and_ask(lane)

    async def _enter_and_ask(self, lane: str) -> None:
        await self._enter(lane)
        self._sent()

    def _sent(self) -> None:
        self._access.await_answer()

    def _enter_at_once(self, lane: str) -> bool:
        """Enter the lane if that takes no waiting; whether it took none."""
        access = self._access
        if not self._lane and lane:
            if not access.use_lease(lane):
                return False
            self._lane, self._is_leased = lane, True
        return access.use_claim(lane) or not lane or access.is_free(lane)

    async def _enter(self, lane: str) -> None:
        if self._wait_left is None:
            await self._wait(self._access.requester, lane)
            return
        began = monotonic()
        try:
            async with asyncio.timeout(self._wait_left):
                await self._wait(self._bystander(lane), lane)
        except TimeoutError:
            why = f"it is too slow (max_wait {self._wait_left:.3g} s)"
            raise LaneBusy(lane, why, is_closed=False) from None
        self._wait_left = max(self._wait_left - (monotonic() - began), 0.0)

    def _bystander(self, lane: str) -> Requester:
        return Bystander(self._access.requester, lane)

    async def _wait(self, requester: Requester, lane: str) -> None:
        if self._lane or not lane:
            await self._access.wait_for_permit(requester, lane)
        elif await self._access.wait_for_counted_permit(requester, lane):
            self._lane, self._is_leased = lane, False

    def end(self) -> None:
        """No request is in flight now."""
        if self._lane:
            lane, self._lane = self._lane, ""
            self._access.leave(lane, is_leased=self._is_leased)


class _RobotsFetch(AttemptFetch):
    """Of a robots.txt itself: paid for, but not asked for leave."""

    __slots__ = ()

    def admit(self, url: str, origin: Origin, egress: Egress) -> Awaitable[None] | None:
        del url, egress
        lane = self._access.lane_of(origin)
        if self._lane and lane != self._lane:
            self.end()
        return None if self._enter_at_once(lane) else self._enter(lane)

    def answered(
        self,
        url: str,
        status: int,
        retry_after_seconds: float | None,
        seconds: float,
        *,
        cools_lane: bool = True,
    ) -> None:
        """Its answer is not a page of the scraper's."""
        self._access.heed(url, status, retry_after_seconds, seconds, cools_lane=cools_lane)
        self._access.forget_status()
