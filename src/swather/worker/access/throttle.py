"""Holds the requests of a worker to the pace of their lanes, by permits from the store."""

import asyncio
from contextlib import suppress
from time import monotonic
from typing import Final, NamedTuple
from weakref import WeakValueDictionary

from swather.errors import Postponed
from swather.model.lease import Lease, Permits
from swather.model.pacing import MAX_AHEAD_SECONDS, PACED, Limits
from swather.worker.access.permits import Ask, InFlight, Punctuality, Requester

# A lane that is closed for longer is not waited for: the target gives its slot to others.
PATIENCE_SECONDS: Final = 5.0
# For how long a lane that nothing limited is free for further requests, without asking again.
FREE_SECONDS: Final = 0.25
# The same for the first request of a task, which the claim has asked for.
FREE_TO_BEGIN_SECONDS: Final = 2.0
# When to come back to a lane of others that a person has paused.
PAUSED_SECONDS: Final = 60.0
ASK_AGAIN_SECONDS: Final = 1.0
_MAX_LANES: Final = 10_000

# How long a request waits for others to end on a full lane. Not forever: they may be of targets
# that wait for the slot of this one.
FULL_SECONDS: Final = 30.0


class _Free(NamedTuple):
    """When nothing limited a lane, or nothing but a number in flight."""

    at: float
    is_counted: bool


class Granted(NamedTuple):
    """Whether the request is counted in flight, and has to be told to end; and whether the one that
    the lease stands for was given up.
    """

    is_counted: bool
    has_given_up: bool


class _Closed(NamedTuple):
    """Until when; and since when the store lets no request in, as far as this worker knows."""

    until: float
    known_at: float


_OPEN: Final = _Closed(0.0, 0.0)


