"""A lane's pace when something it depends on has changed."""

from functools import partial
from typing import Final, NamedTuple

from swather.model.pacing import Limits, full_debt, strictest
from swather.store.postgres.connection import Connection
from swather.store.postgres.statements import queries

# Heads that sleep for less wake soon enough by themselves.
WORTH_WAKING_SECONDS: Final = 1.0


class LockedLane(NamedTuple):
    """A row of queries.lock_lane."""

    every_seconds: float
    learned_every_seconds: float | None
    crawl_delay_seconds: float | None
    strikes: int
    cool_until: float | None
    forgiven_at: float | None
    now: float


def locked_lane(connection: Connection, lane_id: int) -> LockedLane:
    """Lock a lane inside a transaction: claims and changes wait for each other."""
    return LockedLane(*connection.rows(queries.lock_lane, {"lane_id": lane_id}, hot=True)[0])


def put_in_force(connection: Connection, lane_id: int, before: LockedLane) -> float:
    """After a change of a locked lane; returns its interval. Heads that wait for a slower one are
    woken.
    """
    this = {"lane_id": lane_id}
    after: float = connection.value(queries.pace_lane, this, hot=True)
    if after < before.every_seconds and before.every_seconds >= WORTH_WAKING_SECONDS:
        hurry(connection, lane_id)
        connection.execute(queries.wake_lane, this)
    return after


def hurry(connection: Connection, lane_id: int) -> None:
    """Cap `due_at` at what the limits in force can explain."""
    this = {"lane_id": lane_id}
    lane = connection.rows(queries.get_pace, this)
    of_runs = connection.rows(queries.limits_of_runs, this)
    limits = strictest(Limits(*lane[0]), Limits(*of_runs[0]))
    connection.execute(queries.hurry_lane, {**this, "seconds": full_debt(limits)})


def forget_paces(connection: Connection, older_than_seconds: float) -> None:
    """Forget learned paces that were not renewed, a transaction each."""
    age = {"seconds": older_than_seconds}

    def forget(lane_id: int) -> None:
        lane = locked_lane(connection, lane_id)
        connection.execute(queries.forget_pace, {**age, "lane_id": lane_id})
        put_in_force(connection, lane_id, lane)

    for (number,) in connection.rows(queries.stale_paces, age):
        connection.transact(partial(forget, number))
