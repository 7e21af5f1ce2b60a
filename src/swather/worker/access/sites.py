"""What a worker learns of sites and tells the whole fleet: refusals, latencies, crawl delays."""

import asyncio
import logging
from collections.abc import Callable, Collection, Mapping
from concurrent.futures import Future
from functools import partial
from time import monotonic
from typing import Any, Final, Protocol

from swather.scraping.classify import Classified
from swather.scraping.code_version import CodeVersions
from swather.store.ports import Store
from swather.worker.access.breaker import (
    BreakerKey,
    Breakers,
    Closes,
    Ended,
    Opened,
    Opens,
    ended_well,
    told_by,
)
from swather.worker.access.permits import Requester
from swather.worker.access.throttle import Throttle
from swather.worker.messages import Message
from swather.worker.settings import Politeness

_log = logging.getLogger(__name__)

ADAPT_SECONDS: Final = 1.0
# So many failures among the answers of a second mean that the site has had enough.
FAILED_SHARE: Final = 0.1
# Until the store has said for how long a lane is closed.
_FIRST_CLOSED_SECONDS: Final = 1.0
_MAX_REASON_CHARACTERS: Final = 200


class SiteMessage(Message, frozen=True):
    """For Sites, see `receive`."""


class LaneClosed(SiteMessage, frozen=True):
    """A strike was reported to the fleet: its lane is closed for so long."""

    lane: str
    seconds: float


class BreakerTripped(SiteMessage, frozen=True):
    """The fleet knows that this breaker is open."""

    key: BreakerKey


class BreakersRead(SiteMessage, frozen=True):
    """These breakers are open, and no others."""

    opened: Mapping[BreakerKey, Opened]


class Background(Protocol):
    """Where questions to the store are asked; see swather.worker.upkeep.Upkeep."""

    def submit(self, work: Callable[[Store], Message | None]) -> None: ...
    def call(self, work: Callable[[Store], Any]) -> Future[Any]: ...


class Answered(Protocol):
    """What sites have answered to an attempt; see AttemptAccess."""

    status: int | None
    struck: set[str] | None


