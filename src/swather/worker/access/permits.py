"""Permits for requests: who asks for them, whether they come in time, and what is in flight."""

import asyncio
import logging
from collections import Counter
from collections.abc import Awaitable, Callable
from time import monotonic
from typing import TYPE_CHECKING, Final, NamedTuple, Protocol
from weakref import WeakValueDictionary

from swather.model.lease import Lease, Permits
from swather.model.pacing import MAX_AHEAD_SECONDS, Limits
from swather.net.errors import LaneBusy
from swather.store.writer import Writer
from swather.worker.jobs import Job
from swather.worker.settings import Registration

if TYPE_CHECKING:
    from swather.store.ports import Fence

# How much later than usual after a claim or a permit the request may be made that it was for: so
# long, or so much of the lane's interval, by which one request too many may come in any time.
GOOD_FOR_SECONDS: Final = 0.025
GOOD_FOR_INTERVALS: Final = 0.5
# By how much at once, and in a second, what is usual may become later.
LATER_SECONDS: Final = 0.05
LATER_PER_SECOND: Final = 0.5
# When another's request may have ended, on a lane that was full.
LOOK_AGAIN_SECONDS: Final = 0.1
# When to try again to tell a store that could not be reached.
TELL_AGAIN_SECONDS: Final = 1.0
_MAX_LANES: Final = 10_000

_log = logging.getLogger(__name__)


class Requester(Protocol):
    """Who makes requests: an attempt, as far as its way to the web has to know it."""

    @property
    def lease(self) -> Lease: ...
    @property
    def job(self) -> Job: ...
    @property
    def fence(self) -> "Fence": ...

    def check(self) -> None:
        """Raise if it can do nothing more."""
        ...

    def stop_clock(self, waits_for: str) -> None:
        """What it waits for now does not count as its time."""
        ...

    def start_clock(self, waited_for: str) -> None: ...

    def postpone(self, seconds: float) -> None:
        """It comes to nothing now; its task may come again after so long."""
        ...


class Bystander:
    """A requester whose attempt goes on without this request when the lane is closed."""

    __slots__ = ("_lane", "check", "fence", "job", "lease", "start_clock", "stop_clock")

    def __init__(self, requester: Requester, lane: str) -> None:
        self.lease = requester.lease
        self.job = requester.job
        self.fence = requester.fence
        self.check = requester.check
        self.stop_clock = requester.stop_clock
        self.start_clock = requester.start_clock
        self._lane = lane

    def postpone(self, seconds: float) -> None:
        why = f"it is closed for another {seconds:.0f} s" if seconds else "it is closed"
        raise LaneBusy(self._lane, why, is_closed=True)


class Ask(Protocol):
    """Ask the store for a permit; see swather.store.ports.Queue.permits."""

    def __call__(
        self,
        requester: Requester,
        lane: str,
        *,
        in_flight: int | None = None,
        gives_up: bool = False,
        limits: Limits | None = None,
    ) -> Awaitable[Permits]: ...


class StorePermits:
    """Permits from the store, through the writer."""

    def __init__(self, writer: Writer, registration: Registration) -> None:
        self._writer = writer
        self._registration = registration

    def ask(
        self,
        requester: Requester,
        lane: str,
        *,
        in_flight: int | None = None,
        gives_up: bool = False,
        limits: Limits | None = None,
    ) -> Awaitable[Permits]:
        """See swather.store.ports.Queue.permits."""
        requester.check()
        return asyncio.wrap_future(
            self._writer.permits(
                requester.fence,
                lane,
                in_flight=in_flight,
                gives_up=gives_up,
                ahead_seconds=MAX_AHEAD_SECONDS,
                limits=limits,
            )
        )

    def tell_in_flight(self, lane: str, count: int) -> Awaitable[None]:
        """See swather.store.ports.Queue.set_in_flight."""
        worker_id = self._registration.worker_id
        return asyncio.wrap_future(self._writer.set_in_flight(worker_id, lane, count))


