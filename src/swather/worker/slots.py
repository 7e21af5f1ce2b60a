"""The slots of a worker: what runs in them, how long it may, and what ends it."""

import asyncio
import logging
import math
from collections.abc import Callable
from random import Random
from time import monotonic
from typing import TYPE_CHECKING, Final

from swather.model.lease import Lease
from swather.worker.attempt import Attempt, Cut, Ending, Runner
from swather.worker.job import Job

if TYPE_CHECKING:
    from swather.store.ports import Fence

CUT_GRACE_SECONDS: Final = 2.0
MAX_ABANDONED: Final = 8

_log = logging.getLogger(__name__)


class Abandoned(Exception):
    """The ending of an attempt that would not end."""


class Slots:
    """Everything here happens on the loop's thread; others may look at `running`."""

    def __init__(
        self,
        loop: asyncio.AbstractEventLoop,
        concurrency: int,
        on_end: Callable[[Attempt, Ending, float], None],
    ) -> None:
        self.concurrency = concurrency
        self.free = concurrency
        self.running: dict[Fence, Attempt] = {}
        self.abandoned = 0
        self._loop = loop
        self._on_end = on_end
        self._random = Random()
        self._timer: asyncio.TimerHandle | None = None
        self._timer_at = float("inf")

    def start(self, lease: Lease, job: Job, runner: Runner) -> None:
        attempt = Attempt(lease, job, runner, monotonic())
        self.free -= 1
        self.running[attempt.fence] = attempt
        if attempt.deadline < self._timer_at:
            self._look_at(attempt.deadline)
        runner.start(attempt)

    def end(self, attempt: Attempt, ending: Ending) -> None:
        """The slot is free; of an attempt that had been given up, nothing more is heard."""
        if attempt.ended:
            return
        attempt.ended = True
        del self.running[attempt.fence]
        if attempt.job.delay is None or attempt.cut is Cut.STOP:
            self.free += 1
        else:
            delay = self._random.uniform(*attempt.job.delay)
            self._loop.call_later(delay, self._rested)
        self._on_end(attempt, ending, monotonic() - attempt.started_at)

    def resize(self, concurrency: int) -> None:
        self.free += concurrency - self.concurrency
        self.concurrency = concurrency

    def set_deadline(self, attempt: Attempt, at: float) -> None:
        attempt.deadline = at
        if at < self._timer_at:
            self._look_at(at)

    def stop_clock(self, attempt: Attempt) -> None:
        """What the attempt waits for now is not its fault."""
        attempt.waits += 1
        if attempt.waits == 1:
            attempt.left = attempt.deadline - monotonic()
            attempt.deadline = math.inf

    def start_clock(self, attempt: Attempt) -> None:
        attempt.waits -= 1
        if attempt.waits == 0 and not attempt.ended:
            self.set_deadline(attempt, monotonic() + attempt.left)

    def cut(self, attempt: Attempt, why: Cut, grace_seconds: float = CUT_GRACE_SECONDS) -> None:
        """Ask an attempt to end, and give it up if it does not."""
        if attempt.ended:
            return
        abandon_at = monotonic() + grace_seconds
        if attempt.cut is None:
            attempt.cut = why
            attempt.abandon_at = abandon_at
            attempt.runner.stop(attempt)
        attempt.abandon_at = min(attempt.abandon_at, abandon_at)
        self._look_at(min(attempt.abandon_at, self._timer_at))

    def longest_deadline(self) -> float | None:
        """When the last of the running attempts will be cut; for other threads, too. One whose
        clock stands still does not run.
        """
        deadlines = [attempt.deadline for attempt in list(self.running.values())]
        return max(filter(math.isfinite, deadlines), default=None)

    def close(self) -> None:
        if self._timer is not None:
            self._timer.cancel()

    def _rested(self) -> None:
        self.free += 1
        self.on_rested()

    def on_rested(self) -> None:
        """Replaced by who wants to know that a slot is free again."""

    def _look_at(self, at: float) -> None:
        if self._timer is not None:
            self._timer.cancel()
        self._timer_at = at
        self._timer = self._loop.call_at(at, self._look)

    def _look(self) -> None:
        self._timer = None
        self._timer_at = float("inf")
        now = monotonic()
        for attempt in list(self.running.values()):
            if attempt.cut is None and attempt.deadline <= now:
                self.cut(attempt, Cut.TIMEOUT)
            elif attempt.cut is not None and attempt.abandon_at <= now:
                self._abandon(attempt)
        following = min(
            (
                attempt.deadline if attempt.cut is None else attempt.abandon_at
                for attempt in self.running.values()
            ),
            default=None,
        )
        if following is not None and following < self._timer_at:
            self._look_at(following)

    def _abandon(self, attempt: Attempt) -> None:
        attempt.stack = attempt.runner.stack(attempt)
        _log.warning(
            "task %d of run %s goes on although it was stopped; its slot is given to others "
            "and what it still does is not kept\n%s",
            attempt.lease.task_id,
            attempt.job.run.name,
            attempt.stack,
        )
        self.abandoned += 1
        attempt.runner.abandon(attempt)
        self.end(attempt, Abandoned())
