"""A queue that retries its verbs until their effect is certain."""

from collections.abc import Callable, Sequence
from random import Random
from threading import Event
from typing import Final, TypeVar

import msgspec

from swather.errors import Closed, ConnectionLost, DatabaseBusy, DatabaseUnreachable, StoreError
from swather.model.lease import Claimed, ClaimRequest
from swather.model.outcome import Outcome, Standing, Verdict
from swather.model.retry import Backoff
from swather.store.outage import Outage
from swather.store.ports import Finished, Queue

T = TypeVar("T")

RETRYABLE: Final = (DatabaseBusy, DatabaseUnreachable, ConnectionLost)
_UNIT_SECONDS: Final = 0.01
_BACKOFF: Final = Backoff(cap_seconds=2.0 / _UNIT_SECONDS, jitter=1.0)
_VERDICTS: Final = {
    Standing.COMMITTED: Verdict.ACCEPTED,
    Standing.SUPERSEDED: Verdict.STALE,
}


class WriterStatistics(msgspec.Struct, frozen=True, kw_only=True):
    """What was written so far.

    `batches`: transactions. `rows`: accepted outcomes. `retries`: how often a transaction was
    retried. `uncertain`: outcomes that were read back after a lost connection.
    """

    batches: int = 0
    rows: int = 0
    retries: int = 0
    uncertain: int = 0
    stale: int = 0


class RetryingQueue:
    """Waits for a busy or lost database until `give_up` is set.

    It belongs to one thread; other threads may only read `statistics`.
    """

    def __init__(self, queue: Queue, give_up: Event, outage: Outage) -> None:
        self._queue = queue
        self._outage = outage
        self._give_up = give_up
        self._random = Random()
        self._batches = 0
        self._rows = 0
        self._retries = 0
        self._uncertain = 0
        self._stale = 0

    def statistics(self) -> WriterStatistics:
        return WriterStatistics(
            batches=self._batches,
            rows=self._rows,
            retries=self._retries,
            uncertain=self._uncertain,
            stale=self._stale,
        )

    def claim(self, request: ClaimRequest) -> Claimed:
        """If its reply is lost, it is made again; the beat gives back what the first one took."""
        claimed = self.repeat(lambda: self._queue.claim(request))
        self._batches += 1
        return claimed

    def finish(self, outcomes: Sequence[Outcome], claim: ClaimRequest | None = None) -> Finished:
        """Like the queue's own, but after a lost connection it sends again only what the database
        says is still pending; if nothing is, the claim is still to be made.
        """
        if not outcomes:
            return Finished([], None if claim is None else self.claim(claim))
        known: dict[int, Verdict] = {}
        claimed: Claimed | None = None
        attempts = 0
        while pending := [n for n in range(len(outcomes)) if n not in known]:
            try:
                verdicts, claimed = self._queue.finish([outcomes[n] for n in pending], claim)
            except RETRYABLE as error:
                self._pause(error, attempts)
                attempts += 1
                if isinstance(error, ConnectionLost):
                    known |= self._read_back(outcomes, pending)
                continue
            known |= dict(zip(pending, verdicts, strict=True))
            if attempts:
                self._outage.answered()
                # The lost transaction may have committed after it was read back as pending.
                stale = [n for n in pending if known[n] is Verdict.STALE]
                known |= self._read_back(outcomes, stale)
            break
        self._count(list(known.values()))
        return Finished([known[n] for n in range(len(outcomes))], claimed)

    def repeat(self, verb: Callable[[], T]) -> T:
        """Call an idempotent verb until the database answers."""
        attempts = 0
        while True:
            try:
                answer = verb()
            except RETRYABLE as error:
                self._pause(error, attempts)
                attempts += 1
                continue
            if attempts:
                self._outage.answered()
            return answer

    def _read_back(self, outcomes: Sequence[Outcome], numbers: list[int]) -> dict[int, Verdict]:
        """The verdicts of those outcomes that are no longer pending."""
        if not numbers:
            return {}
        self._uncertain += len(numbers)
        fences = {n: outcomes[n].fence for n in numbers}
        standing = self.repeat(lambda: self._queue.standing(set(fences.values())))
        return {
            n: _VERDICTS[standing[fence]]
            for n, fence in fences.items()
            if standing[fence] is not Standing.PENDING
        }

    def _count(self, verdicts: list[Verdict]) -> None:
        self._batches += 1
        self._rows += verdicts.count(Verdict.ACCEPTED)
        self._stale += verdicts.count(Verdict.STALE)

    def _pause(self, error: StoreError, attempts: int) -> None:
        delay = _UNIT_SECONDS * _BACKOFF.delay_seconds(attempts, self._random)
        self._retries += 1
        self._outage.failed(error)
        if self._give_up.wait(delay):
            raise Closed(
                f"the writer was closed while the database was away ({error}); whether the last "
                "write was committed is uncertain"
            ) from error
