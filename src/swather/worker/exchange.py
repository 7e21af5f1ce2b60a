"""Outcomes out, leases in: what a worker hands to the writer, one transaction at a time; and the
leases it then holds.
"""

import logging
import threading
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import Future
from contextlib import contextmanager
from functools import partial
from time import monotonic
from typing import Any, Final

from swather.errors import InputError
from swather.model.lease import Claimed, ClaimRequest
from swather.model.outcome import Completed, Outcome, Released, Verdict
from swather.store.ports import Fence
from swather.store.writer import HOPELESS, Writer
from swather.worker.measurements import Measurements
from swather.worker.messages import Hopeless, Mailbox, Message, RetryOutcomes
from swather.worker.outcomes import refused
from swather.worker.report import Tally
from swather.worker.saving import Saving
from swather.worker.upkeep import Upkeep

# When to try again what the database could not do.
RETRY_SECONDS: Final = 1.0
LINGER_SECONDS: Final = 0.01
MAX_LINGER_SECONDS: Final = 0.1
LINGER_OUTCOMES: Final = 500

_log = logging.getLogger(__name__)


class Leases:
    """Changed by the loop and the writer's thread, read by the beat.

    A beat gives back every lease of the worker that it is not told of, so no claim may be on its
    way while a beat looks. A claim never waits for a beat; a beat waits for a claim, but not
    forever: what it then gives back by mistake is lost to this worker, and to nobody else.
    """

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._fences: set[Fence] = set()
        self._claiming = False
        self._beating = False

    def begin_claim(self) -> bool:
        """False while a beat looks: ask again when it is over."""
        with self._changed:
            if self._beating:
                return False
            self._claiming = True
            return True

    def end_claim(self, fences: Iterable[Fence]) -> None:
        with self._changed:
            self._fences.update(fences)
            self._claiming = False
            self._changed.notify_all()

    def remove(self, fences: Iterable[Fence]) -> None:
        with self._changed:
            self._fences.difference_update(fences)

    def snapshot(self) -> frozenset[Fence]:
        with self._changed:
            return frozenset(self._fences)

    @contextmanager
    def beat(self, patience_seconds: float) -> Iterator[frozenset[Fence]]:
        """All leases, while nothing new is claimed."""
        with self._changed:
            self._beating = True
            self._changed.wait_for(lambda: not self._claiming, patience_seconds)
            fences = frozenset(self._fences)
        try:
            yield fences
        finally:
            with self._changed:
                self._beating = False


class Exchanged(Message, frozen=True):
    """Outcomes and a claim were handed over together, and both are done."""

    outcomes: Sequence[Outcome]
    finish: Future[list[Verdict]] | None
    claim: Future[Claimed] | None
    wanted: int

    @property
    def is_done(self) -> bool:
        return all(each is None or each.done() for each in (self.finish, self.claim))


class FinishedAgain(Message, frozen=True):
    """An outcome that was handed over once more, by itself, is done."""

    outcome: Outcome
    finish: Future[list[Verdict]]


