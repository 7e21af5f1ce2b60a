"""The policy of a fetch through an egress that a source has given."""

from collections.abc import Awaitable
from typing import Protocol

from swather.errors import FetchError
from swather.net.egress import Egress
from swather.net.fetch_policy import FetchPolicy
from swather.net.request import Origin
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
    """As its lane says; in addition, the source of the egress is told what came of it."""

    __slots__ = ("_egress", "_lane_fetch", "_passage", "end", "may_reach", "refusal")

    def __init__(self, lane_fetch: LaneFetch, passage: Passage, egress: Egress) -> None:
        self._lane_fetch = lane_fetch
        self._passage = passage
        self._egress = egress
        self.may_reach = lane_fetch.may_reach
        self.refusal = lane_fetch.refusal
        self.end = lane_fetch.end

    def admit(self, url: str, origin: Origin, egress: Egress) -> Awaitable[None] | None:
        return self._lane_fetch.admit(url, origin, egress)

    def answered(
        self, url: str, status: int, retry_after_seconds: float | None, seconds: float
    ) -> None:
        cools_lane = self._passage.answered(self._egress, url, status, retry_after_seconds, seconds)
        self._lane_fetch.answered(url, status, retry_after_seconds, seconds, cools_lane=cools_lane)

    def failed(self, url: str, error: FetchError, seconds: float) -> None:
        self._passage.failed(self._egress, url, error, seconds)
        self._lane_fetch.failed(url, error, seconds)
