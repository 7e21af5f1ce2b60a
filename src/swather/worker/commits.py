"""What becomes of outcomes that were handed to the writer, also when it will not take them."""

import asyncio
import logging
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from contextlib import suppress
from typing import Final

from swather.errors import InputError
from swather.model.outcome import Outcome, Verdict
from swather.store.writer import HOPELESS, Writer
from swather.worker.held import Held
from swather.worker.outcome import refused

RETRY_SECONDS: Final = 1.0

_log = logging.getLogger(__name__)


class Commits:
    """Committed outcomes give up their leases. Others are handed over again: what cannot be stored
    as a failure that says so, the rest when the database may have recovered.
    """

    def __init__(
        self,
        loop: asyncio.AbstractEventLoop,
        writer: Writer,
        held: Held,
        *,
        on_commit: Callable[[Sequence[Outcome], Sequence[Verdict]], None],
        on_again: Callable[[Sequence[Outcome]], None],
        on_fatal: Callable[[BaseException], None],
    ) -> None:
        self.pending = 0
        self._loop = loop
        self._writer = writer
        self._held = held
        self._on_commit = on_commit
        self._on_again = on_again
        self._on_fatal = on_fatal

    def over(self, outcomes: Sequence[Outcome], finish: Future[list[Verdict]]) -> None:
        error = finish.exception()
        if error is None:
            self._held.remove([outcome.fence for outcome in outcomes])
            self._on_commit(outcomes, finish.result())
        elif isinstance(error, InputError) and len(outcomes) == 1:
            _log.warning("the result of task %d was refused: %s", outcomes[0].task_id, error)
            self._on_again([refused(outcomes[0], error)])
        elif isinstance(error, InputError):
            self._one_by_one(outcomes)
        elif isinstance(error, HOPELESS):
            self._on_fatal(error)
        else:
            _log.error("results could not be stored, trying again: %s", error)
            self.pending += 1
            self._loop.call_later(RETRY_SECONDS, self._again, outcomes)

    def _again(self, outcomes: Sequence[Outcome]) -> None:
        self.pending -= 1
        self._one_by_one(outcomes)

    def _one_by_one(self, outcomes: Sequence[Outcome]) -> None:
        """Let those that can be stored not wait for those that cannot."""
        for outcome in outcomes:
            self.pending += 1
            finish = self._writer.finish([outcome])

            def done(finish: Future[list[Verdict]], outcome: Outcome = outcome) -> None:
                with suppress(RuntimeError):  # the loop was closed
                    self._loop.call_soon_threadsafe(self._one_over, outcome, finish)

            finish.add_done_callback(done)

    def _one_over(self, outcome: Outcome, finish: Future[list[Verdict]]) -> None:
        self.pending -= 1
        self.over([outcome], finish)
        self._on_again([])
