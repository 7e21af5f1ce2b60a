"""What a claim may start on a lane or for a scraper, and what the lane remembers of it."""

from typing import Any

from swather.model.pacing import Limits, Pace, allowance, opens_at, started, strictest
from swather.store.sqlite.connection import Connection


class Gate:
    """One paced row during one claim: how many more may pass, how many did."""

    def __init__(self, lane_id: int, limits: Limits, pace: Pace, now: float, wanted: int) -> None:
        self.lane_id = lane_id
        self.limits = limits
        self.pace = pace
        self.now = now
        self.left = allowance(limits, pace, now, wanted)
        self.passed = 0

    def take(self, count: int) -> None:
        self.left -= count
        self.passed += count

    def after(self) -> Pace:
        return Pace(
            started(self.limits, self.pace, self.now, self.passed),
            self.pace.paused,
            self.pace.cool_until,
            self.pace.in_flight + self.passed,
        )

    def opens_at(self) -> float:
        return opens_at(self.limits, self.after(), self.now)

    def asleep(self) -> str:
        """Why nothing more may pass now."""
        after = self.after()
        if after.paused:
            return "paused"
        if self.limits.in_flight is not None and after.in_flight >= self.limits.in_flight:
            return "full"
        return "paced"

    def save(self, connection: Connection) -> None:
        if self.passed and self.limits.every_seconds:
            connection.execute(
                "UPDATE lanes SET tat = ? WHERE id = ?", (self.after().due_at, self.lane_id)
            )


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
