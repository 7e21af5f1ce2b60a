"""How many requests of a worker are in flight on each lane, beside those its leases stand for."""

import asyncio
import logging
from collections import Counter
from collections.abc import Awaitable, Callable
from typing import Final
from weakref import WeakValueDictionary

_log = logging.getLogger(__name__)

# When somebody else's request may have ended, on a lane that was full.
LOOK_AGAIN_SECONDS: Final = 0.1
# When to try again to tell a store that could not be reached.
TELL_AGAIN_SECONDS: Final = 1.0

Tell = Callable[[str, int], Awaitable[None]]


class InFlight:
    """Belongs to the loop's thread. The store is always told how many there are, never how many
    more or fewer: whatever was lost on the way is put right by the next word. `tell` tells it.
    """

    def __init__(self, tell: Tell) -> None:
        self._tell = tell
        self._counts: Counter[str] = Counter()
        self._told: Counter[str] = Counter()
        # A lock lives as long as anybody holds it or waits for it.
        self._turns: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()
        self._left: dict[str, asyncio.Event] = {}
        self._telling: dict[str, asyncio.Task[None]] = {}

    def turn(self, lane: str) -> asyncio.Lock:
        """Held by whoever tells the store about the lane."""
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
        """Tell the store how many there are, unless somebody's next question does."""
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
        """A question was not answered: nobody knows what the store believes."""
        self._told[lane] = -1
        self.put_right(lane)

    def knows(self) -> set[str]:
        """The lanes of which anything is remembered."""
        return {*self._counts, *self._told, *self._left, *self._telling}

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
            _log.warning("could not tell the store what is in flight on %s", lane, exc_info=True)
            return False
        return True
