"""The verbs of work in hand: claim, finish, checkpoint and permits; and hints of new work."""

from collections.abc import Collection, Mapping, Sequence
from types import MappingProxyType
from typing import Any, NamedTuple, Protocol

from swather.model.lease import Claimed, ClaimRequest, Permits
from swather.model.outcome import File, Item, Memory, Outcome, Standing, Verdict
from swather.model.pacing import Limits
from swather.model.source import SourceNote
from swather.model.task import Target

Fence = tuple[int, int]


class Finished(NamedTuple):
    """One verdict per outcome, in their order, and the next claim if one was asked for; None when
    the outcomes are committed but the claim is still to be made.
    """

    verdicts: list[Verdict]
    claimed: Claimed | None


class Queue(Protocol):
    def claim(self, request: ClaimRequest) -> Claimed: ...

    def finish(self, outcomes: Sequence[Outcome], claim: ClaimRequest | None = None) -> Finished:
        """Commit outcomes with their items, children, files, memories, notes on sources, counters
        and events, and make the next claim, in one transaction.
        """
        ...

    def progress(self, fence: Fence, progress: Any) -> Verdict: ...

    def checkpoint(
        self,
        fence: Fence,
        *,
        part: int,
        cursor: Any,
        items: Sequence[Item] = (),
        children: Sequence[Target] = (),
        files: Sequence[File] = (),
        memories: Sequence[Memory] = (),
        sources: Sequence[SourceNote] = (),
        rejected: Mapping[str, int] = MappingProxyType({}),
    ) -> Verdict:
        """Commit part number `part` and the cursor; the next part is `part` + 1."""
        ...

    def permits(
        self,
        fence: Fence,
        lane: str,
        count: int = 1,
        *,
        in_flight: int | None = None,
        gives_up: bool = False,
        ahead_seconds: float = 0.0,
        limits: Limits | None = None,
    ) -> Permits:
        """Permits for further requests on `lane`, at its pace; a stale fence gets none.

        A lease covers one request in flight on its own lane. Others need `in_flight`: how many of
        them its worker has in flight on `lane` now. Granted permits are added to that number until
        `set_in_flight` or the next call says otherwise. With `gives_up`, a task that finds the lane
        full no longer counts as in flight on its own lane: two tasks that wait for each other's
        lane would wait forever. If only the pace holds it back, one request may be granted that
        starts within `ahead_seconds`: a caller that asks only when it is due may lose to claims
        every time.

        With `limits`, their rate applies beside that of the lane itself, and neither the limits of
        runs nor of the scraper do: for a lane that only this task's requests through one egress
        make, while its own lane is charged by itself.
        """
        ...

    def set_in_flight(self, worker_id: int, lane: str, n: int) -> None:
        """How many requests the worker has in flight on the lane, besides those that its leases
        cover.
        """
        ...

    def standing(self, fences: Collection[Fence]) -> dict[Fence, Standing]:
        """Read back whether finishes with an uncertain commit were committed."""
        ...


class Hints(Protocol):
    """Wake-ups between processes. A hint may be lost: waiters must also poll."""

    def send(self) -> None: ...
    def wait(self, timeout_seconds: float) -> bool:
        """True when a hint came since the last wait."""
        ...
