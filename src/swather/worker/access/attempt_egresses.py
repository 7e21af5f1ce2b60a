"""An attempt's requests through the egresses of a source: a proxy of the pool, a Tor circuit."""

import asyncio
from collections.abc import Coroutine
from typing import Any, Final, NamedTuple

import msgspec

from swather.errors import FetchError, Postponed
from swather.model.lane import lane_through
from swather.model.pacing import Limits
from swather.model.private_addresses import is_public_host
from swather.model.proxy_url import address_of
from swather.model.retry import ErrorClass
from swather.net.cookies import by_proxy
from swather.net.egress import Egress, WayOut
from swather.net.errors import LaneBusy, ProxyFailed
from swather.net.request import Request
from swather.scraping.classify import Classified
from swather.scraping.targets import lane_of_url
from swather.worker.access.egress_source import EgressSource, NoEgress
from swather.worker.access.permits import Bystander, Requester
from swather.worker.access.throttle import Throttle

# What a site says when we are too many or too quick for it.
GO_AWAY: Final = frozenset({429, 503})
# What a proxy says that does not know us.
NOT_LOGGED_IN: Final = 407


class _Answer(NamedTuple):
    """An answer that may turn out to be a block, once the scraper has read the page."""

    egress: Egress
    lane: str
    status: int
    seconds: float


