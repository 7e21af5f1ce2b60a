"""The leases of a worker that no slot has taken yet: when it claims more of them, and how many."""

from collections import deque
from collections.abc import Callable, Collection, Sequence
from typing import TYPE_CHECKING, Final

from swather.model.lease import Claimed, ClaimRequest, Lease
from swather.model.outcome import Outcome
from swather.worker.access.access import Access
from swather.worker.access.breaker import BreakerKey
from swather.worker.attempt import Attempt
from swather.worker.exchange import RETRY_SECONDS, Leases
from swather.worker.jobs import Jobs
from swather.worker.messages import RunLoaded
from swather.worker.settings import Registration, Settings
from swather.worker.slots import Dispatch, Slots, suspects_held

if TYPE_CHECKING:
    from swather.store.ports import Fence


MAX_CLAIM: Final = 1_000
MAX_POLL_FACTOR: Final = 5
LEAST_WAIT_SECONDS: Final = 0.001
MAX_DOUBLINGS: Final = 7
HORIZON_SECONDS: Final = 0.05
MAX_PREFETCH: Final = 2_000
_FIRST: Final = 64
_WEIGHT: Final = 0.1


def wanted(
    *,
    concurrency: int,
    free: int,
    ahead: int,
    waiting: int,
    parked: int,
    suspects: int,
    at_most: int,
    is_first: bool = False,
) -> int:
    """The number of leases to claim now, 0 for none.

    concurrency  slots of the worker
    free         those that nothing runs in
    ahead        leases to hold beyond the free slots, so that none waits for a claim
    waiting      leases that no slot has taken yet
    parked       leases whose run is being read: the free slots are theirs
    suspects     leases that wait for a child process, and for no slot
    at_most      what one claim may take
    is_first     nothing runs, and there was a hint of new work: a claim that is filled comes back
                 at once, others look everywhere before
    """
    if parked:
        return 0
    count = max(free, 0) + ahead - waiting
    if suspects:
        # More of them may come with every claim, and a slot stays free for as long as they do.
        count = min(count, suspects_held(concurrency) - suspects)
    if is_first and count > 0:
        count = 1
    if count <= 0 or (free <= 0 and 2 * count < ahead):
        return 0
    return min(count, at_most)


class Prefetch:
    """As many as the slots will start within the horizon: many for quick tasks, none for slow ones.

    `at_most` 0 switches it off. It grows step by step, since the first tasks may not be typical.
    """

    def __init__(self, at_most: int = MAX_PREFETCH) -> None:
        self._at_most = at_most
        self._seconds: float | None = None
        self._allowed = 0
        self._limited = False

    def observe(self, seconds: float) -> None:
        """A task has taken `seconds`."""
        if self._seconds is None:
            self._seconds = seconds
        else:
            self._seconds += _WEIGHT * (seconds - self._seconds)

    def stalled(self) -> None:
        """Nothing has started for a while: tasks are slow until quick ones show otherwise."""
        self._seconds = max(self._seconds or 0.0, 1.0)

    def claimed(self, *, limited: bool) -> None:
        """What its lane paces is not worth holding: a start is paid for when it is claimed."""
        self._limited = limited

    def target(self, slots: int) -> int:
        if self._seconds is None or self._limited:
            return 0
        wanted = min(int(slots * HORIZON_SECONDS / max(self._seconds, 1e-6)), self._at_most)
        self._allowed = min(wanted, max(_FIRST, 4 * self._allowed))
        return self._allowed


class ClaimClock:
    """When to look for work again: at once after a hint or a claim that was filled, else when the
    database said that something is due, or after a poll that takes longer and longer.
    """

    def __init__(self, poll_seconds: float) -> None:
        self.is_hinted = False
        self.claim_at = 0.0
        self._poll_seconds = poll_seconds
        self._empty_polls = 0

    def hint(self) -> None:
        """There may be new work: claim now."""
        self.is_hinted = True
        self.claim_at = 0.0
        self._empty_polls = 0

    def claiming(self) -> None:
        """A claim is on its way; a hint that comes meanwhile may be about what it does not see."""
        self.is_hinted = False

    def failed(self, now: float) -> None:
        self.claim_at = now + RETRY_SECONDS

    def claimed(self, claimed: Claimed, wanted: int, now: float) -> bool:
        """Whether there may be more: the claim was filled, or there was a hint meanwhile."""
        count = len(claimed.leases)
        if count:
            self._empty_polls = 0
        if count == wanted or self.is_hinted:
            self.claim_at = 0.0
            return True
        poll = self._poll_seconds * min(1 + self._empty_polls, MAX_POLL_FACTOR)
        at_least = LEAST_WAIT_SECONDS * 2 ** min(self._empty_polls, MAX_DOUBLINGS)
        self._empty_polls += not count
        wait = claimed.retry_after_seconds
        self.claim_at = now + (poll if wait is None else min(max(wait, at_least), poll))
        return False

    def wake_at(self, now: float) -> float:
        """When to look if nothing happens. The moment may be past: then beats fail, or one is just
        going on, which will tell its end.
        """
        return self.claim_at if self.claim_at > now else now + self._poll_seconds


