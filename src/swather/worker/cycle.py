"""One transaction on its way: outcomes, a claim, or both."""

from collections.abc import Callable
from concurrent.futures import Future

from swather.model.lease import Claimed, ClaimRequest
from swather.model.outcome import Outcome, Verdict
from swather.store.writer import Writer
from swather.worker.held import Held


class Cycle:
    """`wanted` 0: nothing is claimed. `on_over` is called when both are done, maybe twice, and on
    whichever thread that happens.
    """

    __slots__ = ("_held", "_on_over", "claim", "finish", "outcomes", "wanted")

    def __init__(
        self, outcomes: list[Outcome], wanted: int, held: Held, on_over: Callable[["Cycle"], None]
    ) -> None:
        self.outcomes = outcomes
        self.wanted = wanted
        self.finish: Future[list[Verdict]] | None = None
        self.claim: Future[Claimed] | None = None
        self._held = held
        self._on_over = on_over

    def hand_over(self, writer: Writer, request: Callable[[int], ClaimRequest]) -> None:
        """Both at once, so that they share a transaction."""
        if self.outcomes:
            self.finish = writer.finish(self.outcomes)
        if self.wanted:
            self.claim = writer.claim(request(self.wanted))
            self.claim.add_done_callback(self._claim_is_done)
        if self.finish is not None:
            self.finish.add_done_callback(self._tell_if_over)

    def _claim_is_done(self, claim: Future[Claimed]) -> None:
        # On the writer's thread: a beat must know of these leases even if the loop is stuck.
        failed = claim.cancelled() or claim.exception() is not None
        self._held.end_claim([] if failed else [lease.fence for lease in claim.result().leases])
        self._tell_if_over(claim)

    def _tell_if_over(self, _: Future[Claimed] | Future[list[Verdict]]) -> None:
        if (self.finish is None or self.finish.done()) and (
            self.claim is None or self.claim.done()
        ):
            self._on_over(self)
