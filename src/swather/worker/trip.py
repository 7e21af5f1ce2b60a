"""An attempt's way through the web: robots.txt obeyed, every request paid for, answers heeded."""

from functools import partial
from typing import TYPE_CHECKING, Final

from swather.errors import FetchError
from swather.net.page import Page
from swather.net.request import Request
from swather.net.robots_policy import RobotsPolicy
from swather.net.robots_rules import Rules
from swather.worker.attempt import Attempt

if TYPE_CHECKING:
    from swather.worker.verbs import Services

# What a site says when we are too many or too quick for it.
GO_AWAY: Final = frozenset({429, 503})


class AttemptTrip:
    """What all fetches of one attempt share.

    The claim has paid for the first request on the task's own lane; every other one, redirects and
    robots.txt among them, takes a permit from the lane that it goes to. The lease stands for one
    request at a time on the task's own lane; any other one takes a place of its own. `status`
    is the last answer and 0 before any; `struck` are lanes whose site has asked us to go away.
    """

    __slots__ = (
        "_attempt",
        "_is_paid",
        "_own_lane",
        "_own_place_is_free",
        "_services",
        "status",
        "struck",
    )

    def __init__(self, attempt: Attempt, services: "Services") -> None:
        self._attempt = attempt
        self._services = services
        self._own_lane = attempt.lease.lane
        self._own_place_is_free = bool(self._own_lane)
        self._is_paid = True
        self.status = 0
        self.struck: set[str] | None = None

    def may_reach(self, host: str, port: int, *, private: bool) -> bool:
        return self._services.reach.is_known(self._attempt.job, host, port, private=private)

    async def refusal(self, host: str, port: int, address: str, *, private: bool) -> str | None:
        services, attempt = self._services, self._attempt
        services.slots.stop_clock(attempt)  # the database may be slow to answer
        try:
            return await services.reach.refusal(attempt.job, host, port, address, private=private)
        finally:
            services.slots.start_clock(attempt)

    def asks_robots(self, url: str) -> bool:
        """Whether robots.txt has to be asked for: it is not known here, or disallows this."""
        if not self._attempt.job.obeys_robots:
            return False
        rules = self._services.robots.known(url)
        return rules is None or not rules.allows(url)

    def take_own_place(self, lane: str) -> bool:
        """Whether the lease stands for the next request on the lane."""
        if lane != self._own_lane or not self._own_place_is_free:
            return False
        self._own_place_is_free = False
        return True

    def leave(self, lane: str, *, is_own: bool) -> None:
        """A request that had a place on the lane has ended."""
        if is_own:
            self._own_place_is_free = True
        else:
            self._services.traffic.leave(lane)

    def costs_nothing(self, lane: str) -> bool:
        """Whether one request need not be waited for: it is paid for already, or nothing limits
        the lane.
        """
        traffic = self._services.traffic
        if self._is_paid and lane == self._own_lane:
            self._is_paid = False
            if traffic.is_still_paid(self._attempt.lease):
                return True
        return not lane or traffic.is_free(lane)

    async def pay(self, lane: str) -> None:
        attempt, slots = self._attempt, self._services.slots
        slots.stop_clock(attempt)
        try:
            await self._services.traffic.pay(attempt, lane)
        finally:
            slots.start_clock(attempt)

    async def pay_for_place(self, lane: str) -> bool:
        """The same for a request that the lease does not stand for; whether it has a place now."""
        traffic = self._services.traffic
        if not lane or traffic.is_open(lane):
            return False
        attempt, slots = self._attempt, self._services.slots
        # Nobody else may take it while the store is asked to give it to others.
        gives_up, self._own_place_is_free = self._own_place_is_free, False
        slots.stop_clock(attempt)
        try:
            paid = await traffic.pay_for_place(attempt, lane, gives_up=gives_up)
        finally:
            slots.start_clock(attempt)
        self._own_place_is_free = gives_up and not paid.has_given_up
        return paid.has_place

    def answered(
        self, url: str, status: int, retry_after_seconds: float | None, seconds: float
    ) -> None:
        self.status = status
        if status in GO_AWAY:
            lane = self.lane_of(url)
            self._strike(lane, retry_after_seconds, f"HTTP {status}")
        if self._attempt.job.is_auto:
            failed = status >= 500 or status in GO_AWAY
            self._services.sites.timed(self.lane_of(url), seconds, failed=failed)

    def failed(self, url: str, error: FetchError, seconds: float) -> None:
        del error
        self.status = 0
        if self._attempt.job.is_auto:
            self._services.sites.timed(self.lane_of(url), seconds, failed=True)

    def lane_of(self, url: str) -> str:
        """The host's, unless the scraper names lanes itself."""
        if self._attempt.job.names_lanes:
            return self._own_lane
        return self._services.traffic.lane_of(url)

    def _strike(self, lane: str, retry_after_seconds: float | None, reason: str) -> None:
        if lane:
            self.struck = {lane, *(self.struck or ())}
            self._services.sites.strike(lane, retry_after_seconds, reason)

    async def ask_robots(self, url: str, lane: str, proxy: str | None) -> None:
        """Disallowed, or rules that this process did not know until now."""
        services, attempt = self._services, self._attempt

        async def settle(rules: Rules) -> None:
            if lane:
                await services.sites.crawl_delay(lane, rules.crawl_delay_seconds)

        services.slots.stop_clock(attempt)  # others may have to wait for a permit, and we for them
        try:
            await services.robots.check(url, partial(self._fetch_robots, proxy), settle)
        finally:
            services.slots.start_clock(attempt)

    async def _fetch_robots(self, proxy: str | None, url: str) -> Page:
        """Through the proxy of the request: it may be the only way there, or there to hide us."""
        trip = RobotsPolicy(_RobotsFetch(self))
        return await self._services.fetcher.fetch(Request(url=url, proxy=proxy), trip)


