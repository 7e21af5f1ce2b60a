"""The pump: hands outcomes and a claim to the writer together, and leases to the slots."""

import asyncio
import logging
from collections import deque
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from contextlib import suppress
from time import monotonic
from typing import Final

from swather.errors import InputError, SwatherError
from swather.model.lease import Claimed, ClaimRequest, Lease
from swather.model.outcome import Outcome, Verdict
from swather.store.writer import HOPELESS, Writer
from swather.worker import claiming
from swather.worker.commits import RETRY_SECONDS, Commits
from swather.worker.cycle import Cycle
from swather.worker.dispatch import Dispatch
from swather.worker.held import Held
from swather.worker.outcome import released
from swather.worker.prefetch import Prefetch

MAX_CLAIM: Final = 1_000
LINGER_SECONDS: Final = 0.01
MAX_LINGER_SECONDS: Final = 0.1
LINGER_OUTCOMES: Final = 500
MAX_POLL_FACTOR: Final = 5
LEAST_WAIT_SECONDS: Final = 0.001
MAX_DOUBLINGS: Final = 7

_log = logging.getLogger(__name__)


class Pump:
    """Lives on the loop's thread. At most one cycle is on its way; what ends meanwhile shares the
    next one. `waiting` are leases that no slot has taken yet.
    """

    def __init__(
        self,
        loop: asyncio.AbstractEventLoop,
        writer: Writer,
        held: Held,
        dispatch: Dispatch,
        prefetch: Prefetch,
        *,
        request: Callable[[int], ClaimRequest],
        may_claim: Callable[[], bool],
        on_commit: Callable[[Sequence[Outcome], Sequence[Verdict]], None],
        on_claimed: Callable[[Sequence[Lease]], None],
        on_short: Callable[[], None],
        on_idle: Callable[[], None],
        on_fatal: Callable[[BaseException], None],
        poll_seconds: float,
        max_claim: int = MAX_CLAIM,
    ) -> None:
        self.waiting: deque[Lease] = deque()
        self.finished: list[Outcome] = []
        self.closed = False
        self._loop = loop
        self._writer = writer
        self._held = held
        self._dispatch = dispatch
        self._slots = dispatch.slots
        self._prefetch = prefetch
        self._request = request
        self._may_claim = may_claim
        self._start = dispatch.start
        self._commits = Commits(
            loop,
            writer,
            held,
            on_commit=on_commit,
            on_again=lambda outcomes: self.take_back((), outcomes),
            on_fatal=on_fatal,
        )
        self._on_claimed = on_claimed
        self._on_short = on_short
        self._on_idle = on_idle
        self._on_fatal = on_fatal
        self._poll_seconds = poll_seconds
        self._max_claim = max_claim
        self._cycle: Cycle | None = None
        self._is_due = False
        self._claim_at = 0.0
        self._empty_polls = 0
        self._linger_until = 0.0
        self._linger_seconds = LINGER_SECONDS
        self._handed_over_at = 0.0
        self._timer: asyncio.TimerHandle | None = None
        self._timer_at = 0.0
        self._taken = 0
        self._is_hinted = False

    @property
    def is_empty(self) -> bool:
        """Nothing waits, nothing is on its way."""
        return not (self.waiting or self.finished or self._cycle or self._commits.pending)

    def poke(self) -> None:
        """Something has changed: look soon whether there is anything to hand over."""
        if not self._is_due:
            self._is_due = True
            self._loop.call_soon(self._turn)

    def hint(self) -> None:
        """There may be new work: claim now."""
        self._is_hinted = True
        self._claim_at = 0.0
        self._empty_polls = 0
        self.poke()

    def add(self, outcome: Outcome) -> None:
        if not self.finished:
            self._linger_until = monotonic() + self._linger_seconds
        self.finished.append(outcome)
        if self.waiting:
            self.fill()
        if not self._is_due and self._cycle is None:
            self.poke()

    def fill(self) -> None:
        """Give waiting leases to free slots."""
        waiting, slots = self.waiting, self._slots
        while waiting and slots.free > 0 and not self.closed:
            self._taken += 1
            self._start(waiting.popleft())

    def take_back(self, leases: Sequence[Lease], outcomes: Sequence[Outcome]) -> None:
        """Leases and outcomes that had to wait for something else."""
        self.waiting.extendleft(reversed(leases))
        self.finished += outcomes
        if self.closed:
            self._give_back(len(self.waiting))
        self.fill()
        self.poke()

    def close(self) -> None:
        """Claim nothing more and give back what has not begun."""
        self.closed = True
        self._give_back(len(self.waiting))
        self.poke()

    def give_back_stalled(self) -> None:
        """Called now and then: leases that wait behind slow tasks are better off elsewhere."""
        if self.waiting and not self._taken:
            self._prefetch.stalled()
            self._give_back(len(self.waiting))
            self.poke()
        self._taken = 0

    def give_back_if(self, closed: Callable[[Lease], bool]) -> None:
        """Leases that may not begin soon are better off where they came from."""
        waiting, self.waiting = self.waiting, deque()
        for lease in waiting:
            if closed(lease):
                self.finished.append(released(lease))
            else:
                self.waiting.append(lease)
        self.poke()

    def _give_back(self, count: int) -> None:
        self.finished += [released(self.waiting.pop()) for _ in range(count)]

    def _turn(self) -> None:
        self._is_due = False
        if self._cycle is not None:
            return
        now = monotonic()
        wanted = self._wanted(now)
        if not wanted:
            if not self.finished:
                self._rest(now)
                return
            if self._may_linger(now):
                self._wake_at(self._linger_until)
                return
        self._hand_over(wanted)

    def _wanted(self, now: float) -> int:
        """How many leases to ask for with this turn."""
        if self.closed or not self._may_claim():
            return 0
        slots, dispatch = self._slots, self._dispatch
        if now < self._claim_at and (slots.free <= 0 or not self.finished):
            return 0
        count = claiming.wanted(
            concurrency=slots.concurrency,
            free=slots.free,
            ahead=self._prefetch.target(slots.concurrency),
            waiting=len(self.waiting),
            parked=dispatch.parked,
            suspects=dispatch.suspects,
            at_most=self._max_claim,
            is_first=self._is_hinted and not slots.running,
        )
        return count if count and self._held.begin_claim() else 0

    def _may_linger(self, now: float) -> bool:
        """While slots have work, outcomes wait a little for company."""
        return (
            bool(self.waiting)
            and not self.closed
            and now < self._linger_until
            and len(self.finished) < LINGER_OUTCOMES
        )

    def _rest(self, now: float) -> None:
        if not self.closed and self._slots.free > 0:
            # It may be past: then beats fail or one is just going on, which will tell its end.
            due = self._claim_at > now
            self._wake_at(self._claim_at if due else now + self._poll_seconds)
        if not self._slots.running:
            self._on_idle()

    def _wake_at(self, at: float) -> None:
        if self._timer is not None:
            if self._timer_at == at:
                return
            self._timer.cancel()
        self._timer_at = at
        self._timer = self._loop.call_at(at, self._timer_rang)

    def _timer_rang(self) -> None:
        self._timer = None
        self._turn()

    def _hand_over(self, wanted: int) -> None:
        outcomes, self.finished = self.finished, []
        self._cycle = Cycle(outcomes, wanted, self._held, self._tell_over)
        self._handed_over_at = monotonic()
        self._is_hinted = self._is_hinted and not wanted
        try:
            self._cycle.hand_over(self._writer, self._request)
        except SwatherError as error:
            self._cycle = None
            self._on_fatal(error)

    def _tell_over(self, cycle: Cycle) -> None:
        """On the writer's thread."""
        with suppress(RuntimeError):  # the loop was closed
            self._loop.call_soon_threadsafe(self._over, cycle)

    def _over(self, cycle: Cycle) -> None:
        if cycle is not self._cycle:
            return
        self._cycle = None
        took = monotonic() - self._handed_over_at
        self._linger_seconds = min(max(2 * took, LINGER_SECONDS), MAX_LINGER_SECONDS)
        if cycle.finish is not None:
            self._commits.over(cycle.outcomes, cycle.finish)
        if cycle.claim is not None:
            self._claimed(cycle, cycle.claim)
        if self.closed:
            self._give_back(len(self.waiting))
        self.fill()
        self._turn()

    def _claimed(self, cycle: Cycle, claim: Future[Claimed]) -> None:
        now = monotonic()
        if claim.cancelled():
            return
        error = claim.exception()
        if error is not None:
            if isinstance(error, (*HOPELESS, InputError)):
                self._on_fatal(error)
                return
            _log.error("no tasks could be claimed, trying again: %s", error)
            self._claim_at = now + RETRY_SECONDS
            return
        claimed = claim.result()
        leases = claimed.leases
        if leases:
            self._empty_polls = 0
            self._on_claimed(leases)
            self.waiting.extend(leases)
        if len(leases) == cycle.wanted or self._is_hinted:
            # A hint that came while the claim was on its way may be about what it did not see.
            self._claim_at = 0.0
            return
        self._on_short()
        poll = self._poll_seconds * min(1 + self._empty_polls, MAX_POLL_FACTOR)
        at_least = LEAST_WAIT_SECONDS * 2 ** min(self._empty_polls, MAX_DOUBLINGS)
        self._empty_polls += not leases
        wait = claimed.retry_after_seconds
        self._claim_at = now + (poll if wait is None else min(max(wait, at_least), poll))
