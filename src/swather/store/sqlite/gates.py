"""The gates of a claim: what it may start on a lane or for a scraper, and the new pace."""

from typing import Any

from swather.model.pacing import Limits, Pace, strictest
from swather.store.gate import BaseGate
from swather.store.sqlite.connection import Connection
from swather.store.sqlite.statements import queries


class Gate(BaseGate):
    """One paced row during one claim. The row's `tat` is on the monotonic clock, which nobody sets;
    everything here is on the wall clock, which is ahead of it by `ahead_seconds`.
    """

    def __init__(
        self,
        lane_id: int,
        limits: Limits,
        pace: Pace,
        now: float,
        wanted: int,
        ahead_seconds: float = 0.0,
    ) -> None:
        super().__init__(lane_id, limits, pace, now, wanted)
        self._ahead_seconds = ahead_seconds

    def take(self, count: int) -> None:
        self.left -= count
        self.passed += count

    def save(self, connection: Connection) -> None:
        if self.needs_saving:
            tat = self.after().due_at - self._ahead_seconds
            connection.execute(queries.save_pace, (tat, self.lane_id))


class Probe(Gate):
    """An open breaker: one task at a time, and one per interval."""

    def __init__(
        self, lane_id: int, scraper_id: int, limits: Limits, pace: Pace, now: float
    ) -> None:
        super().__init__(lane_id, limits, pace, now, 1)
        self._scraper_id = scraper_id

    def save(self, connection: Connection) -> None:
        if self.needs_saving:
            connection.execute(
                queries.save_probe,
                {
                    "lane_id": self.lane_id,
                    "scraper_id": self._scraper_id,
                    "probe_at": self.after().due_at,
                },
            )


def probe_gate(connection: Connection, lane_id: int, scraper_id: int, now: float) -> Probe | None:
    """The gate of a scraper on a lane where some breaker is open; None when it is not this one."""
    this = {"lane_id": lane_id, "scraper_id": scraper_id}
    row = connection.row(queries.probe, this)
    if row is None:
        return None
    if lane_id:
        in_flight = connection.value(queries.probes_in_flight, this)
    else:
        in_flight = connection.value(queries.probes_without_lane, {"scraper_id": scraper_id})
    pace = Pace(row[0], in_flight=in_flight)
    return Probe(lane_id, scraper_id, Limits(row[1], 1, 1), pace, now)


def lane_gate(
    connection: Connection,
    lane_id: int,
    row: tuple[Any, ...],
    of_runs: Limits,
    now: float,
    wanted: int,
) -> Gate | None:
    """The gate of a lane row (limited, every, burst, in_flight, tat, paused, cool_until) under the
    limits of the runs on it; None when nothing limits it.
    """
    if not row[0] and of_runs.are_none:
        return None
    limits = strictest(Limits(row[1], row[2], row[3]), of_runs)
    in_flight = 0
    if limits.in_flight is not None:
        in_flight = connection.value(queries.lane_in_flight, (lane_id,))
    return _gate(connection, lane_id, limits, row, in_flight, now, wanted)


def scraper_gate(
    connection: Connection, lane_id: int, row: tuple[Any, ...], now: float, wanted: int
) -> Gate | None:
    if not row[0]:
        return None
    limits = Limits(row[1], row[2], row[3])
    in_flight = 0
    if limits.in_flight is not None:
        in_flight = connection.value(queries.scraper_in_flight, (lane_id,))
    return _gate(connection, lane_id, limits, row, in_flight, now, wanted)


def _gate(
    connection: Connection,
    lane_id: int,
    limits: Limits,
    row: tuple[Any, ...],
    in_flight: int,
    now: float,
    wanted: int,
) -> Gate:
    # In this order: a change between the two readings can only make the lane seem busier.
    monotonic = connection.clock.monotonic()
    ahead = connection.clock.wall() - monotonic
    pace = Pace(row[4] + ahead, bool(row[5]), row[6], in_flight)
    return Gate(lane_id, limits, pace, now, wanted, ahead)
