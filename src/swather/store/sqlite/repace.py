"""A lane's pace when something it depends on has changed, inside a transaction."""

from collections.abc import Callable
from functools import partial
from typing import Final

from swather.store.sqlite.connection import Connection
from swather.store.sqlite.settings import queries

# What sleeps for less wakes soon enough by itself.
WORTH_WAKING_SECONDS: Final = 1.0


def repace(connection: Connection, lane_id: int, change: Callable[[], None]) -> float:
    """Change a lane and put its pace in force: its interval now. Whoever waits for a slower one is
    woken.
    """
    this = {"lane_id": lane_id}
    before: float = connection.value("SELECT every_seconds FROM lanes WHERE id = :lane_id", this)
    change()
    after: float = connection.value(queries.pace_lane, this)
    if after < before and before >= WORTH_WAKING_SECONDS:
        connection.execute(queries.hurry_lane, {**this, "now": connection.clock.wall()})
        connection.execute(queries.wake_lane, this)
    return after


def forget_paces(connection: Connection, older_than_seconds: float) -> None:
    """Learned paces that nobody has renewed."""
    before = connection.clock.wall() - older_than_seconds
    stale = connection.rows(
        "SELECT id FROM lanes WHERE learned_at IS NOT NULL AND learned_at < ?", (before,)
    )
    for (number,) in stale:
        this = {"lane_id": number}
        repace(connection, number, partial(connection.execute, queries.forget_pace, this))
