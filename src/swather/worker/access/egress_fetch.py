"""The policy of a fetch through an egress that a source has given."""

from collections.abc import Awaitable, Coroutine
from typing import Any, Protocol

from swather.errors import FetchError
from swather.net.egress import Egress
from swather.net.fetch_policy import FetchPolicy
from swather.net.request import Origin
from swather.worker.access.egress_source import EgressLost
from swather.worker.access.passage import Passage


class LaneFetch(FetchPolicy, Protocol):
    """The policy of the same fetch as far as its lane is concerned; see AttemptFetch."""

    def answered(
        self,
        url: str,
        status: int,
        retry_after_seconds: float | None,
        seconds: float,
        *,
        cools_lane: bool = True,
    ) -> None: ...


class EgressFetch:
    """As its lane says, and at the pace of its egress, whose source is told what came of it.

    With `may_change`, a request that had to wait until its egress was out of use is not sent:
    EgressLost.
    """

    __slots__ = (
        "_egress",
        "_lane_fetch",
        "_max_wait",
        "_may_change",
        "_passage",
        "end",
        "may_reach",
        "refusal",
    )

    def __init__(
        self,
        lane_fetch: LaneFetch,
        passage: Passage,
        egress: Egress,
        max_wait: float | None = None,
        *,
        may_change: bool = False,
    ) -> None:
        self._max_wait = max_wait
        self._may_change = may_change
        self._lane_fetch = lane_fetch
        self._passage = passage
        self._egress = egress
        self.may_reach = lane_fetch.may_reach
        self.refusal = lane_fetch.refusal
        self.end = lane_fetch.end

    def admit(self, url: str, origin: Origin, egress: Egress) -> Awaitable[None] | None:
        turn = self._lane_fetch.admit(url, origin, egress)
        lane = self._passage.lane_of_url(url)
        pace = self._passage.pace(lane, egress, self._max_wait)
        # After the first hop, the request has been sent.
        may_change, self._may_change = self._may_change, False
        if turn is None and pace is None:
            return None
        return self._wait(turn, pace, lane if may_change else None)

    async def _wait(
        self, turn: Awaitable[None] | None, pace: Coroutine[Any, Any, None] | None, lane: str | None
    ) -> None:
        try:
            if turn is not None:
                await turn
        except BaseException:
            if pace is not None:
                pace.close()
            raise
        if pace is not None:
            await pace
        if lane is not None and not self._passage.source.may_use(self._egress, lane):
            raise EgressLost

    def answered(
        self, url: str, status: int, retry_after_seconds: float | None, seconds: float
    ) -> None:
        cools_lane = self._passage.answered(self._egress, url, status, retry_after_seconds, seconds)
        self._lane_fetch.answered(url, status, retry_after_seconds, seconds, cools_lane=cools_lane)

    def failed(self, url: str, error: FetchError, seconds: float) -> None:
        self._passage.failed(self._egress, url, error, seconds)
        self._lane_fetch.failed(url, error, seconds)