class Sites:
    """Belongs to the loop's thread. What the fleet is told, nobody waits for, but for a crawl
    delay.
    """

    def __init__(
        self,
        policy: Politeness,
        throttle: Throttle,
        background: Background,
        codes: CodeVersions,
    ) -> None:
        self._policy = policy
        self._throttle = throttle
        self._background = background
        self._breakers = Breakers(policy.breaker, codes)
        self._struck_until: dict[str, float] = {}
        self._latencies: dict[str, _Latencies] = {}
        self._adapt_at = 0.0

    def strike(self, lane: str, retry_after_seconds: float | None, reason: str) -> None:
        """The site has asked us to go away: close its lane here at once, and for all others."""
        now = monotonic()
        seconds = retry_after_seconds or _FIRST_CLOSED_SECONDS
        until = self._struck_until.get(lane, 0.0)
        if now < until and now + seconds <= until + _FIRST_CLOSED_SECONDS:
            return  # one of those that were on their way when the first was refused
        self._struck_until = {
            name: until for name, until in self._struck_until.items() if until > now
        }
        self._struck_until[lane] = now + seconds
        self._throttle.close(lane, seconds, known_in_seconds=_FIRST_CLOSED_SECONDS)
        reason = reason[:_MAX_REASON_CHARACTERS]

        def strike(store: Store) -> LaneClosed:
            closed = store.lanes.strike(
                lane,
                retry_after_seconds=retry_after_seconds,
                reason=reason,
                curve=self._policy.curve,
            )
            return LaneClosed(lane, closed)

        self._background.submit(strike)

    def timed(self, lane: str, seconds: float, *, failed: bool) -> None:
        """How long an answer has taken, for a pace that is learned."""
        if not lane:
            return
        found = self._latencies.get(lane)
        if found is None:
            found = self._latencies[lane] = _Latencies()
        found.add(seconds, failed)

    def tick(self) -> None:
        """Called a few times a second: tell what was timed."""
        now = monotonic()
        if not self._latencies or now < self._adapt_at:
            return
        self._adapt_at = now + ADAPT_SECONDS
        latencies, self._latencies = self._latencies, {}
        auto = self._policy.auto

        def adapt(store: Store) -> None:
            for lane, found in latencies.items():
                store.lanes.adapt(
                    lane, latency_seconds=found.average, failed=found.have_failed, policy=auto
                )

        self._background.submit(adapt)

    async def crawl_delay(self, lane: str, seconds: float | None) -> None:
        """What a robots.txt asks for is in force when this returns."""

        def obey(store: Store) -> None:
            if store.lanes.get(lane).crawl_delay_seconds != seconds:
                store.lanes.set_crawl_delay(lane, seconds)

        if seconds is not None:
            self._throttle.slow_down(lane)
        await asyncio.wrap_future(self._background.call(obey))
        if seconds is not None:
            self._throttle.slow_down(lane)

    def attempt_ended(
        self, requester: Requester, answered: Answered | None, fault: Classified | None
    ) -> Collection[BreakerKey]:
        """Note what the end of an attempt says of its site, None being a success; the breaker that
        opens, if one does.
        """
        lease = requester.lease
        key = (requester.job.scraper.name, lease.lane)
        status = None if answered is None else answered.status
        if fault is None:
            opens = self.ended(key, ended_well(status), lease.claimed_at)
            return (key,) if opens else ()
        found = fault.fault
        if fault.cools_lane and not (answered is not None and answered.struck):
            # A client of the scraper's own was told to go away, or the scraper itself.
            self.strike(lease.lane, fault.after_seconds, found.title)
        against = told_by(found.error_class, fault.reason)
        if against is None:
            return ()
        ended = Ended(found.error_class, found.title, status) if against else ended_well(status)
        return (key,) if self.ended(key, ended, lease.claimed_at) else ()

    def ended(self, key: BreakerKey, ended: Ended, began_at: float) -> bool:
        """Note the end of an attempt of this scraper on this lane, which was claimed at `began_at`;
        whether a breaker opens.
        """
        if not ended.error_class and self._breakers.note_success(key, ended):
            return False
        follows = self._breakers.observe(key, ended, began_at=began_at, now=monotonic())
        if follows is not None:
            self._tell_breaker(key, follows)
        return isinstance(follows, Opens)

    def _tell_breaker(self, key: BreakerKey, follows: Opens | Closes) -> None:
        scraper, lane = key
        if isinstance(follows, Closes):
            _log.info("the breaker of %s on %s is closed: a probe succeeded", *key)
            self._background.submit(partial(_close, key=key))
            return
        seen, seconds = follows

        def trip(store: Store) -> BreakerTripped:
            store.breakers.trip(scraper, lane, seen=seen, probe_seconds=seconds)
            return BreakerTripped(key)

        self._background.submit(trip)

    def _forgive(self, key: BreakerKey) -> None:
        _log.info("the breaker of %s on %s is closed: the scraper's code has changed", *key)
        self._background.submit(partial(_close, key=key))

    def receive(self, message: SiteMessage) -> Collection[BreakerKey]:
        """What the fleet has said; which breakers are newly known to be open."""
        match message:
            case LaneClosed(lane, seconds):
                self._throttle.close(lane, seconds)
            case BreakerTripped(key):
                self._breakers.confirm(key, monotonic())
            case BreakersRead(opened):
                outdated = self._breakers.learn(opened)
                for key in outdated:
                    self._forgive(key)
                return opened.keys() - outdated
        return ()

    def reread(self) -> None:
        """Somebody has changed something: all that is known is asked for again."""
        self._throttle.forget()

        def read(store: Store) -> BreakersRead:
            found, now = store.breakers.find(), monotonic()
            return BreakersRead(
                {
                    (one.scraper, one.lane): Opened(
                        one.seen, one.probe_seconds, now - one.open_seconds
                    )
                    for one in found
                }
            )

        self._background.submit(read)


def _close(store: Store, key: BreakerKey) -> None:
    store.breakers.close(*key)


class _Latencies:
    """The answers of a second, on one lane. Error pages are quick: they count for no latency."""

    __slots__ = ("_count", "_failed", "_fine_seconds", "_seconds")

    def __init__(self) -> None:
        self._count = 0
        self._failed = 0
        self._seconds = 0.0
        self._fine_seconds = 0.0

    def add(self, seconds: float, failed: bool) -> None:
        self._count += 1
        self._seconds += seconds
        if failed:
            self._failed += 1
        else:
            self._fine_seconds += seconds

    @property
    def average(self) -> float:
        fine = self._count - self._failed
        return self._fine_seconds / fine if fine else self._seconds / self._count

    @property
    def have_failed(self) -> bool:
        return self._failed > 0 and self._failed >= FAILED_SHARE * self._count
