"""Notices what is stuck for good: the event loop, or the whole interpreter."""

import faulthandler
import logging
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Final

GRACE_SECONDS: Final = 5.0
_MAX_STEP_SECONDS: Final = 2.0
_WIND_UP_SECONDS: Final = 1.0
# setitimer refuses what a C integer cannot hold; nobody waits for longer.
_MAX_PATIENCE_SECONDS: Final = 30 * 86_400.0

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


@contextmanager
def watched(patience_seconds: float) -> Iterator[None]:
    """While this lasts, the process is killed by SIGVTALRM once it has computed for
    `patience_seconds` in which no other thread had a turn; standard error shows what all threads
    were doing.

    It is the last resort: a regular expression that runs away, or an extension in an endless loop,
    keeps every Python thread from running, signal handlers too, and only the kernel is left. Only
    time at work counts, so a process that is stopped and continued is as sound as before.
    """
    over = threading.Event()

    def wind_up() -> None:
        while True:
            signal.setitimer(signal.ITIMER_VIRTUAL, min(patience_seconds, _MAX_PATIENCE_SECONDS))
            if over.wait(_WIND_UP_SECONDS):
                return

    faulthandler.register(signal.SIGVTALRM, all_threads=True, chain=True)
    winding = threading.Thread(target=wind_up, name="swather-interpreter", daemon=True)
    winding.start()
    try:
        yield
    finally:
        over.set()
        winding.join()
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        faulthandler.unregister(signal.SIGVTALRM)
