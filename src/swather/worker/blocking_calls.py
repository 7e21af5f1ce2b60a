"""Names the line of an async scraper that blocks the event loop past its timeout."""

import logging
import sys
import threading
import traceback
from time import monotonic
from traceback import StackSummary

from swather.scraping.source_location import definition, stack_location
from swather.worker.attempt import Attempt
from swather.worker.slots import Slots

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
