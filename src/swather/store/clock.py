"""The clocks of this host, and how tests move them."""

import time
from datetime import UTC, datetime


class Clock:
    """SQLite uses these clocks; PostgreSQL uses its own and adds the offset.

    The offsets are zero except in tests.
    """

    def __init__(self) -> None:
        self.offset_seconds = 0.0
        self._wall_step_seconds = 0.0

    def wall(self) -> float:
        return time.time() + self.offset_seconds + self._wall_step_seconds

    def monotonic(self) -> float:
        return time.monotonic() + self.offset_seconds

    def step_wall(self, seconds: float) -> None:
        """Set the wall clock, as an administrator or a time server does."""
        self._wall_step_seconds += seconds

    def advance(self, seconds: float) -> None:
        self.offset_seconds += seconds


def at(seconds: float) -> datetime:
    """An instant, aware and in UTC."""
    return datetime.fromtimestamp(seconds, UTC)


def at_or_none(seconds: float | None) -> datetime | None:
    return None if seconds is None else at(seconds)