class AttemptEgresses:
    """How the requests of one attempt leave, and what became of them; see Asker."""

    __slots__ = (
        "_answer",
        "_blamed",
        "_given",
        "_lane",
        "_throttle",
        "egress",
        "failed_keys",
        "requester",
        "source",
    )

    def __init__(self, requester: Requester, source: EgressSource, throttle: Throttle) -> None:
        self.requester = requester
        self.source = source
        self._throttle = throttle
        self.egress: Egress | None = None
        self.failed_keys = set(requester.lease.faults.avoids.split())
        self._lane = ""
        self._given: set[str] = set()
        self._blamed = ""
        self._answer: _Answer | None = None

    async def let_out(self, request: Request) -> Request:
        """The request with its egress, once there is one; its session may depend on that."""
        egress = await self.take(request.url, request.session, max_wait=request.max_wait)
        session, run_id = request.session, self.requester.job.run.id
        if session == by_proxy(run_id, ""):
            session = by_proxy(run_id, egress.key)
        return msgspec.structs.replace(request, egress=egress, session=session)

    async def take(self, url: str, session: str, *, max_wait: float | None = None) -> Egress:
        """An egress for a request. If there is none for long, the attempt is postponed; with
        `max_wait` it is not, and LaneBusy is raised after so many seconds.
        """
        lane = self.lane_of_url(url)
        egress = self.source.choose(self, lane, session)
        if egress is None:
            egress = await self._wait(lane, session, max_wait)
        if egress.is_direct:
            raise AssertionError("an egress source has none that is direct")
        self.egress, self._lane = egress, lane
        self._given.add(egress.key)
        return egress

    @property
    def last_shown(self) -> str:
        """What the last request left through, as people may see it; '' if there was none."""
        if self.egress is None:
            return ""
        return str(self.egress) if self.egress.is_tor else address_of(self.egress.key)

    def has_given(self, egress: Egress) -> bool:
        """Whether the egress is the source's; if not, the scraper has named it."""
        return egress.key in self._given

    def has_other(self, url: str) -> bool:
        """Whether a request may be repeated through an egress that has not failed the target."""
        return self.source.has_other(self, self.lane_of_url(url))

    def pace(
        self, lane: str, egress: Egress, max_wait: float | None
    ) -> Coroutine[Any, Any, None] | None:
        """What a request through this egress has to wait for, besides its lane: the run's rate
        holds for each proxy of the pool.
        """
        job = self.requester.job
        limits = job.run.lane_limits
        if job.way_out is not WayOut.POOL or not limits.every_seconds or not lane:
            return None
        if limits.public_only and not is_public_host(lane):
            return None
        through = lane_through(lane, egress.key)
        return self._wait_for_permit(through, limits.without_in_flight(), max_wait)

    def answered(
        self,
        egress: Egress,
        url: str,
        status: int,
        retry_after_seconds: float | None,
        seconds: float,
    ) -> bool:
        """Note an answer; whether it is a block that concerns the whole lane."""
        self._settle()
        lane = self.lane_of_url(url)
        if status == NOT_LOGGED_IN:
            self.failed(egress, url, ProxyFailed(f"{egress} answered HTTP 407"), seconds)
            return False
        if status in GO_AWAY:
            self._blame(egress)
            return not self.source.blocked(egress, lane, retry_after_seconds)
        self._answer = _Answer(egress, lane, status, seconds)
        self._blamed = ""
        return False

    def is_lane_blocked(self, egress: Egress, url: str, retry_after_seconds: float | None) -> bool:
        """Something that a page loads was refused: the egress is blocked; whether no other is
        left. What the page itself was answered stays open.
        """
        self.failed_keys.add(egress.key)
        return not self.source.blocked(egress, self.lane_of_url(url), retry_after_seconds)

    def failed(self, egress: Egress, url: str, error: FetchError, seconds: float) -> None:
        """No answer came."""
        self._settle()
        self._blame(egress)
        self.source.failed(egress, self.lane_of_url(url), error, seconds)

    def judge(self, fault: Classified) -> Classified:
        """What the failure of the attempt means for its egress and, if others are left, for the
        target: it is tried again at once, through another.
        """
        error_class, others_left = fault.fault.error_class, False
        if error_class is ErrorClass.BLOCKED and self._answer is not None:
            answer, self._answer = self._answer, None
            self._blame(answer.egress)
            others_left = self.source.blocked(answer.egress, answer.lane, fault.after_seconds)
        elif self._blamed and error_class in (ErrorClass.BLOCKED, ErrorClass.PROXY):
            others_left = self.source.has_other(self, self._lane)
        if not self._blamed:
            return fault
        cools_lane = fault.cools_lane and not others_left
        blaming = msgspec.structs.replace(fault.fault, egress=self._blamed)
        fault = msgspec.structs.replace(fault, fault=blaming, cools_lane=cools_lane)
        if others_left and self.source.has_other(self, self._lane):
            return msgspec.structs.replace(fault, after_seconds=0.0)
        return fault

    def close(self) -> None:
        """The attempt is over, and nobody has called its last answer a block."""
        self._settle()

    def lane_of_url(self, url: str) -> str:
        """The host's, unless the scraper names lanes itself."""
        requester = self.requester
        return requester.lease.lane if requester.job.names_lanes else lane_of_url(url)

    async def _wait(self, lane: str, session: str, max_wait: float | None) -> Egress:
        requester = self.requester
        requester.stop_clock("an egress")
        try:
            async with asyncio.timeout(max_wait):
                egress = await self.source.wait(self, lane, session)
        except TimeoutError:
            why = f"no egress was free (max_wait {max_wait:.3g} s)"
            raise LaneBusy(lane, why, is_closed=False) from None
        except NoEgress as error:
            if max_wait is not None:
                raise LaneBusy(lane, str(error), is_closed=True) from None
            requester.postpone(error.seconds)
            raise Postponed(f"{error}; the target will be tried again") from None
        finally:
            requester.start_clock("an egress")
        requester.check()
        return egress

    async def _wait_for_permit(self, lane: str, limits: Limits, max_wait: float | None) -> None:
        requester = self.requester
        requester.stop_clock("its proxy")
        try:
            if max_wait is None:
                await self._throttle.wait_for_permit(requester, lane, limits)
                return
            async with asyncio.timeout(max_wait):
                await self._throttle.wait_for_permit(Bystander(requester, lane), lane, limits)
        except TimeoutError:
            why = f"it is too slow (max_wait {max_wait:.3g} s)"
            raise LaneBusy(lane, why, is_closed=False) from None
        finally:
            requester.start_clock("its proxy")

    def _blame(self, egress: Egress) -> None:
        """If the attempt fails now, it is for this egress."""
        self._blamed = egress.key
        self.failed_keys.add(egress.key)

    def _settle(self) -> None:
        if self._answer is not None:
            answer, self._answer = self._answer, None
            self.source.answered(*answer)
