"""What a worker learns of sites, told to the whole fleet: blocks, latencies, crawl delays."""

import asyncio
from collections.abc import Callable, Collection
from time import monotonic
from typing import Any, Final

from swather.store.ports import Store
from swather.worker.breaker import Breakers, Closes, Ended, Opens, Place
from swather.worker.politeness import Politeness
from swather.worker.traffic import Traffic

ADAPT_SECONDS: Final = 1.0
# So many failures among the answers of a second mean that the site has had enough.
FAILED_SHARE: Final = 0.1
# Until the store has said for how long a lane is closed.
_FIRST_CLOSED_SECONDS: Final = 1.0
_MAX_REASON_CHARACTERS: Final = 200

Submit = Callable[[Callable[[], None]], None]
Tell = Callable[..., None]


class Sites:
    """Called on the loop; what it tells the store is done by `submit` on another thread, and `tell`
    brings answers back. Nobody waits for it, but for a crawl delay. `on_open` is told of breakers
    that are open.
    """

    def __init__(
        self,
        store: Store,
        policy: Politeness,
        traffic: Traffic,
        *,
        submit: Submit,
        tell: Tell,
        on_open: Callable[[Collection[Place]], None],
    ) -> None:
        self._store = store
        self._policy = policy
        self._traffic = traffic
        self._submit = submit
        self._tell = tell
        self._on_open = on_open
        self._breakers = Breakers(policy.breaker)
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
        self._traffic.close(lane, seconds, known_in_seconds=_FIRST_CLOSED_SECONDS)
        reason = reason[:_MAX_REASON_CHARACTERS]

        def strike() -> None:
            closed = self._store.lanes.strike(
                lane,
                retry_after_seconds=retry_after_seconds,
                reason=reason,
                curve=self._policy.curve,
            )
            self._tell(self._traffic.close, lane, closed)

        self._submit(strike)

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

        def adapt() -> None:
            for lane, found in latencies.items():
                self._store.lanes.adapt(
                    lane, latency_seconds=found.average, failed=found.have_failed, policy=auto
                )

        self._submit(adapt)

    async def crawl_delay(self, lane: str, seconds: float | None) -> None:
        """What a robots.txt asks for is in force when this returns."""
        loop = asyncio.get_running_loop()
        done: asyncio.Future[None] = loop.create_future()

        def obey() -> None:
            error: Exception | None = None
            try:
                if self._store.lanes.get(lane).crawl_delay_seconds != seconds:
                    self._store.lanes.set_crawl_delay(lane, seconds)
            except Exception as failure:  # noqa: BLE001 - it is the attempt's, who waits for it
                error = failure
            self._tell(_settle, done, error)

        if seconds is not None:
            self._traffic.slow_down(lane)
        self._submit(obey)
        await done
        if seconds is not None:
            self._traffic.slow_down(lane)

    def ended(self, place: Place, ended: Ended, began_at: float) -> None:
        """An attempt of this scraper on this lane has ended; `began_at` is when it was claimed."""
        if not ended.error_class and self._breakers.note_success(place, ended):
            return
        follows = self._breakers.observe(place, ended, began_at=began_at, now=monotonic())
        if follows is not None:
            self._tell_breaker(place, follows)

    def _tell_breaker(self, place: Place, follows: Opens | Closes) -> None:
        scraper, lane = place
        breakers = self._store.breakers
        if isinstance(follows, Closes):
            self._submit(lambda: _ignored(breakers.close(scraper, lane)))
        else:
            seen, seconds = follows
            self._on_open([place])

            def trip() -> None:
                breakers.trip(scraper, lane, seen=seen, probe_seconds=seconds)
                self._tell(self._confirm, place)

            self._submit(trip)

    def read(self) -> None:
        """Something was changed by somebody: all that is known is to be asked for again."""
        self._traffic.forget()

        def read() -> None:
            opened = {
                (found.scraper, found.lane): Opens(found.seen, found.probe_seconds)
                for found in self._store.breakers.find()
            }
            self._tell(self._learn, opened)

        self._submit(read)

    def _confirm(self, place: Place) -> None:
        self._breakers.confirm(place, monotonic())

    def _learn(self, opened: dict[Place, Opens]) -> None:
        self._breakers.learn(opened, monotonic())
        if opened:
            self._on_open(opened)


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


def _settle(future: asyncio.Future[None], error: Exception | None) -> None:
    if future.done():
        return
    if error is None:
        future.set_result(None)
    else:
        future.set_exception(error)


def _ignored(_: Any) -> None:
    pass
