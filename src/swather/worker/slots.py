"""The slots of a worker: what runs in them, how long it may, and what ends it."""

import asyncio
import logging
import math
from random import Random
from time import monotonic
from typing import TYPE_CHECKING, Final

from swather.model.lease import Lease
from swather.worker.attempt import Attempt, AttemptEnded, Cut, Runner
from swather.worker.jobs import Job
from swather.worker.messages import Mailbox, SlotRested
from swather.worker.outcomes import Abandoned

if TYPE_CHECKING:
    from collections.abc import Collection

    from swather.store.ports import Fence

CUT_GRACE_SECONDS: Final = 2.0
MAX_ABANDONED: Final = 8
# An attempt whose clock stands still may be cut later by so much.
LOOK_SECONDS: Final = 0.02

_log = logging.getLogger(__name__)


class Slots:
    """Everything here happens on the loop's thread; others may look at `running`."""

    def __init__(self, loop: asyncio.AbstractEventLoop, mailbox: Mailbox, concurrency: int) -> None:
        self.concurrency = concurrency
        self.free = concurrency
        self.running: dict[Fence, Attempt] = {}
        self.abandoned = 0
        self._loop = loop
        self._mailbox = mailbox
        self._random = Random()
        self._timer: asyncio.TimerHandle | None = None
        self._timer_at = math.inf

    def start(self, lease: Lease, job: Job, runner: Runner) -> None:
        attempt = Attempt(lease, job, runner, monotonic())
        self.free -= 1
        self.running[attempt.fence] = attempt
        if attempt.deadline < self._timer_at:
            self._look_at(attempt.deadline)
        runner.start(attempt)

    def end(self, attempt: Attempt) -> float | None:
        """Free its slot; how many seconds it took, or None if it had been abandoned before."""
        if self.running.pop(attempt.fence, None) is None:
            return None
        if attempt.job.delay is None or attempt.cut is Cut.STOP:
            self.free += 1
        else:
            delay = self._random.uniform(*attempt.job.delay)
            self._loop.call_later(delay, self._mailbox.put, SlotRested())
        return monotonic() - attempt.started_at

    def rested(self) -> None:
        """The delay after a target is over."""
        self.free += 1

    def resize(self, concurrency: int) -> None:
        self.free += concurrency - self.concurrency
        self.concurrency = concurrency

    def cut(self, attempt: Attempt, why: Cut, grace_seconds: float = CUT_GRACE_SECONDS) -> None:
        """Ask an attempt to end, and give it up if it does not."""
        if attempt.is_over:
            return
        if attempt.cut_off(why, monotonic() + grace_seconds):
            attempt.runner.stop(attempt)
        if attempt.abandon_at < self._timer_at:
            self._look_at(attempt.abandon_at)

    def cut_all(self, why: Cut, grace_seconds: float = CUT_GRACE_SECONDS) -> None:
        for attempt in list(self.running.values()):
            self.cut(attempt, why, grace_seconds)

    def cut_lost(self, fences: "Collection[Fence]") -> None:
        """Whatever is done for these tasks is done in vain."""
        for fence in fences:
            attempt = self.running.get(fence)
            if attempt is not None:
                _log.info("task %d was taken away and is stopped", attempt.lease.task_id)
                self.cut(attempt, Cut.LOST)

    def longest_deadline(self) -> float | None:
        """When the last of the running attempts will be cut; for other threads, too. One whose
        clock stands still does not run.
        """
        deadlines = [attempt.deadline for attempt in list(self.running.values())]
        return max(filter(math.isfinite, deadlines), default=None)

    def on_loop_now(self) -> Attempt | None:
        """From any thread: the attempt that the loop is executing, if it is one."""
        task = asyncio.current_task(self._loop)
        running = list(self.running.values())
        return next((each for each in running if task is not None and each.handle is task), None)

    def close(self) -> None:
        if self._timer is not None:
            self._timer.cancel()

    def _look_at(self, at: float) -> None:
        if self._timer is not None:
            self._timer.cancel()
        self._timer_at = at
        self._timer = self._loop.call_at(at, self._look)

    def _look(self) -> None:
        self._timer = None
        self._timer_at = math.inf
        now = monotonic()
        for attempt in list(self.running.values()):
            if attempt.cut is None and attempt.deadline <= now:
                self.cut(attempt, Cut.TIMEOUT)
            elif attempt.cut is not None and attempt.abandon_at <= now:
                self._abandon(attempt)
        following = min((one.look_at for one in self.running.values()), default=math.inf)
        if following < self._timer_at:
            self._look_at(max(following, now + LOOK_SECONDS))

    def _abandon(self, attempt: Attempt) -> None:
        if attempt.is_over:
            return
        attempt.abandon()
        _log.warning(
            "task %d of run %s goes on although it was stopped; its slot is given to others "
            "and what it still does is not kept\n%s",
            attempt.lease.task_id,
            attempt.job.run.name,
            attempt.stack,
        )
        self.abandoned += 1
        self._mailbox.put(AttemptEnded(attempt, Abandoned()))
