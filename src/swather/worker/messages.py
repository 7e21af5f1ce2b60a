"""The engine's mailbox, and the messages it reads there.

Those about attempts, commits and sites are beside what posts them: attempt.py, exchange.py,
access/sites.py.
"""

import asyncio
import math
from collections import deque
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import suppress

import msgspec

from swather.model.history import Measured
from swather.model.outcome import Outcome
from swather.model.worker import Leaving
from swather.store.ports import Fence


class Message(msgspec.Struct, frozen=True, gc=False):
    """Something the engine has to know."""


class Mailbox:
    """Messages are read in the order in which they were posted."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self._loop = loop
        self._messages: deque[Message] = deque()
        self._reader: asyncio.Future[None] | None = None

    def post(self, message: Message) -> None:
        """From any thread."""
        self._messages.append(message)
        with suppress(RuntimeError):  # the loop was closed: there is no reader left
            self._loop.call_soon_threadsafe(self._wake)

    def put(self, message: Message) -> None:
        """From the loop's own thread, where it costs less."""
        self._messages.append(message)
        self._wake()

    def put_later(self, seconds: float, message: Message) -> None:
        """From the loop's own thread: post this in so many seconds."""
        self._loop.call_later(seconds, self.put, message)

    async def read(self) -> list[Message]:
        """All messages there are, once there is one."""
        while not self._messages:
            self._reader = self._loop.create_future()
            try:
                await self._reader
            finally:
                self._reader = None
        return self.take()

    def take(self) -> list[Message]:
        """Those there are, without waiting. Those that are posted later are left."""
        messages = self._messages
        return [messages.popleft() for _ in range(len(messages))]

    def _wake(self) -> None:
        if self._reader is not None and not self._reader.done():
            self._reader.set_result(None)


class Alarm:
    """One call on the loop at a moment that may be moved; `at` is infinite while there is none."""

    def __init__(self, loop: asyncio.AbstractEventLoop, call: Callable[[], None]) -> None:
        self.at = math.inf
        self._loop = loop
        self._call = call
        self._timer: asyncio.TimerHandle | None = None

    def set(self, at: float) -> None:
        if at == self.at:
            return
        self.cancel()
        self.at = at
        self._timer = self._loop.call_at(at, self._ring)

    def cancel(self) -> None:
        self.at = math.inf
        if self._timer is not None:
            self._timer.cancel()

    def _ring(self) -> None:
        self.at = math.inf
        self._call()


class LeasesLost(Message, frozen=True):
    """These leases are no longer this worker's."""

    fences: Collection[Fence]


class RetryOutcomes(Message, frozen=True):
    """The database may have recovered: hand these over again."""

    outcomes: Sequence[Outcome]


class RunLoaded(Message, frozen=True):
    """A run was read, or could not be."""

    run_id: int
    error: Exception | None


class RunsSettled(Message, frozen=True):
    """Which known runs are over, and why nothing is left for this worker; '' if something is."""

    ended: Collection[int] = ()
    reason: str = ""


class LanesShut(Message, frozen=True):
    """These lanes are paused or cooling, and not just for a moment."""

    lanes: Collection[str]


class SettingsRead(Message, frozen=True):
    """What settings that may change while a worker runs say now; `delays` by scraper."""

    logs_starts: bool
    delays: Mapping[str, tuple[float, float]]


class PartitionsLooked(Message, frozen=True):
    """Partitions for this worker were looked for: whether it took one, owns some, and has some that
    their planned workers ask for.
    """

    took: bool = False
    owns: bool = False
    leaves: bool = False


class PartitionsLeft(Message, frozen=True):
    """These partitions were handed over."""

    names: Collection[str] = ()


class NotNoted(Message, frozen=True):
    """What was measured of a run could not be written down."""

    run: str
    measured: Measured


class Hinted(Message, frozen=True):
    """There may be new work."""


class ControlChanged(Message, frozen=True):
    """Somebody has changed a limit, a pause or a setting, or the database is back."""


class Hopeless(Message, frozen=True):
    """The database can no longer be used."""

    error: Exception


class Ticked(Message, frozen=True):
    """Some time has passed."""


class TurnDue(Message, frozen=True):
    """There may be something to start, to claim or to commit."""


class Stop(Message, frozen=True):
    """Claim nothing more; with `now`, cut what runs."""

    now: bool


class Leave(Message, frozen=True):
    """Somebody wants this worker to end."""

    how: Leaving


class GraceOver(Message, frozen=True):
    """What still runs after a stop is cut."""


class EndNow(Message, frozen=True):
    """What could not be committed by now goes back with the worker's row."""
