"""Gives leases to slots, each to the way of running that its scraper asks for."""

import asyncio
import logging
from collections import deque
from collections.abc import Callable, Collection

from swather.errors import InputError
from swather.model.lease import Lease
from swather.model.outcome import Outcome
from swather.scraping.options import Isolation
from swather.store.ports import Fence
from swather.worker.attempt import Attempt, Cut, Ending, Runner, is_suspect
from swather.worker.claiming import suspects_held
from swather.worker.job import Job
from swather.worker.jobs import Jobs
from swather.worker.outcome import refused, released
from swather.worker.runners.child import MAX_ALONE, ChildRunner
from swather.worker.runners.task import TaskRunner
from swather.worker.runners.thread import ThreadRunner
from swather.worker.slots import Slots
from swather.worker.verbs import Services

_log = logging.getLogger(__name__)


class Dispatch:
    """`load` reads the run of a lease in the background and then calls `loaded`; the task waits."""

    def __init__(
        self,
        loop: asyncio.AbstractEventLoop,
        concurrency: int,
        services: Services,
        jobs: Jobs,
        *,
        load: Callable[[Lease], None],
        on_start: Callable[[Lease], None] | None,
        on_end: Callable[[Attempt, Ending, float], None],
    ) -> None:
        self.slots = Slots(loop, concurrency, self._ended)
        self._loop = loop
        self._jobs = jobs
        self._load = load
        self._on_start = on_start
        self._on_end = on_end
        self._parked: dict[int, list[Lease]] = {}
        self._suspects: deque[tuple[Lease, Job]] = deque()
        self._alone_now = 0
        end, set_deadline = self.slots.end, self.slots.set_deadline
        self._on_loop = TaskRunner(loop, services, end)
        self._in_threads = ThreadRunner(loop, services, end)
        self._in_children = ChildRunner(loop, services, end, set_deadline)
        self._alone = ChildRunner(loop, services, end, set_deadline, otherwise=self._without_child)
        self._runners: dict[Isolation, Runner] = {
            Isolation.TASK: self._on_loop,
            Isolation.THREAD: self._in_threads,
            Isolation.PROCESS: self._in_children,
        }

    @property
    def is_idle(self) -> bool:
        return not (self.slots.running or self._parked or self._suspects)

    @property
    def strays(self) -> int:
        """What child processes said for attempts that were over."""
        return self._in_children.strays + self._alone.strays

    @property
    def parked(self) -> int:
        """Leases that wait for their run to be read."""
        return sum(map(len, self._parked.values()))

    @property
    def suspects(self) -> int:
        """Leases that wait for a child process."""
        return len(self._suspects)

    def start(self, lease: Lease) -> None:
        job = self._jobs.known.get(lease.run_id)
        if job is None:
            self._park(lease)
            return
        if is_suspect(lease.faults):
            self._suspects.append((lease, job))
            self._start_suspects()
        else:
            self._start(lease, job, self._runners[job.isolation])

    def loaded(self, run_id: int, error: Exception | None) -> tuple[list[Lease], list[Outcome]]:
        """What waited for this run, to be started now, or to be ended if it cannot be."""
        leases = self._parked.pop(run_id)
        if error is None:
            warn_of_version(self._jobs.known[run_id])
            return leases, []
        _log.error("tasks of run %d cannot be executed: %s", run_id, error)
        if isinstance(error, InputError):
            return [], [refused(released(lease), error) for lease in leases]
        return [], [released(lease) for lease in leases]

    def on_loop_now(self) -> Attempt | None:
        """From any thread: the attempt that the loop is executing, if it is one."""
        task = asyncio.current_task(self._loop)
        running = list(self.slots.running.values())
        return next((each for each in running if task is not None and each.place is task), None)

    def give_back(self) -> list[Lease]:
        """What waits here and has not begun."""
        leases = [lease for lease, _ in self._suspects]
        self._suspects.clear()
        return leases

    def take_surplus(self) -> list[Lease]:
        """Suspects that came with one large claim, more than are worth holding: better off
        elsewhere.
        """
        surplus = len(self._suspects) - suspects_held(self.slots.concurrency)
        return [self._suspects.pop()[0] for _ in range(surplus)]

    def forget(self, fences: Collection[Fence]) -> None:
        """Of what waits here, these are lost."""
        kept = [found for found in self._suspects if found[0].fence not in fences]
        self._suspects = deque(kept)

    async def close(self) -> None:
        """End what still runs; each way of running closes what it has set up."""
        for attempt in list(self.slots.running.values()):
            self.slots.cut(attempt, Cut.STOP)
        self.slots.close()
        for runner in (*self._runners.values(), self._alone):
            await runner.close()

    def _park(self, lease: Lease) -> None:
        parked = self._parked.setdefault(lease.run_id, [])
        parked.append(lease)
        if len(parked) == 1:
            self._load(lease)

    def _start(self, lease: Lease, job: Job, runner: Runner) -> None:
        self.slots.start(lease, job, runner)
        if self._on_start is not None:
            self._on_start(lease)

    def _start_suspects(self) -> None:
        """They wait for each other and not in slots, so that nobody waits for them."""
        at_once = max(1, min(MAX_ALONE, self.slots.concurrency // 2))
        while self._suspects and self._alone_now < at_once and self.slots.free > 0:
            self._alone_now += 1
            self._start(*self._suspects.popleft(), self._alone)

    def _ended(self, attempt: Attempt, ending: Ending, seconds: float) -> None:
        if attempt.runner is self._alone:
            self._alone_now -= 1
        if self._suspects:
            self._start_suspects()
        self._on_end(attempt, ending, seconds)

    def _without_child(self, attempt: Attempt) -> Runner:
        return self._on_loop if attempt.job.scraper.is_async else self._in_threads


def warn_of_version(job: Job) -> None:
    ours = job.scraper.options.version
    if ours != job.run.version:
        _log.warning(
            "run %s was made with version %r of scraper %s, this worker has version %r",
            job.run.name,
            job.run.version,
            job.scraper.name,
            ours,
        )
