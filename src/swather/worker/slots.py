"""The slots of a worker: what runs in them and how long it may, and which lease is given one."""

import asyncio
import logging
import math
from collections import deque
from collections.abc import Collection, Mapping, Sequence
from random import Random
from time import monotonic
from typing import TYPE_CHECKING, Final

from swather.errors import InputError
from swather.model.lease import Lease
from swather.model.outcome import Outcome
from swather.scraping.options import Isolation
from swather.worker.attempt import Attempt, AttemptEnded, Cut, Runner, is_suspect
from swather.worker.jobs import Job, Jobs
from swather.worker.messages import Alarm, Mailbox, RunLoaded, TurnDue
from swather.worker.outcomes import Abandoned, refused, released
from swather.worker.runners.child import MAX_ALONE, ChildRunner
from swather.worker.runners.task import TaskRunner
from swather.worker.runners.thread import ThreadRunner
from swather.worker.traces import Traces
from swather.worker.upkeep import Upkeep
from swather.worker.verbs import Services

if TYPE_CHECKING:
    from swather.store.ports import Fence


CUT_GRACE_SECONDS: Final = 2.0
MAX_ABANDONED: Final = 8
# An attempt whose clock stands still may be cut later by so much.
LOOK_SECONDS: Final = 0.02

_log = logging.getLogger(__name__)


class Slots:
    """Everything here happens on the loop's thread; others may look at `running`."""

    def __init__(
        self,
        loop: asyncio.AbstractEventLoop,
        mailbox: Mailbox,
        concurrency: int,
        tracing: Traces | None = None,
    ) -> None:
        self.concurrency = concurrency
        self.free = concurrency
        self.running: dict[Fence, Attempt] = {}
        self.abandoned = 0
        self._delays: Mapping[str, tuple[float, float]] = {}
        self._loop = loop
        self._mailbox = mailbox
        self._tracing = tracing
        self._random = Random()
        self._alarm = Alarm(loop, self._look)

    def set_delays(self, delays: Mapping[str, tuple[float, float]]) -> None:
        """By scraper; these go before those that jobs began with."""
        self._delays = delays

    def start(self, lease: Lease, job: Job, runner: Runner) -> None:
        is_traced = self._tracing is not None and self._tracing.wants(lease.task_id)
        attempt = Attempt(lease, job, runner, monotonic(), [] if is_traced else None)
        self.free -= 1
        self.running[attempt.fence] = attempt
        if attempt.deadline < self._alarm.at:
            self._alarm.set(attempt.deadline)
        runner.start(attempt)

    def end(self, attempt: Attempt) -> float | None:
        """Free its slot; how many seconds it took, or None if it had been abandoned before."""
        if self.running.pop(attempt.fence, None) is None:
            return None
        job = attempt.job
        delay = self._delays.get(job.scraper.name, job.delay)
        if delay is None or attempt.cut is Cut.STOP:
            self.free += 1
        else:
            self._loop.call_later(self._random.uniform(*delay), self._rested)
        return monotonic() - attempt.started_at

    def cut(self, attempt: Attempt, why: Cut, grace_seconds: float = CUT_GRACE_SECONDS) -> None:
        """Ask an attempt to end, and give it up if it does not."""
        if attempt.is_over:
            return
        if attempt.cut_off(why, monotonic() + grace_seconds):
            attempt.runner.stop(attempt)
        if attempt.abandon_at < self._alarm.at:
            self._alarm.set(attempt.abandon_at)

    def cut_all(self, why: Cut, grace_seconds: float = CUT_GRACE_SECONDS) -> None:
        for attempt in list(self.running.values()):
            self.cut(attempt, why, grace_seconds)

    def cut_lost(self, fences: Collection["Fence"]) -> None:
        """Stop work on these tasks: its results would be refused."""
        for fence in fences:
            attempt = self.running.get(fence)
            if attempt is not None:
                _log.info(
                    "the lease of task %d was lost; stopping its attempt", attempt.lease.task_id
                )
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
        self._alarm.cancel()

    def _look(self) -> None:
        """Cut and abandon those whose time is over."""
        now = monotonic()
        for attempt in list(self.running.values()):
            if attempt.cut is None and attempt.deadline <= now:
                self.cut(attempt, Cut.TIMEOUT)
            elif attempt.cut is not None and attempt.abandon_at <= now:
                self._abandon(attempt)
        following = min((one.look_at for one in self.running.values()), default=math.inf)
        if following < self._alarm.at:
            self._alarm.set(max(following, now + LOOK_SECONDS))

    def _rested(self) -> None:
        """The delay after a target is over."""
        self.free += 1
        self._mailbox.put(TurnDue())

    def _abandon(self, attempt: Attempt) -> None:
        if attempt.is_over:
            return
        attempt.abandon()
        _log.warning(
            "task %d of run %s is still running after it was stopped; its slot is freed, and what "
            "it does is discarded\n%s",
            attempt.lease.task_id,
            attempt.job.run.name,
            "".join(attempt.stack.format()),
        )
        self.abandoned += 1
        self._mailbox.put(AttemptEnded(attempt, Abandoned()))


