"""What comes in on the loop: attempts that end, commits, leases that are lost."""

import logging
from collections import deque
from collections.abc import Callable, Sequence
from random import Random
from typing import Any

from swather.model.lease import Lease
from swather.model.outcome import Completed, Outcome, Released, Verdict
from swather.scraping.classify import Classified
from swather.store.ports import Fence
from swather.worker.attempt import Attempt, Cut, Ending
from swather.worker.breaker import Ended, ended_well, told_by
from swather.worker.chores import Chores
from swather.worker.dispatch import Dispatch
from swather.worker.endings import outcome_of
from swather.worker.held import Held
from swather.worker.prefetch import Prefetch
from swather.worker.pump import Pump
from swather.worker.report import Tally
from swather.worker.settings import OnEvent
from swather.worker.sites import Sites
from swather.worker.slots import MAX_ABANDONED, Slots
from swather.worker.verbs import Services

_log = logging.getLogger(__name__)


class Reception:
    """Turns endings into outcomes for the pump, and tells whom it concerns."""

    pump: Pump
    slots: Slots
    dispatch: Dispatch
    chores: Chores
    services: Services
    sites: Sites | None = None

    def __init__(
        self,
        held: Held,
        tally: Tally,
        prefetch: Prefetch,
        on_event: OnEvent | None,
        stop: Callable[[str], None],
    ) -> None:
        self._held = held
        self._tally = tally
        self._prefetch = prefetch
        self._on_event = on_event
        self._stop = stop
        self._random = Random()

    def started(self, lease: Lease) -> None:
        self._tell("started", {"lease": lease})

    def ended(self, attempt: Attempt, ending: Ending, seconds: float) -> None:
        tally = self._tally
        tally.attempts += 1
        tally.busy_seconds += seconds
        self._prefetch.observe(seconds)
        outcome, fault = outcome_of(attempt, ending, self._random)
        if outcome is None:
            tally.lost += 1
            self._held.remove([attempt.fence])
            self.pump.take_back((), ())
        else:
            self.pump.add(outcome)
        if attempt.lease.lane and self.sites is not None:
            self._tell_of_site(self.sites, attempt, outcome, fault)
        if self.slots.abandoned >= MAX_ABANDONED:
            self._stop("restart")

    def _tell_of_site(
        self, sites: Sites, attempt: Attempt, outcome: Outcome | None, fault: Classified | None
    ) -> None:
        lane, trip = attempt.lease.lane, attempt.trip
        status = 0 if trip is None else trip.status
        if fault is None:
            if isinstance(outcome, Completed):
                ended = ended_well(status)
                sites.ended((attempt.job.scraper.name, lane), ended, attempt.lease.claimed_at)
            return
        found = fault.fault
        if fault.cools_lane and not (trip is not None and trip.struck):
            # A client of the scraper's own was told to go away, or the scraper itself.
            sites.strike(lane, fault.after_seconds, found.title)
        against = told_by(found.error_class, fault.reason)
        if against is not None:
            ended = Ended(found.error_class, found.title, status) if against else ended_well(status)
            sites.ended((attempt.job.scraper.name, lane), ended, attempt.lease.claimed_at)

    def committed(self, outcomes: Sequence[Outcome], verdicts: Sequence[Verdict]) -> None:
        is_news = False
        for outcome, verdict in zip(outcomes, verdicts, strict=True):
            self._tally.committed(outcome, verdict)
            if verdict is Verdict.STALE:
                _log.info("the result of task %d came too late and is dropped", outcome.task_id)
            elif isinstance(outcome, Completed):
                is_news = is_news or bool(outcome.children)
                if outcome.files:
                    self.services.saving.link((outcome.task_id, outcome.part), outcome.files)
            else:
                is_news = is_news or isinstance(outcome, Released)
        if is_news:
            self.chores.send_hint()
        if self._on_event is not None:
            for outcome, verdict in zip(outcomes, verdicts, strict=True):
                self._tell(str(verdict), {"outcome": outcome})

    def lost(self, fences: frozenset[Fence]) -> None:
        """Whatever is done for these tasks is done in vain."""
        self._held.remove(fences)
        self.dispatch.forget(fences)
        self.pump.waiting = deque(lease for lease in self.pump.waiting if lease.fence not in fences)
        for fence in fences:
            attempt = self.slots.running.get(fence)
            if attempt is not None:
                _log.info("task %d was taken away and is stopped", attempt.lease.task_id)
                self.slots.cut(attempt, Cut.LOST)

    def _tell(self, kind: str, details: dict[str, Any]) -> None:
        if self._on_event is None:
            return
        try:
            self._on_event(kind, details)
        except Exception:  # noqa: BLE001 - whatever it raises is not the tasks' fault
            _log.exception("on_event failed")
