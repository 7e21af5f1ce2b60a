"""An outage of the database, reported once per process."""

import logging
import time
from collections.abc import Callable
from threading import Lock
from typing import Final

from swather.errors import StoreError

SAY_EVERY_SECONDS: Final = 10.0

_log = logging.getLogger(__name__)


class Outage:
    """Whether the database answers.

    All stores on one database that a process makes share it: however many threads fail, and however
    often, there is one warning in ten seconds, and one when the database is back.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._lock = Lock()
        self._since: float | None = None
        self._say_at = float("-inf")
        self._was_said = False

    @property
    def seconds(self) -> float | None:
        """How long the database has not answered; None while it does."""
        since = self._since
        return None if since is None else self._clock() - since

    def failed(self, error: StoreError) -> None:
        """The database did not answer."""
        with self._lock:
            now = self._clock()
            if self._since is None:
                self._since = now
                self._was_said = False
            if now < self._say_at:
                return
            self._say_at = now + SAY_EVERY_SECONDS
            self._was_said = True
        _log.warning("waiting for the database: %s: %s", type(error).__name__, error)

    def answered(self) -> None:
        """The database answered."""
        # Asked very often, so without the lock first.
        if self._since is None:
            return
        with self._lock:
            seconds, self._since = self.seconds, None
            if seconds is None or not self._was_said:
                return
        _log.warning("the database is back after %.0f s", seconds)