def suspects_held(concurrency: int) -> int:
    """How many suspects may wait for a child process: enough to look past a few of them for tasks
    that the other slots can do, and no hoard that other workers could be working on.
    """
    return 2 * concurrency


class Dispatch:
    """A lease is parked while its run is read. One whose task may have ended workers is a suspect:
    it waits for a child process, and for no slot.
    """

    def __init__(self, slots: Slots, services: Services, jobs: Jobs, upkeep: Upkeep) -> None:
        on_loop, in_threads = TaskRunner(services), ThreadRunner(services)
        in_children = ChildRunner(services)
        self._alone = ChildRunner(services, otherwise=(on_loop, in_threads))
        self._runners: dict[Isolation, Runner] = {
            Isolation.TASK: on_loop,
            Isolation.THREAD: in_threads,
            Isolation.PROCESS: in_children,
        }
        self._of_children = (in_children, self._alone)
        self._slots = slots
        self._jobs = jobs
        self._upkeep = upkeep
        self._parked: dict[int, list[Lease]] = {}
        self._suspects: deque[tuple[Lease, Job]] = deque()
        self._alone_now = 0

    @property
    def is_idle(self) -> bool:
        return not (self._slots.running or self._parked or self._suspects)

    @property
    def parked(self) -> int:
        return sum(map(len, self._parked.values()))

    @property
    def suspects(self) -> int:
        return len(self._suspects)

    @property
    def strays(self) -> int:
        """What child processes said for attempts that were over."""
        return sum(runner.strays for runner in self._of_children)

    def start(self, lease: Lease) -> None:
        job = self._jobs.known.get(lease.run_id)
        if job is None:
            self._park(lease)
        elif is_suspect(lease.faults):
            self._suspects.append((lease, job))
            self._start_suspects()
        else:
            self._slots.start(lease, job, self._runners[job.isolation])

    def loaded(self, message: RunLoaded) -> tuple[Sequence[Lease], Sequence[Outcome]]:
        """What waited for this run, to be started now, or to be ended if it cannot be."""
        leases, error = self._parked.pop(message.run_id), message.error
        if error is None:
            self._jobs.known[message.run_id].warn_of_version()
            return leases, ()
        _log.error("tasks of run %d cannot be executed: %s", message.run_id, error)
        if isinstance(error, InputError):
            return (), [refused(released(lease), error) for lease in leases]
        return (), [released(lease) for lease in leases]

    def ended(self, attempt: Attempt) -> None:
        if self._alone_now and is_suspect(attempt.lease.faults):
            self._alone_now -= 1
        if self._suspects:
            self._start_suspects()

    def take_suspects(self) -> list[Lease]:
        """All that wait, to be given back."""
        leases = [lease for lease, _ in self._suspects]
        self._suspects.clear()
        return leases

    def take_surplus(self) -> list[Lease]:
        """Suspects that came with a large claim, more than are worth holding, to be given back."""
        surplus = len(self._suspects) - suspects_held(self._slots.concurrency)
        return [self._suspects.pop()[0] for _ in range(surplus)]

    def drop(self, fences: Collection["Fence"]) -> None:
        """Of what waits here, these are lost."""
        self._suspects = deque(
            waiting for waiting in self._suspects if waiting[0].fence not in fences
        )

    async def close(self) -> None:
        """Each runner closes what it has set up."""
        for runner in (*self._runners.values(), self._alone):
            await runner.close()

    def _park(self, lease: Lease) -> None:
        parked = self._parked.setdefault(lease.run_id, [])
        parked.append(lease)
        if len(parked) == 1:
            self._upkeep.submit(lambda store: self._jobs.load_for(store, lease))

    def _start_suspects(self) -> None:
        """They wait for each other and not in slots, so that no slot waits for them."""
        at_once = max(1, min(MAX_ALONE, self._slots.concurrency // 2))
        while self._suspects and self._alone_now < at_once and self._slots.free > 0:
            self._alone_now += 1
            self._slots.start(*self._suspects.popleft(), self._alone)
