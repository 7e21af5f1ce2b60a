"""The engine of a worker: the one object on its loop that decides what happens next.

It reads messages, and after each batch of them takes a turn: leases to free slots, outcomes and a
claim to the database. Threads and runners post messages, and know nothing else of it.
"""

import asyncio
import logging
import math
from collections.abc import Callable, Collection, Iterable
from functools import partial
from random import Random
from time import monotonic
from typing import Any, Final

from swather.errors import SwatherError
from swather.model.lease import Claimed, ClaimRequest, Lease
from swather.model.outcome import Completed
from swather.model.worker import Leaving
from swather.worker import messages, upkeep
from swather.worker.access import sites
from swather.worker.access.breaker import BreakerKey
from swather.worker.attempt import AttemptEnded, Cut
from swather.worker.exchange import Exchanged, FinishedAgain
from swather.worker.jobs import Jobs
from swather.worker.messages import Alarm, Message
from swather.worker.outcomes import outcome_of, released
from swather.worker.parts import STOP_GRACE_SECONDS, Parts
from swather.worker.settings import Settings
from swather.worker.slots import MAX_ABANDONED

TICK_SECONDS: Final = 0.5
# A run that is fed target by target is not finished and opened again with each of them.
FED_SECONDS: Final = 0.25
# How often a worker looks after its partitions while it has no room for more.
PARTITIONS_SECONDS: Final = 2.0
MEASURED_SECONDS: Final = 10.0

_log = logging.getLogger(__name__)


