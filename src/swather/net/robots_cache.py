"""Where robots.txt is remembered: in the database, or in the memory of one process."""

import time
from collections.abc import Callable
from typing import NamedTuple, Protocol


class KnownRobots(Protocol):
    """What a site said when it was asked; the status is 0 when it did not answer."""

    @property
    def status(self) -> int: ...
    @property
    def body(self) -> bytes: ...
    @property
    def is_fresh(self) -> bool: ...


class RobotsCache(Protocol):
    """What remembers robots.txt: the store's, or one in memory. Its verbs may block."""

    def get(self, origin: str) -> KnownRobots | None: ...
    def put(self, origin: str, status: int, body: bytes, ttl_seconds: float) -> None: ...
    def claim(self, origin: str, holder: str, seconds: float) -> bool: ...
    def release(self, origin: str, holder: str) -> None: ...


class _InMemory(NamedTuple):
    status: int
    body: bytes
    is_fresh: bool


class MemoryRobotsCache:
    """A cache for one process, where there is no database."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._known: dict[str, tuple[int, bytes, float]] = {}

    def get(self, origin: str) -> _InMemory | None:
        if (found := self._known.get(origin)) is None:
            return None
        status, body, until = found
        return _InMemory(status, body, self._clock() < until)

    def put(self, origin: str, status: int, body: bytes, ttl_seconds: float) -> None:
        self._known[origin] = (status, body, self._clock() + ttl_seconds)

    def claim(self, origin: str, holder: str, seconds: float) -> bool:
        """Always: whoever else could ask waits in this process already."""
        del origin, holder, seconds
        return True

    def release(self, origin: str, holder: str) -> None:
        del origin, holder