class Backlog:
    """Belongs to the loop's thread. What `take_…` returns is to be given back: it may not begin
    soon, and is better off where it came from.
    """

    def __init__(
        self,
        settings: Settings,
        registration: Registration,
        jobs: Jobs,
        leases: Leases,
        slots: Slots,
        dispatch: Dispatch,
        access: Access,
    ) -> None:
        self._settings = settings
        self._registration = registration
        self._jobs = jobs
        self._leases = leases
        self._slots = slots
        self._dispatch = dispatch
        self._access = access
        self._waiting: deque[Lease] = deque()
        self._started_since_tick = 0
        self._clock = ClaimClock(settings.poll_seconds)
        self._prefetch = Prefetch(settings.batch_size or MAX_PREFETCH)

    @property
    def has_waiting(self) -> bool:
        return bool(self._waiting)

    @property
    def is_idle(self) -> bool:
        """Nothing waits, and nothing runs."""
        return not self._waiting and self._dispatch.is_idle

    @property
    def lanes(self) -> set[str]:
        return {lease.lane for lease in self._waiting if lease.lane}

    def fill_slots(self) -> None:
        waiting, slots = self._waiting, self._slots
        while waiting and slots.free > 0:
            self._started_since_tick += 1
            self._dispatch.start(waiting.popleft())

    def hint(self) -> None:
        """There may be new work."""
        self._clock.hint()

    def ended(self, attempt: Attempt, seconds: float) -> None:
        """An attempt has taken so long."""
        self._prefetch.observe(seconds)
        self._dispatch.ended(attempt)

    def wake_at(self, now: float) -> float:
        """When to look for work if nothing happens."""
        return self._clock.wake_at(now)

    def begin_claim(self, now: float, *, has_outcomes: bool) -> ClaimRequest | None:
        """What to claim now, if anything; beats wait until that is done. Outcomes that are handed
        over anyway take a claim along when a slot is free.
        """
        slots, settings = self._slots, self._settings
        if now < self._clock.claim_at and (slots.free <= 0 or not has_outcomes):
            return None
        count = wanted(
            concurrency=slots.concurrency,
            free=slots.free,
            ahead=self._prefetch.target(slots.concurrency),
            waiting=len(self._waiting),
            parked=self._dispatch.parked,
            suspects=self._dispatch.suspects,
            at_most=settings.batch_size or MAX_CLAIM,
            is_first=self._clock.is_hinted and not slots.running,
        )
        scrapers = self._claimable()
        if not count or not scrapers or not self._leases.begin_claim():
            return None
        self._clock.claiming()
        return ClaimRequest(
            worker_id=self._registration.worker_id,
            count=count,
            runs=None if settings.run is None else (settings.run,),
            scrapers=scrapers,
            strategy=settings.strategy,
            unpaced=settings.replay,
        )

    def _claimable(self) -> tuple[str, ...]:
        """The scrapers whose tasks can be executed now: their requests can leave."""
        scrapers = tuple(self._settings.scrapers)
        if not self._access.sources:
            return scrapers
        out = self._access.out
        return tuple(name for name in scrapers if name not in out)

    def claimed(self, claimed: Claimed | None, wanted: int, now: float) -> bool:
        """What a claim gave, None if it failed; whether there may be more where this came from."""
        if claimed is None:
            self._clock.failed(now)
            return True
        if claimed.leases:
            is_limited = self._jobs.hold_back(claimed.leases, self._slots.concurrency)
            self._prefetch.claimed(limited=is_limited)
            self._waiting.extend(claimed.leases)
        return self._clock.claimed(claimed, wanted, now)

    def run_loaded(self, message: RunLoaded) -> Sequence[Outcome]:
        """Those that have waited for this run come first; what becomes of them if it cannot be
        executed.
        """
        leases, outcomes = self._dispatch.loaded(message)
        self._waiting.extendleft(reversed(leases))
        return outcomes

    def drop(self, fences: Collection["Fence"]) -> None:
        """These are lost."""
        self._take_if(lambda lease: lease.fence in fences)
        self._dispatch.drop(fences)

    def take_all(self) -> list[Lease]:
        return self._take_if(lambda _: True) + self._dispatch.take_suspects()

    def take_stalled(self) -> list[Lease]:
        """Called now and then: what waits behind slow tasks, and suspects beyond those that can
        soon run.
        """
        stalled: list[Lease] = []
        if self._waiting and not self._started_since_tick:
            self._prefetch.stalled()
            stalled = self._take_if(lambda _: True)
        self._started_since_tick = 0
        return stalled + self._dispatch.take_surplus()

    def take_on(self, lanes: Collection[str]) -> list[Lease]:
        return self._take_if(lambda lease: lease.lane in lanes)

    def take_behind(self, breakers: Collection[BreakerKey]) -> list[Lease]:
        """Those of scrapers and lanes whose breaker is open."""
        return self._take_if(lambda lease: self._jobs.breaker_key(lease) in breakers)

    def _take_if(self, leaves: Callable[[Lease], bool]) -> list[Lease]:
        waiting, self._waiting = self._waiting, deque()
        taken: list[Lease] = []
        for lease in waiting:
            (taken if leaves(lease) else self._waiting).append(lease)
        return taken