class _Usual(NamedTuple):
    """How late permits of a lane usually come, as of when."""

    late_seconds: float
    at: float


class Punctuality:
    """Whether permits come in time. Those that are kept, or are on their way for different times,
    could be used all at once; a delay that all of them have, as behind a slow disk or a distant
    database, keeps them apart.
    """

    def __init__(self) -> None:
        self._usual: dict[str, _Usual] = {}

    def judge(self, lane: str, late_seconds: float, every_seconds: float) -> bool:
        good_for = max(GOOD_FOR_SECONDS, GOOD_FOR_INTERVALS * every_seconds)
        if late_seconds <= good_for and lane not in self._usual:
            return True
        now = monotonic()
        usual, at = self._usual.get(lane) or _Usual(0.0, now)
        if len(self._usual) >= _MAX_LANES:
            self._usual.clear()
        # The least counts. It is left by steps that take time: a delay of many who have waited
        # together, and would now start together, is none that keeps them apart.
        later = usual + min(LATER_SECONDS, LATER_PER_SECOND * (now - at))
        self._usual[lane] = _Usual(min(late_seconds, later), now)
        return late_seconds - usual <= good_for


class InFlight:
    """Belongs to the loop's thread. The store is always told how many there are, never how many
    more or fewer: whatever was lost on the way is put right by the next word. `tell` tells it.
    """

    def __init__(self, tell: Callable[[str, int], Awaitable[None]]) -> None:
        self._tell = tell
        self._counts: Counter[str] = Counter()
        self._told: Counter[str] = Counter()
        # A lock lives as long as anybody holds it or waits for it.
        self._turns: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()
        self._left: dict[str, asyncio.Event] = {}
        self._telling: dict[str, asyncio.Task[None]] = {}

    def turn(self, lane: str) -> asyncio.Lock:
        """Held while the store is told about the lane."""
        turn = self._turns.get(lane)
        if turn is None:
            turn = self._turns[lane] = asyncio.Lock()
        return turn

    def count(self, lane: str) -> int:
        return self._counts[lane]

    def add(self, lane: str) -> None:
        """The store has granted one more."""
        self._counts[lane] += 1
        self._told[lane] = self._counts[lane]

    def remove(self, lane: str) -> None:
        """A request has ended."""
        self._counts[lane] -= 1
        if (left := self._left.get(lane)) is not None:
            left.set()
        self.put_right(lane)

    def put_right(self, lane: str) -> None:
        """Tell the store how many there are, unless the next question does."""
        if lane not in self._telling:
            self._telling[lane] = asyncio.get_running_loop().create_task(self._tell_all(lane))

    async def wait(self, lane: str) -> None:
        """Until a request on the lane may have ended."""
        left = self._left.setdefault(lane, asyncio.Event())
        left.clear()
        try:
            async with asyncio.timeout(LOOK_AGAIN_SECONDS):
                await left.wait()
        except TimeoutError:
            pass

    def forget_told(self, lane: str) -> None:
        """A question was not answered: it is unknown what the store believes."""
        self._told[lane] = -1
        self.put_right(lane)

    async def _tell_all(self, lane: str) -> None:
        try:
            while True:
                async with self.turn(lane):
                    count = self._counts[lane]
                    if self._told[lane] == count:
                        break
                    is_told = await self._is_told(lane, count)
                    self._told[lane] = count if is_told else -1
                if not is_told:
                    await asyncio.sleep(TELL_AGAIN_SECONDS)
        finally:
            del self._telling[lane]
        if not self._counts[lane]:
            for known in (self._counts, self._told, self._left):
                known.pop(lane, None)

    async def _is_told(self, lane: str, count: int) -> bool:
        try:
            await self._tell(lane, count)
        except Exception:  # noqa: BLE001 - it is tried again until it succeeds or the worker ends
            _log.warning("could not report the requests in flight on %s", lane, exc_info=True)
            return False
        return True