class Throttle:
    """Belongs to the loop's thread. What is known here is known for a moment: every change of a
    limit, a pause or a cool-down makes all of it be forgotten.
    """

    def __init__(self, ask: Ask, in_flight: InFlight) -> None:
        self._ask = ask
        self._in_flight = in_flight
        self._free: dict[str, _Free] = {}
        self._closed: dict[str, _Closed] = {}
        self._slower_since: dict[str, float] = {}
        self._changed_at = 0.0
        self._changed = asyncio.Event()
        self._claims = Punctuality()
        self._permits = Punctuality()
        self._turns: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()

    def close(self, lane: str, seconds: float, *, known_in_seconds: float = 0.0) -> None:
        """The lane is closed for so long, and everybody knows; or will know, in a moment."""
        now = monotonic()
        until = max(now + seconds, self._closed.get(lane, _OPEN).until)
        self._free.pop(lane, None)
        self._closed[lane] = _Closed(until, now + known_in_seconds)

    def slow_down(self, lane: str) -> None:
        """What was claimed until now was paid at a pace that is no longer the lane's."""
        self._free.pop(lane, None)
        if len(self._slower_since) >= _MAX_LANES:
            self._slower_since.clear()
        self._slower_since[lane] = monotonic()

    def forget(self) -> None:
        """Limits, pauses or cool-downs were changed."""
        self._changed_at = monotonic()
        self._free.clear()
        self._closed.clear()
        self._changed.set()
        self._changed = asyncio.Event()

    def use_claim(self, lease: Lease) -> bool:
        """Use the permit that came with the claim; whether it still counts: soon after, unless the
        lane was closed or slowed down since.
        """
        lane, claimed_at = lease.lane, lease.claimed_at
        if lane in self._closed and self._closed[lane].known_at < claimed_at:
            del self._closed[lane]  # It was open when this task was claimed.
        now = monotonic()
        late_seconds = now - claimed_at
        if lease.every_seconds:
            if not self._claims.judge(lane, late_seconds, lease.every_seconds):
                return False
        elif claimed_at < self._changed_at or (
            late_seconds > FREE_TO_BEGIN_SECONDS and not self._was_free_lately(lane, now)
        ):
            # Without a pace there was nothing to be late for; by now there may be one.
            return False
        return lane not in self._closed and self._slower_since.get(lane, 0.0) <= claimed_at

    def is_free(self, lane: str) -> bool:
        """Whether a request that a lease stands for need not be asked for."""
        return lane in self._free and monotonic() - self._free[lane].at < FREE_SECONDS

    def is_open(self, lane: str) -> bool:
        """The same for any request: nor does the lane count those in flight."""
        return self.is_free(lane) and not self._free[lane].is_counted

    def _was_free_lately(self, lane: str, now: float) -> bool:
        return lane in self._free and now - self._free[lane].at <= FREE_TO_BEGIN_SECONDS

    async def wait_for_permit(
        self, requester: Requester, lane: str, limits: Limits | None = None
    ) -> None:
        """Return when the attempt may make one more request on the lane, which its lease stands
        for; Postponed when that will not be soon. Those of one worker who want the same lane ask
        one after another. For `limits` see swather.store.ports.Queue.permits.
        """
        turn = self._turns.get(lane)
        if turn is None:
            turn = self._turns[lane] = asyncio.Lock()
        async with turn:
            while not self.is_free(lane):
                wait = self._wait_for_open(requester, lane)
                if wait <= 0.0:
                    permits = await self._ask(requester, lane, limits=limits)
                    if permits.granted:
                        if await self._wait_to_start(lane, permits):
                            return
                        continue
                    wait = self._heed(requester, lane, permits)
                await self._sleep(wait)

    async def wait_for_counted_permit(
        self, requester: Requester, lane: str, *, gives_up: bool
    ) -> Granted:
        """The same for a request beside the one that its lease stands for. With `gives_up` the
        lease stands for none any more when the lane is full.
        """
        in_flight = self._in_flight
        began = monotonic()
        has_given_up = False
        async with in_flight.turn(lane):
            while not self.is_open(lane):
                wait = self._wait_for_open(requester, lane)
                if wait <= 0.0:
                    permits = await self._ask_for_counted(requester, lane, gives_up=gives_up)
                    has_given_up = has_given_up or (gives_up and permits.hold == "full")
                    if permits.hold == "full":
                        self._check_patience(requester, lane, monotonic() - began)
                        await in_flight.wait(lane)
                        continue
                    if permits.granted:
                        if await self._wait_to_start_counted(lane, permits):
                            return Granted(permits.is_counted, has_given_up)
                        continue
                    wait = self._heed(requester, lane, permits)
                await self._sleep(wait)
        return Granted(False, has_given_up)

    async def _sleep(self, seconds: float) -> None:
        """For so long; a long sleep ends when limits, pauses or cool-downs are changed."""
        if seconds <= ASK_AGAIN_SECONDS:
            await asyncio.sleep(seconds)
            return
        with suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await self._changed.wait()

    def leave(self, lane: str) -> None:
        """A request that had a place there has ended."""
        self._in_flight.remove(lane)

    async def _ask_for_counted(self, requester: Requester, lane: str, *, gives_up: bool) -> Permits:
        try:
            return await self._ask(
                requester, lane, in_flight=self._in_flight.count(lane), gives_up=gives_up
            )
        except BaseException:
            self._in_flight.forget_told(lane)
            raise

    def _wait_for_open(self, requester: Requester, lane: str) -> float:
        """How long the lane is known to be closed."""
        wait = self._closed.get(lane, _OPEN).until - monotonic()
        if wait > 0:
            return self._bearable(requester, lane, wait, "cooling")
        self._closed.pop(lane, None)
        return 0.0

    async def _wait_to_start(self, lane: str, permits: Permits) -> bool:
        """Wait for the moment that was granted; whether the request may be made then. A permit that
        came late is thrown away: used now, the request would follow too close on others.
        """
        if permits.is_free:
            self._remember_free(lane, _Free(monotonic(), permits.is_counted))
            return True
        starts_at = permits.granted_at + permits.starts_in_seconds
        if (wait := starts_at - monotonic()) > 0:
            await asyncio.sleep(wait)
        late_seconds = monotonic() - starts_at
        is_in_time = self._permits.judge(lane, late_seconds, permits.every_seconds)
        return is_in_time and lane not in self._closed

    async def _wait_to_start_counted(self, lane: str, permits: Permits) -> bool:
        """The same for a permit that, on a lane that counts them, came with a place."""
        may_start = False
        if permits.is_counted:
            self._in_flight.add(lane)
        try:
            may_start = await self._wait_to_start(lane, permits)
        finally:
            if permits.is_counted and not may_start:
                self._in_flight.remove(lane)
        return may_start

    def _heed(self, requester: Requester, lane: str, permits: Permits) -> float:
        """How long to wait before the next question."""
        now = monotonic()
        wait = permits.retry_after_seconds or ASK_AGAIN_SECONDS
        if permits.hold == "paused":
            return self._bearable(requester, lane, PAUSED_SECONDS, permits.hold)
        if permits.hold == "cooling":
            self._closed[lane] = _Closed(now + wait, now)
            return self._bearable(requester, lane, wait, permits.hold)
        if permits.hold == PACED and wait > MAX_AHEAD_SECONDS:
            return wait - MAX_AHEAD_SECONDS
        return wait

    def _check_patience(self, requester: Requester, lane: str, waited_seconds: float) -> None:
        if waited_seconds > FULL_SECONDS:
            requester.postpone(PATIENCE_SECONDS)
            raise Postponed(f"lane {lane} is full; the target will be tried again")

    def _remember_free(self, lane: str, free: _Free) -> None:
        if len(self._free) >= _MAX_LANES:
            self._free.clear()
        self._free[lane] = free

    def _bearable(self, requester: Requester, lane: str, seconds: float, held: str) -> float:
        if seconds <= PATIENCE_SECONDS:
            return seconds
        # Its own lane holds the task back by itself until it opens; another one would not.
        requester.postpone(0.0 if lane == requester.lease.lane else seconds)
        raise Postponed(f"lane {lane} is {held}; the target will be tried again when it opens")
