"""When a worker claims, and how many leases it asks for."""

from typing import Final

from swather.model.lease import Claimed

MAX_CLAIM: Final = 1_000
RETRY_SECONDS: Final = 1.0
MAX_POLL_FACTOR: Final = 5
LEAST_WAIT_SECONDS: Final = 0.001
MAX_DOUBLINGS: Final = 7
HORIZON_SECONDS: Final = 0.05
MAX_PREFETCH: Final = 2_000
_FIRST: Final = 64
_WEIGHT: Final = 0.1


def suspects_held(concurrency: int) -> int:
    """How many suspects may wait for a child process: enough to look past a few of them for tasks
    that the other slots can do, and no hoard that other workers could do meanwhile.
    """
    return 2 * concurrency


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
    free         those that nothing runs in; below 0 when the worker was made smaller
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
        """Nothing has begun for a while: tasks are slow until quick ones show otherwise."""
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
