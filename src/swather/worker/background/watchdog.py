"""Tells when the event loop is stuck for good."""

import faulthandler
import logging
import sys
import time
from collections.abc import Callable
from typing import Final

GRACE_SECONDS: Final = 5.0
_MAX_STEP_SECONDS: Final = 2.0

_log = logging.getLogger(__name__)


class Watchdog:
    """Looks from another thread whether the loop still ticks.

    A loop may be blocked for as long as the attempts on it may run; after that and a grace it is
    stuck. Time that passes while nobody looks does not count: a process that was stopped and
    continued has a loop as sound as before.
    """

    def __init__(
        self, longest_deadline: Callable[[], float | None], grace_seconds: float = GRACE_SECONDS
    ) -> None:
        self._longest_deadline = longest_deadline
        self._grace_seconds = grace_seconds
        self._ticks = 0
        self._seen = -1
        self._looked_at = time.monotonic()
        self._stalled_seconds = 0.0
        self._patience_seconds = 0.0

    def tick(self) -> None:
        """Called on the loop, a few times a second."""
        self._ticks += 1

    def is_stuck(self) -> bool:
        """Called about once a second, from a thread that is not the loop's."""
        now = time.monotonic()
        step = min(now - self._looked_at, _MAX_STEP_SECONDS)
        self._looked_at = now
        if self._ticks != self._seen:
            self._seen = self._ticks
            self._stalled_seconds = 0.0
            return False
        if not self._stalled_seconds:
            # Asked for now: what blocks the loop may have begun since the last look.
            deadline = self._longest_deadline()
            allowed = 0.0 if deadline is None else max(deadline - now, 0.0)
            self._patience_seconds = allowed + step + self._grace_seconds
        self._stalled_seconds += step
        return self._stalled_seconds > self._patience_seconds


def dump_stacks(why: str) -> None:
    """Show what every thread is doing, on standard error."""
    _log.critical("%s; this is what every thread is doing:", why)
    if sys.__stderr__ is not None:
        faulthandler.dump_traceback(sys.__stderr__, all_threads=True)
