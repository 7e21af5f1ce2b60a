"""A lane's pace when something it depends on has changed, inside a transaction."""

from collections.abc import Callable
from functools import partial
from typing import Final

from swather.model.pacing import Limits, full_debt, strictest
from swather.store.sqlite.connection import Connection
from swather.store.sqlite.gates import LimitingRuns
from swather.store.sqlite.statements import queries

# Heads that sleep for less wake soon enough by themselves.
WORTH_WAKING_SECONDS: Final = 1.0


def repace(connection: Connection, lane_id: int, change: Callable[[], None]) -> float:
    """Change a lane and apply its new pace; returns its interval. Heads that wait for a slower one
    are woken.
    """
    this = {"lane_id": lane_id}
    before: float = connection.value(queries.get_interval, this)
    change()
    after: float = connection.value(queries.pace_lane, this)
    if after < before and before >= WORTH_WAKING_SECONDS:
        hurry(connection, lane_id)
        connection.execute(queries.wake_lane, this)
    return after


def hurry(connection: Connection, lane_id: int) -> None:
    """Cap `due_at` at what the limits in force can explain."""
    row = connection.row(queries.get_pace, (lane_id,))
    assert row is not None
    every, burst, is_public, overrides, set_every = row
    of_runs = LimitingRuns(connection).on(lane_id, is_public)
    if overrides:
        of_runs = of_runs.overridden_by(Limits(set_every))
    limits = strictest(Limits(every, burst), of_runs)
    connection.execute(
        queries.hurry_lane, (connection.clock.monotonic() + full_debt(limits), lane_id)
    )


def forget_paces(connection: Connection, older_than_seconds: float) -> None:
    """Forget learned paces that were not renewed."""
    before = connection.clock.wall() - older_than_seconds
    stale = connection.rows(queries.stale_paces, (before,))
    for (number,) in stale:
        this = {"lane_id": number}
        repace(connection, number, partial(connection.execute, queries.forget_pace, this))
