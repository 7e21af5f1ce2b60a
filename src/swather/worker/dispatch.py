"""Gives leases to slots, each to the runner that its scraper asks for."""

import logging
from collections import deque
from collections.abc import Collection, Sequence
from functools import partial
from typing import TYPE_CHECKING

from swather.errors import InputError
from swather.model.lease import Lease
from swather.model.outcome import Outcome
from swather.worker.attempt import Attempt, Runner, is_suspect
from swather.worker.claiming import suspects_held
from swather.worker.jobs import Job, Jobs
from swather.worker.messages import RunLoaded
from swather.worker.outcomes import refused, released
from swather.worker.report import Events
from swather.worker.runners.child import MAX_ALONE
from swather.worker.runners.runners import Runners
from swather.worker.slots import Slots
from swather.worker.upkeep import Upkeep, load_run

if TYPE_CHECKING:
    from swather.store.ports import Fence

_log = logging.getLogger(__name__)


class Dispatch:
    """A lease is parked while its run is read. One whose task may have ended workers is a suspect:
    it waits for a child process, and for no slot.
    """

    def __init__(
        self,
        slots: Slots,
        runners: Runners,
        jobs: Jobs,
        upkeep: Upkeep,
        events: Events,
    ) -> None:
        self._slots = slots
        self._runners = runners
        self._jobs = jobs
        self._upkeep = upkeep
        self._events = events
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

    def start(self, lease: Lease) -> None:
        job = self._jobs.known.get(lease.run_id)
        if job is None:
            self._park(lease)
        elif is_suspect(lease.faults):
            self._suspects.append((lease, job))
            self._start_suspects()
        else:
            self._start(lease, job, self._runners.of(job))

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
        if is_suspect(attempt.lease.faults):
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

    def drop(self, fences: "Collection[Fence]") -> None:
        """Of what waits here, these are lost."""
        self._suspects = deque(
            waiting for waiting in self._suspects if waiting[0].fence not in fences
        )

    def _park(self, lease: Lease) -> None:
        parked = self._parked.setdefault(lease.run_id, [])
        parked.append(lease)
        if len(parked) == 1:
            self._upkeep.submit(partial(load_run, jobs=self._jobs, lease=lease))

    def _start(self, lease: Lease, job: Job, runner: Runner) -> None:
        self._slots.start(lease, job, runner)
        if self._events.is_heard:
            self._events.tell("started", lease=lease)

    def _start_suspects(self) -> None:
        """They wait for each other and not in slots, so that nobody waits for them."""
        at_once = max(1, min(MAX_ALONE, self._slots.concurrency // 2))
        while self._suspects and self._alone_now < at_once and self._slots.free > 0:
            self._alone_now += 1
            self._start(*self._suspects.popleft(), self._runners.alone)
