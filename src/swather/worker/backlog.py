"""The leases of a worker that no slot has taken yet, and when it claims more."""

from collections import deque
from collections.abc import Callable, Collection, Sequence
from typing import TYPE_CHECKING

from swather.model.lease import Claimed, ClaimRequest, Lease
from swather.worker import claiming
from swather.worker.access.breaker import BreakerKey
from swather.worker.claiming import MAX_CLAIM, MAX_PREFETCH, ClaimClock, Prefetch
from swather.worker.dispatch import Dispatch
from swather.worker.jobs import Jobs
from swather.worker.leases import Leases, Registration
from swather.worker.settings import Settings
from swather.worker.slots import Slots

if TYPE_CHECKING:
    from swather.store.ports import Fence


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
    ) -> None:
        self._settings = settings
        self._registration = registration
        self._jobs = jobs
        self._leases = leases
        self._slots = slots
        self._dispatch = dispatch
        self._waiting: deque[Lease] = deque()
        self._started_since_tick = 0
        self._clock = ClaimClock(settings.poll_seconds)
        self._prefetch = Prefetch(settings.batch_size or MAX_PREFETCH)

    def __len__(self) -> int:
        return len(self._waiting)

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

    def observe(self, seconds: float) -> None:
        """An attempt has taken so long."""
        self._prefetch.observe(seconds)

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
        count = claiming.wanted(
            concurrency=slots.concurrency,
            free=slots.free,
            ahead=self._prefetch.target(slots.concurrency),
            waiting=len(self._waiting),
            parked=self._dispatch.parked,
            suspects=self._dispatch.suspects,
            at_most=settings.batch_size or MAX_CLAIM,
            is_first=self._clock.is_hinted and not slots.running,
        )
        if not count or not self._leases.begin_claim():
            return None
        self._clock.claiming()
        return ClaimRequest(
            worker_id=self._registration.worker_id,
            count=count,
            runs=None if settings.run is None else (settings.run,),
            scrapers=tuple(settings.scrapers),
            strategy=settings.strategy,
            unpaced=settings.replay,
        )

    def claim_failed(self, now: float) -> None:
        self._clock.failed(now)

    def claimed(self, claimed: Claimed, wanted: int, now: float) -> bool:
        """Whether there may be more where these came from."""
        if claimed.leases:
            is_limited = self._jobs.hold_back(claimed.leases, self._slots.concurrency)
            self._prefetch.claimed(limited=is_limited)
            self._waiting.extend(claimed.leases)
        return self._clock.claimed(claimed, wanted, now)

    def put_first(self, leases: Sequence[Lease]) -> None:
        """Those that have waited for something else."""
        self._waiting.extendleft(reversed(leases))

    def drop(self, fences: "Collection[Fence]") -> None:
        """These are lost."""
        self._take_if(lambda lease: lease.fence in fences)

    def take_all(self) -> list[Lease]:
        return self._take_if(lambda _: True)

    def take_stalled(self) -> list[Lease]:
        """Called now and then: what waits behind slow tasks, and suspects beyond those that can
        soon run.
        """
        stalled: list[Lease] = []
        if self._waiting and not self._started_since_tick:
            self._prefetch.stalled()
            stalled = self.take_all()
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