class Exchange:
    """Belongs to the loop's thread. At most one batch with a claim is on its way; what ends
    meanwhile shares the next one. What the database refuses to take is handed over again: what it
    can never store as a failure that says so, the rest when it may have recovered.
    """

    def __init__(
        self,
        mailbox: Mailbox,
        writer: Writer,
        leases: Leases,
        tally: Tally,
        measurements: Measurements,
        saving: Saving,
        upkeep: Upkeep,
    ) -> None:
        self._mailbox = mailbox
        self._writer = writer
        self._leases = leases
        self._tally = tally
        self._measurements = measurements
        self._saving = saving
        self._upkeep = upkeep
        self._outcomes: list[Outcome] = []
        self._batch: Exchanged | None = None
        self._handed_over_at = 0.0
        self._linger_seconds = LINGER_SECONDS
        self._linger_until = 0.0
        # Outcomes that are handed over again, or wait for that.
        self._again = 0

    @property
    def is_busy(self) -> bool:
        """Whether a batch is on its way."""
        return self._batch is not None

    @property
    def has_outcomes(self) -> bool:
        return bool(self._outcomes)

    @property
    def is_empty(self) -> bool:
        return not (self._outcomes or self._batch or self._again)

    def add(self, outcome: Outcome) -> None:
        if not self._outcomes:
            self._linger_until = monotonic() + self._linger_seconds
        self._outcomes.append(outcome)

    def add_all(self, outcomes: Iterable[Outcome]) -> None:
        self._outcomes += outcomes

    def linger_until(self, now: float) -> float | None:
        """Until when outcomes may wait for company; None when it is time to hand them over."""
        is_time = now >= self._linger_until or len(self._outcomes) >= LINGER_OUTCOMES
        return None if is_time else self._linger_until

    def hand_over(self, request: ClaimRequest | None) -> None:
        """All outcomes there are, and a claim, so that they share a transaction."""
        outcomes, self._outcomes = self._outcomes, []
        self._handed_over_at = monotonic()
        finish = self._writer.finish(outcomes) if outcomes else None
        claim = None if request is None else self._writer.claim(request)
        wanted = 0 if request is None else request.count
        self._batch = Exchanged(outcomes, finish, claim, wanted)
        # A future keeps its callbacks, and messages are hidden from the garbage collector: one that
        # knew the batch, which knows the future, would keep all of it for good.
        if claim is not None:
            claim.add_done_callback(self._claim_is_done)
        if finish is not None:
            finish.add_done_callback(self._finish_is_done)

    def end(self, batch: Exchanged) -> bool:
        """Whether this is the batch on its way, which is then done; it may be posted twice."""
        if batch is not self._batch:
            return False
        self._batch = None
        took = monotonic() - self._handed_over_at
        self._linger_seconds = min(max(2 * took, LINGER_SECONDS), MAX_LINGER_SECONDS)
        if batch.finish is not None:
            self._settle(batch.outcomes, batch.finish)
        return True

    def claimed(self, claim: Future[Claimed]) -> Claimed | None:
        """What a claim gave; None if it failed."""
        if claim.cancelled():
            return None
        error = claim.exception()
        if error is None:
            return claim.result()
        if isinstance(error, (*HOPELESS, InputError)):
            self._mailbox.put(Hopeless(error))
        else:
            _log.error("could not claim tasks, retrying: %s", error)
        return None

    def retry(self, message: RetryOutcomes) -> None:
        self._again -= len(message.outcomes)
        self._finish_again(message.outcomes)

    def end_again(self, message: FinishedAgain) -> None:
        self._again -= 1
        self._settle([message.outcome], message.finish)

    def _settle(self, outcomes: Sequence[Outcome], finish: Future[list[Verdict]]) -> None:
        """What was not committed is handed over again."""
        error = finish.exception()
        if error is None:
            self._leases.remove([outcome.fence for outcome in outcomes])
            self._committed(outcomes, finish.result())
        elif isinstance(error, InputError) and len(outcomes) == 1:
            _log.warning("the result of task %d was refused: %s", outcomes[0].task_id, error)
            self._outcomes.append(refused(outcomes[0], error))
        elif isinstance(error, InputError):
            self._finish_again(outcomes)
        elif isinstance(error, HOPELESS):
            self._mailbox.put(Hopeless(error))
        else:
            _log.error("results could not be stored, retrying: %s", error)
            self._again += len(outcomes)
            self._mailbox.put_later(RETRY_SECONDS, RetryOutcomes(outcomes))

    def _committed(self, outcomes: Sequence[Outcome], verdicts: Sequence[Verdict]) -> None:
        is_news = False
        for outcome, verdict in zip(outcomes, verdicts, strict=True):
            self._tally.committed(outcome, verdict)
            self._measurements.committed(outcome, verdict)
            if verdict is Verdict.STALE:
                _log.info("the result of task %d came too late and was dropped", outcome.task_id)
            elif isinstance(outcome, Completed):
                is_news = is_news or bool(outcome.children)
                if outcome.files:
                    part = (outcome.task_id, outcome.part)
                    self._saving.link(outcome.files_folder, part, outcome.files)
            else:
                is_news = is_news or isinstance(outcome, Released)
        if is_news:
            self._upkeep.send_hint()

    def _finish_again(self, outcomes: Sequence[Outcome]) -> None:
        """One by one: those that can be stored do not wait for those that cannot."""
        for outcome in outcomes:
            self._again += 1
            finish = self._writer.finish([outcome])
            finish.add_done_callback(partial(self._post_again, outcome))

    def _post_again(self, outcome: Outcome, finish: Future[list[Verdict]]) -> None:
        """On the writer's thread."""
        self._mailbox.post(FinishedAgain(outcome, finish))

    def _claim_is_done(self, claim: Future[Claimed]) -> None:
        # On the writer's thread: a beat must know of these leases even if the loop is stuck.
        failed = claim.cancelled() or claim.exception() is not None
        if not failed:
            self._tally.claims.note(monotonic() - self._handed_over_at)
        self._leases.end_claim([] if failed else [lease.fence for lease in claim.result().leases])
        self._post_if_done(claim)

    def _finish_is_done(self, finish: Future[list[Verdict]]) -> None:
        """On the writer's thread."""
        if finish.exception() is None:
            self._tally.finishes.note(monotonic() - self._handed_over_at)
        self._post_if_done(finish)

    def _post_if_done(self, _: Future[Any]) -> None:
        """On the writer's thread, for the batch on its way: an earlier one was posted before."""
        batch = self._batch
        if batch is not None and batch.is_done:
            self._mailbox.post(batch)
