"""The requests of a page in the browser: each is paid for on its own lane, as those of fetches."""

from time import monotonic
from typing import Final

from swather.net.egress import Egress
from swather.net.fetch_policy import FetchPolicy
from swather.worker.access.attempt_access import AttemptAccess, AttemptFetch
from swather.worker.access.attempt_egresses import GO_AWAY, AttemptEgresses
from swather.worker.access.permits import Bystander, Requester

# How long a picture, a script or an answer for a script may wait for its lane.
RESOURCE_SECONDS: Final = 30.0


class PageRequests:
    """Makes the policy of each request of a visit: of the page itself, or of what that loads.
    `egresses` is None if the egress of the visit is not from their source.
    """

    __slots__ = ("_access", "_egress", "_egresses", "_patience")

    def __init__(
        self, access: AttemptAccess, egress: Egress, egresses: AttemptEgresses | None
    ) -> None:
        self._access = access
        self._egress = egress
        self._egresses = egresses
        self._patience = Patience(access.requester)

    def __call__(self, is_page: bool) -> FetchPolicy:
        if not is_page:
            return ResourceFetch(self._access, self._egress, self._egresses, self._patience)
        if self._egresses is None:
            return AttemptFetch(self._access, None)
        return self._access.policy_through(self._egress, None)


class Patience:
    """For how long the waits of what a page loads may stop the clock of its attempt: as long as its
    timeout. A page that asks for something again and again would otherwise never be cut.
    """

    __slots__ = ("_left", "_requester", "_since", "_waiting")

    def __init__(self, requester: Requester) -> None:
        self._requester = requester
        self._left = requester.job.timeout
        self._waiting = 0
        self._since = 0.0

    def begin(self, waits_for: str) -> bool:
        """Whether the clock was stopped."""
        if self._left <= 0:
            return False
        if not self._waiting:
            self._since = monotonic()
        self._waiting += 1
        self._requester.stop_clock(waits_for)
        return True

    def end(self, waited_for: str) -> None:
        self._waiting -= 1
        if not self._waiting:
            self._left -= monotonic() - self._since
        self._requester.start_clock(waited_for)


class _Resource(Bystander):
    """Who waits for what a page loads."""

    __slots__ = ("_has_stopped", "_patience")

    def __init__(self, requester: Requester, lane: str, patience: Patience) -> None:
        super().__init__(requester, lane)
        self._patience = patience
        self._has_stopped = False
        self.stop_clock = self._stop_clock
        self.start_clock = self._start_clock

    def _stop_clock(self, waits_for: str) -> None:
        self._has_stopped = self._patience.begin(waits_for)

    def _start_clock(self, waited_for: str) -> None:
        if self._has_stopped:
            self._patience.end(waited_for)


class ResourceFetch(AttemptFetch):
    """Of what a page loads. It never postpones its target, and whether it is found says nothing
    about the target or its egress: the page's own answer stays the last one.
    """

    __slots__ = ("_egress", "_egresses", "_patience")

    def __init__(
        self,
        access: AttemptAccess,
        egress: Egress,
        egresses: AttemptEgresses | None,
        patience: Patience,
    ) -> None:
        super().__init__(access, RESOURCE_SECONDS)
        self._egress = egress
        self._egresses = egresses
        self._patience = patience
        self.failed = access.note_failure

    def _bystander(self, lane: str) -> Requester:
        return _Resource(self._access.requester, lane, self._patience)

    def _sent(self) -> None:
        self._access.await_resource()

    def answered(
        self,
        url: str,
        status: int,
        retry_after_seconds: float | None,
        seconds: float,
        *,
        cools_lane: bool = True,
    ) -> None:
        if self._egresses is not None and status in GO_AWAY:
            cools_lane = self._egresses.is_lane_blocked(self._egress, url, retry_after_seconds)
        self._access.heed(url, status, retry_after_seconds, seconds, cools_lane=cools_lane)
