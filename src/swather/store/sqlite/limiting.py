"""The limits of all runs on a lane. No twin: PostgreSQL has them in SQL."""

from typing import Any

from swather.model.pacing import NO_LIMITS, Limits, strictest
from swather.store.sqlite.connection import Connection
from swather.store.sqlite.statements import queries


class LimitingRuns:
    """The runs with lane limits that have workers, as one transaction sees them."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._runs: list[tuple[Any, ...]] | None = None
        self._known: dict[int, Limits] = {}

    def on(self, lane_id: int, is_public: bool | None, run_id: int = 0) -> Limits:
        """The strictest limits of the runs on the lane; `run_id` is one of them."""
        if not lane_id or not self._all():
            return NO_LIMITS
        limits = self._known.get(lane_id)
        if limits is None:
            found = self._on(lane_id, is_public, run_id)
            limits = self._known[lane_id] = strictest(*(limits for limits, _ in found))
        return limits

    def slowest_on(self, lane_id: int, is_public: bool | None) -> str:
        """The run with the longest interval there, "" if none has one."""
        found = [(limits.every_seconds, name) for limits, name in self._on(lane_id, is_public)]
        return max((one for one in found if one[0]), default=(0.0, ""))[1]

    def _on(
        self, lane_id: int, is_public: bool | None, run_id: int = 0
    ) -> list[tuple[Limits, str]]:
        return [
            (Limits(0.0 if is_default and not is_public else every, burst, in_flight), name)
            for number, every, burst, in_flight, is_default, name in self._all()
            if number == run_id or self._is_there(number, lane_id)
        ]

    def _all(self) -> list[tuple[Any, ...]]:
        if self._runs is None:
            self._runs = self._connection.rows(queries.limiting_runs)
        return self._runs

    def _is_there(self, run_id: int, lane_id: int) -> bool:
        return bool(self._connection.row(queries.is_on_lane, (lane_id, run_id)))
