"""An attempt's way through the web: robots.txt obeyed, every request paid for, answers heeded."""

from functools import partial
from typing import TYPE_CHECKING, Final

from swather.errors import FetchError
from swather.net.page import Page
from swather.net.request import Request
from swather.net.robots_rules import Rules
from swather.net.robots_trip import RobotsTrip
from swather.worker.attempt import Attempt

if TYPE_CHECKING:
    from swather.worker.verbs import Services

# What a site says when we are too many or too quick for it.
GO_AWAY: Final = frozenset({429, 503})


class AttemptTrip:
    """See swather.net.trip.Trip. All fetches of one attempt are one trip.

    The claim has paid for the first request on the task's own lane; every other one, redirects and
    robots.txt among them, takes a permit from the lane that it goes to. `status` is the last answer
    and 0 before any; `struck` are lanes whose site has asked us to go away.
    """

    __slots__ = ("_attempt", "_is_paid", "_own_lane", "_services", "status", "struck")

    def __init__(self, attempt: Attempt, services: "Services") -> None:
        self._attempt = attempt
        self._services = services
        self._own_lane = attempt.lease.lane
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

    async def admit(self, url: str, hop: int, proxy: str | None) -> None:
        del hop
        lane = self.lane_of(url)
        if self._attempt.job.obeys_robots:
            rules = self._services.robots.known(url)
            if rules is None or not rules.allows(url):
                await self._ask_robots(url, lane, proxy)
        if not self.costs_nothing(lane):
            await self.pay(lane)

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

    async def _ask_robots(self, url: str, lane: str, proxy: str | None) -> None:
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
        trip = RobotsTrip(_PaidTrip(self))
        return await self._services.fetcher.fetch(Request(url=url, proxy=proxy), trip)


class _PaidTrip:
    """To a robots.txt itself: paid, but not asked for leave."""

    def __init__(self, trip: AttemptTrip) -> None:
        self._trip = trip
        self.may_reach = trip.may_reach
        self.refusal = trip.refusal

    async def admit(self, url: str, hop: int, proxy: str | None) -> None:
        del hop, proxy
        lane = self._trip.lane_of(url)
        if not self._trip.costs_nothing(lane):
            await self._trip.pay(lane)

    def answered(
        self, url: str, status: int, retry_after_seconds: float | None, seconds: float
    ) -> None:
        self._trip.answered(url, status, retry_after_seconds, seconds)
        self._trip.status = 0

    def failed(self, url: str, error: FetchError, seconds: float) -> None:
        self._trip.failed(url, error, seconds)
