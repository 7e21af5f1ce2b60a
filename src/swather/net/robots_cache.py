"""Caches for robots.txt: in the database, or in memory."""

import time
from collections.abc import Callable
from typing import NamedTuple, Protocol


class KnownRobots(Protocol):
    """A site's response; the status is 0 when there was none."""

    @property
    def status(self) -> int: ...
    @property
    def body(self) -> bytes: ...
    @property
    def is_fresh(self) -> bool: ...


class RobotsCache(Protocol):
    """A cache for robots.txt: the store's, or one in memory. Its verbs may block."""

    def get(self, origin: str) -> KnownRobots | None: ...
    def put(self, origin: str, status: int, body: bytes, ttl_seconds: float) -> None: ...
    def claim(self, origin: str, holder: str, seconds: float) -> bool: ...
    def release(self, origin: str, holder: str) -> None: ...


class _InMemory(NamedTuple):
    status: int
    body: bytes
    is_fresh: bool


class MemoryRobotsCache:
    """A cache for one process without a database."""

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
        """Always: other fetches of this process wait already."""
        del origin, holder, seconds
        return True

    def release(self, origin: str, holder: str) -> None:
        del origin, holder
