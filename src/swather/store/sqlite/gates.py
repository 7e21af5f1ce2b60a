"""What a claim may start on a lane or for a scraper, and what the lane remembers of it."""

from typing import Any

from swather.model.pacing import Limits, Pace, strictest
from swather.store.gate import BaseGate
from swather.store.sqlite.connection import Connection
from swather.store.sqlite.settings import queries


class Gate(BaseGate):
    """One paced row during one claim."""

    def take(self, count: int) -> None:
        self.left -= count
        self.passed += count

    def save(self, connection: Connection) -> None:
        if self.passed and self.limits.every_seconds:
            connection.execute(
                "UPDATE lanes SET tat = ? WHERE id = ?", (self.after().due_at, self.lane_id)
            )


class Probe(Gate):
    """An open breaker: one at a time, and one in an interval."""

    def __init__(
        self, lane_id: int, scraper_id: int, limits: Limits, pace: Pace, now: float
    ) -> None:
        super().__init__(lane_id, limits, pace, now, 1)
        self._scraper_id = scraper_id

    def save(self, connection: Connection) -> None:
        if self.passed:
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
    connection: Connection, lane_id: int, row: tuple[Any, ...], own: Limits, now: float, wanted: int
) -> Gate | None:
    """The gate of a lane row (limited, every, burst, in_flight, tat, paused, cool_until) under a
    run's own limits for its lanes; None when nothing limits it.
    """
    if not row[0] and own.are_none:
        return None
    limits = strictest(Limits(row[1], row[2], row[3]), own)
    in_flight = 0
    if limits.in_flight is not None:
        # The second condition lets SQLite see that the partial index will do.
        in_flight = connection.value(
            "SELECT count(*) FROM leases WHERE lane_id = ? AND lane_id <> 0", (lane_id,)
        )
    return Gate(lane_id, limits, Pace(row[4], bool(row[5]), row[6], in_flight), now, wanted)


def scraper_gate(
    connection: Connection, lane_id: int, row: tuple[Any, ...], now: float, wanted: int
) -> Gate | None:
    if not row[0]:
        return None
    limits = Limits(row[1], row[2], row[3])
    in_flight = 0
    if limits.in_flight is not None:
        in_flight = connection.value(
            "SELECT count(*) FROM leases WHERE run_id IN "
            "(SELECT id FROM runs WHERE scraper_lane_id = ?)",
            (lane_id,),
        )
    return Gate(lane_id, limits, Pace(row[4], bool(row[5]), row[6], in_flight), now, wanted)