class Engine:
    """Belongs to the loop's thread."""

    def __init__(
        self, loop: asyncio.AbstractEventLoop, parts: Parts, settings: Settings, jobs: Jobs
    ) -> None:
        self._loop = loop
        self._parts = parts
        self._settings = settings
        self._jobs = jobs
        self._mailbox = parts.mailbox
        self._slots = parts.slots
        self._backlog = parts.backlog
        self._exchange = parts.exchange
        self._sites = parts.access.sites
        self._tally = parts.tally
        self._measurements = parts.measurements
        self._upkeep = parts.upkeep
        self._random = Random()
        self._turn_is_due = True
        self._alarm = Alarm(loop, partial(parts.mailbox.put, messages.TurnDue()))
        self._is_stopping = False
        self._is_cut = False
        self._is_done = False
        self._reason = ""
        self._fatal: BaseException | None = None
        self._settle_at = 0.0
        self._has_room = False
        self._partitions = parts.partitions
        self._finds_partitions = True
        self._owns_partitions = False
        self._partitions_at = 0.0
        self._tell_measured_at = monotonic() + MEASURED_SECONDS
        self._logs_starts = False
        # The kinds of answers that the upkeep owes.
        self._asked: set[type[Message]] = set()
        self._receivers: dict[type[Message], Callable[[Any], None]] = {
            AttemptEnded: self._attempt_ended,
            messages.LeasesLost: self._leases_lost,
            messages.RetryOutcomes: self._exchange.retry,
            messages.RunLoaded: self._run_loaded,
            messages.RunsSettled: self._runs_settled,
            messages.LanesShut: self._lanes_shut,
            messages.SettingsRead: self._settings_read,
            messages.PartitionsLooked: self._partitions_looked,
            messages.PartitionsLeft: self._partitions_left,
            messages.NotNoted: self._not_noted,
            messages.Hinted: self._hint,
            messages.ControlChanged: self._control_changed,
            messages.Hopeless: self._hopeless,
            messages.Ticked: self._ticked,
            messages.TurnDue: self._turn_due,
            messages.Stop: self._stop_asked,
            messages.Leave: self._leave_asked,
            messages.GraceOver: self._cut_all,
            messages.EndNow: self._end,
            Exchanged: self._exchanged,
            FinishedAgain: self._finished_again,
            sites.LaneClosed: self._site_told,
            sites.BreakerTripped: self._site_told,
            sites.BreakersRead: self._site_told,
        }

    async def run(self) -> str:
        """Why it ended, once the last outcome is committed."""
        self._parts.start()
        self._read_settings()
        self._mailbox.put(messages.Ticked())
        try:
            while not self._is_done:
                self._receive(await self._mailbox.read())
                if self._turn_is_due:
                    self._take_turn()
        finally:
            await self._close()
        if self._fatal is not None:
            raise self._fatal
        return self._reason

    async def _close(self) -> None:
        self._is_stopping = True
        await self._parts.close_runners()
        self._receive(self._mailbox.take())
        if self._exchange.has_outcomes and not self._exchange.is_busy:
            self._hand_over(None)
        self._parts.close_writer(is_cut=self._is_cut)
        self._note()
        self._tell_measured()
        self._parts.close_background()

    def _receive(self, received: Iterable[Message]) -> None:
        for message in received:
            self._receivers[type(message)](message)

    def _attempt_ended(self, message: AttemptEnded) -> None:
        attempt = message.attempt
        seconds = self._slots.end(attempt)
        if seconds is None:
            return
        self._turn_is_due = True
        self._backlog.ended(attempt, seconds)
        outcome, fault = outcome_of(attempt, message.ending, self._random)
        requests = 0 if attempt.access is None else attempt.access.requests
        self._tally.ended(attempt, seconds, outcome, requests)
        if attempt.asked is not None and self._parts.tracing is not None:
            self._parts.tracing.attempt_ended(attempt, seconds, outcome, attempt.asked)
        self._measurements.ended(attempt.job.run.name, seconds, outcome)
        if outcome is None:
            self._tally.lost_one()
            self._parts.leases.remove([attempt.fence])
        else:
            self._exchange.add(outcome)
        is_answer = fault is not None or isinstance(outcome, Completed)
        if is_answer and attempt.lease.lane and not self._settings.replay:
            breakers = self._sites.attempt_ended(attempt, attempt.access, fault)
            if breakers:
                self._release_behind(breakers)
        attempt.close()
        if self._slots.abandoned >= MAX_ABANDONED:
            self._stop("restart")

    def _exchanged(self, batch: Exchanged) -> None:
        if not self._exchange.end(batch):
            return
        self._turn_is_due = True
        if batch.outcomes and self._settings.forever:
            self._settle_at = monotonic() + FED_SECONDS
        if batch.claim is not None:
            self._claimed(self._exchange.claimed(batch.claim), batch.wanted)

    def _finished_again(self, message: FinishedAgain) -> None:
        self._exchange.end_again(message)
        self._turn_is_due = True

    def _claimed(self, claimed: Claimed | None, wanted: int) -> None:
        if claimed is not None and self._logs_starts and claimed.leases:
            fences = [lease.fence for lease in claimed.leases]
            self._upkeep.submit(lambda store: store.events.log_started(fences))
        if not self._backlog.claimed(claimed, wanted, monotonic()):
            self._has_room = True
            if self._finds_partitions:
                self._look_at_partitions()

    def _leases_lost(self, message: messages.LeasesLost) -> None:
        self._parts.leases.remove(message.fences)
        self._backlog.drop(message.fences)
        self._slots.cut_lost(message.fences)

    def _run_loaded(self, message: messages.RunLoaded) -> None:
        self._exchange.add_all(self._backlog.run_loaded(message))
        self._turn_is_due = True

    def _runs_settled(self, message: messages.RunsSettled) -> None:
        self._asked.discard(messages.RunsSettled)
        if not self._is_idle:
            return  # a run was opened again just now
        for run_id in message.ended:
            self._jobs.forget(run_id)
            self._parts.access.forget(run_id)
        if message.reason and not self._is_stopping:
            self._reason = message.reason
            self._is_stopping = self._turn_is_due = True

    def _read_settings(self) -> None:
        self._upkeep.submit(partial(upkeep.read_settings, delays=self._settings.delays))

    def _control_changed(self, _: messages.ControlChanged) -> None:
        self._read_settings()
        if not self._settings.replay:
            self._sites.reread()
            if lanes := self._backlog.lanes:
                self._upkeep.submit(partial(upkeep.shut_lanes, lanes=lanes))
        self._hint()

    def _partitions_looked(self, message: messages.PartitionsLooked) -> None:
        self._asked.discard(messages.PartitionsLooked)
        self._finds_partitions = message.took
        self._owns_partitions = message.owns
        if message.took:
            self._hint()
        if message.leaves and not self._is_stopping:
            self._partitions.hand_over(self._parts.registration.worker_id)

    def _partitions_left(self, message: messages.PartitionsLeft) -> None:
        if message.names:
            self._upkeep.send_hint()

    def _lanes_shut(self, message: messages.LanesShut) -> None:
        self._release(self._backlog.take_on(message.lanes))

    def _site_told(self, message: sites.SiteMessage) -> None:
        self._release_behind(self._sites.receive(message))

    def _hopeless(self, message: messages.Hopeless) -> None:
        self._fail(message.error)

    def _settings_read(self, message: messages.SettingsRead) -> None:
        self._logs_starts = message.logs_starts
        if not self._settings.replay:
            self._slots.set_delays(message.delays)

    def _ticked(self, _: messages.Ticked) -> None:
        self._parts.watchdog.tick()
        self._release(self._backlog.take_stalled())
        self._sites.tick()
        is_due = self._owns_partitions or self._partitions.may_be_planned
        if self._has_room or (is_due and monotonic() >= self._partitions_at):
            self._look_at_partitions()
        self._note()
        if monotonic() >= self._tell_measured_at:
            self._tell_measured()
        self._mailbox.put_later(TICK_SECONDS, messages.Ticked())

    def _stop(self, reason: str, grace_seconds: float | None = None) -> None:
        """Claim nothing more, and give back what has not started."""
        if self._is_stopping:
            return
        if reason == "restart":
            _log.warning("too many targets hang and cannot be stopped; this worker exits")
        self._reason = reason
        self._is_stopping = self._turn_is_due = True
        self._release(self._backlog.take_all())
        patience = self._settings.grace_seconds if grace_seconds is None else grace_seconds
        if patience < math.inf:
            self._mailbox.put_later(patience, messages.GraceOver())

    def _stop_asked(self, message: messages.Stop) -> None:
        if self._reason == "drained":
            self._reason = "stopped"
            self._mailbox.put_later(self._settings.grace_seconds, messages.GraceOver())
        self._stop("stopped")
        if message.now:
            self._cut_all()

    def _leave_asked(self, message: messages.Leave) -> None:
        """Targets that finish have their own timeouts; there is no other end to a drain."""
        if message.how is Leaving.DRAIN:
            self._stop("drained", grace_seconds=math.inf)
        elif not self._is_cut:
            self._stop("removed")
            self._cut_all()

    def _cut_all(self, _: Message | None = None) -> None:
        self._is_cut = True
        self._slots.cut_all(Cut.STOP, STOP_GRACE_SECONDS)
        # What cannot be committed by then goes back with the worker's row.
        self._mailbox.put_later(2 * STOP_GRACE_SECONDS, messages.EndNow())

    def _end(self, _: Message | None = None) -> None:
        self._is_done = True

    def _fail(self, error: BaseException) -> None:
        self._fatal = self._fatal or error
        self._is_cut = self._is_done = True

    def _take_turn(self) -> None:
        """Leases to free slots, outcomes and a claim to the database."""
        self._turn_is_due = False
        if self._is_stopping:
            self._release(self._backlog.take_all())
        self._backlog.fill_slots()
        if self._exchange.is_busy:
            return
        now, has_outcomes = monotonic(), self._exchange.has_outcomes
        request: ClaimRequest | None = None
        if self._may_claim:
            request = self._backlog.begin_claim(now, has_outcomes=has_outcomes)
        if request is None and not has_outcomes:
            self._rest(now)
        elif (
            request is None
            and self._backlog.has_waiting
            and (at := self._exchange.linger_until(now))
        ):
            self._alarm.set(at)
        else:
            self._hand_over(request)

    @property
    def _may_claim(self) -> bool:
        parts = self._parts
        return not self._is_stopping and parts.beat.is_healthy and not parts.saving.is_held

    @property
    def _is_idle(self) -> bool:
        """Nothing runs, nothing waits, nothing is on its way."""
        return self._backlog.is_idle and self._exchange.is_empty

    def _hand_over(self, request: ClaimRequest | None) -> None:
        try:
            self._exchange.hand_over(request)
        except SwatherError as error:
            self._fail(error)

    def _rest(self, now: float) -> None:
        wake_at = self._backlog.wake_at(now)
        if self._settle_at > now:
            wake_at = min(wake_at, self._settle_at)
        if not self._is_stopping and self._slots.free > 0:
            self._alarm.set(wake_at)
        if not self._is_idle:
            return
        if self._is_stopping:
            self._end()
        elif self._settle_at <= now:
            settle = partial(self._jobs.settle, forever=self._settings.forever)
            self._ask_once(settle, messages.RunsSettled())

    def _look_at_partitions(self) -> None:
        """Serve what is planned for this worker, and with room a partition that no worker serves.
        Where the last look took none, the next waits for a tick: most runs have no partitions.
        """
        if not self._may_claim:
            return
        look = partial(
            self._partitions.look,
            worker_id=self._parts.registration.worker_id,
            has_room=self._has_room,
        )
        self._has_room = False
        self._partitions_at = monotonic() + PARTITIONS_SECONDS
        self._ask_once(look, messages.PartitionsLooked(owns=True))

    def _ask_once(self, work: upkeep.Work, otherwise: Message) -> None:
        """Unless an answer of the kind of `otherwise` is on its way."""
        if type(otherwise) not in self._asked:
            self._asked.add(type(otherwise))
            self._upkeep.submit(work, otherwise)

    def _hint(self, _: Message | None = None) -> None:
        self._backlog.hint()
        self._turn_is_due = True

    def _turn_due(self, _: messages.TurnDue) -> None:
        self._turn_is_due = True

    def _release(self, leases: Iterable[Lease]) -> None:
        if outcomes := [released(lease) for lease in leases]:
            self._exchange.add_all(outcomes)
            self._turn_is_due = True

    def _release_behind(self, breakers: Collection[BreakerKey]) -> None:
        self._release(self._backlog.take_behind(breakers))

    def _note(self) -> None:
        """Have written down what need not be written at once."""
        if linked := self._parts.saving.take_linked():
            self._upkeep.submit(lambda store: store.results.mark_linked(linked))
        if self._parts.saving.take_unnamed():
            self._upkeep.name_again()
        if found := self._parts.access.hosts.take_public():
            self._upkeep.submit(partial(upkeep.pin_hosts, found=found))

    def _tell_measured(self) -> None:
        self._tell_measured_at = monotonic() + MEASURED_SECONDS
        for run, measured in self._measurements.take().items():
            note = partial(upkeep.note_measured, run=run, measured=measured)
            self._upkeep.submit(note, messages.NotNoted(run, measured))

    def _not_noted(self, message: messages.NotNoted) -> None:
        self._measurements.put_back(message.run, message.measured)