class Fetch:
    """See swather.net.fetch_policy. One fetch of an attempt; it has a place among the requests in
    flight on the lane of its present hop, as far as the lane counts them, until its `end`.
    """

    __slots__ = ("_is_own", "_lane", "_trip", "may_reach", "refusal")

    def __init__(self, trip: AttemptTrip) -> None:
        self._trip = trip
        self._lane = ""
        self._is_own = False
        self.may_reach = trip.may_reach
        self.refusal = trip.refusal

    async def admit(self, url: str, hop: int, proxy: str | None) -> None:
        del hop
        trip = self._trip
        lane = trip.lane_of(url)
        if self._lane and lane != self._lane:
            self.end()
        if trip.asks_robots(url):
            self.end()
            await trip.ask_robots(url, lane, proxy)
        if not self._may_enter(lane):
            await self._enter(lane)

    def _may_enter(self, lane: str) -> bool:
        """Take the lease's own place if it is free; whether there is nothing to wait for then."""
        if not self._lane and self._trip.take_own_place(lane):
            self._lane, self._is_own = lane, True
        return bool(self._lane or not lane) and self._trip.costs_nothing(lane)

    async def _enter(self, lane: str) -> None:
        if self._lane or not lane:
            await self._trip.pay(lane)
        elif await self._trip.pay_for_place(lane):
            self._lane, self._is_own = lane, False

    def answered(
        self, url: str, status: int, retry_after_seconds: float | None, seconds: float
    ) -> None:
        self._trip.answered(url, status, retry_after_seconds, seconds)

    def failed(self, url: str, error: FetchError, seconds: float) -> None:
        self._trip.failed(url, error, seconds)

    def end(self) -> None:
        """No request is in flight any more."""
        if self._lane:
            lane, self._lane = self._lane, ""
            self._trip.leave(lane, is_own=self._is_own)


class _RobotsFetch(Fetch):
    """Of a robots.txt itself: paid, but not asked for leave."""

    __slots__ = ()

    async def admit(self, url: str, hop: int, proxy: str | None) -> None:
        del hop, proxy
        lane = self._trip.lane_of(url)
        if self._lane and lane != self._lane:
            self.end()
        if not self._may_enter(lane):
            await self._enter(lane)

    def answered(
        self, url: str, status: int, retry_after_seconds: float | None, seconds: float
    ) -> None:
        super().answered(url, status, retry_after_seconds, seconds)
        self._trip.status = 0
