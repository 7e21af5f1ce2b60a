"""Notices what is stuck: the event loop, the line that blocks it, or the whole interpreter."""

import faulthandler
import logging
import signal
import sys
import threading
import time
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from time import monotonic
from traceback import StackSummary
from typing import Final

from swather.scraping.source_location import definition, stack_location
from swather.worker.attempt import Attempt
from swather.worker.slots import Slots

GRACE_SECONDS: Final = 5.0
# At the beginning of each line of a stack dump.
STACK_MARK: Final = "| "
_MAX_STEP_SECONDS: Final = 2.0
_WIND_UP_SECONDS: Final = 1.0
# setitimer refuses what a C integer cannot hold; no one waits for longer.
_MAX_PATIENCE_SECONDS: Final = 30 * 86_400.0


class Watchdog:
    """Looks from another thread whether the loop still ticks.

    A loop may be blocked for as long as the attempts on it may run; after that and a grace it is
    stuck. Time that passes while no one looks does not count: a process that was stopped and
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

    @property
    def is_stalled(self) -> bool:
        """Whether the loop had not moved at the last look."""
        return self._stalled_seconds > 0

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
            # Asked for now: what blocks the loop may have started since the last look.
            deadline = self._longest_deadline()
            allowed = 0.0 if deadline is None else max(deadline - now, 0.0)
            self._patience_seconds = allowed + step + self._grace_seconds
        self._stalled_seconds += step
        return self._stalled_seconds > self._patience_seconds


def dump_stacks() -> None:
    """Write to standard error what every thread is doing. Each line is marked, so that whoever
    passes a worker's log on can leave it out.
    """
    names = {thread.ident: thread.name for thread in threading.enumerate()}
    lines: list[str] = []
    for ident, frame in sys._current_frames().items():  # noqa: SLF001 - no other way
        lines += [f"thread {names.get(ident, ident)}:\n", *traceback.format_stack(frame)]
    text = "".join(f"{STACK_MARK}{line}\n" for line in "".join(lines).splitlines())
    if sys.__stderr__ is not None:
        sys.__stderr__.write(text)
        sys.__stderr__.flush()


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


_log = logging.getLogger(__name__)


class BlockingCalls:
    """Made on the loop's thread, asked on another one while the loop does not move."""

    def __init__(self, slots: Slots) -> None:
        self._slots = slots
        self._loop_thread = threading.get_ident()
        self._named: set[str] = set()

    def look(self) -> None:
        """Warn of an attempt that holds the loop although its time is over; once for each line."""
        attempt = self._slots.on_loop_now()
        if attempt is None or monotonic() < attempt.deadline:
            return
        where = stack_location(self.stack()) or definition(attempt.job.scraper.function)
        if where not in self._named:
            self._named.add(where)
            _log.warning("%s", _warning(attempt, where))

    def stack(self) -> StackSummary:
        """What the loop's thread is doing."""
        frame = sys._current_frames().get(self._loop_thread)  # noqa: SLF001 - no other way
        return StackSummary() if frame is None else traceback.extract_stack(frame)


def _warning(attempt: Attempt, where: str) -> str:
    return (
        f"{where} blocks all targets of this worker past its timeout of {attempt.timeout:g}s "
        f"(task {attempt.lease.task_id}): write the scraper with `def` instead of `async def`, "
        'or use isolation="process"'
    )
