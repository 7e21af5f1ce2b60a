"""Lanes and scrapers: limits, pauses, cool-downs."""

from typing import Any

from swather.errors import InputError
from swather.model.lane import Lane, PacedKind, free_lane
from swather.model.pacing import Limits
from swather.model.task import check_name
from swather.store.checks import check_seconds
from swather.store.postgres.connection import Connection
from swather.store.postgres.names import lane_id
from swather.store.postgres.settings import PostgresSettings, queries


class PostgresLanes:
    """See swather.store.ports.Lanes."""

    def __init__(self, connection: Connection, settings: PostgresSettings) -> None:
        self._connection = connection
        self._settings = settings

    def get(self, name: str, kind: PacedKind = PacedKind.LANE) -> Lane:
        row = self._connection.row(queries.get_lane, {"kind": str(kind), "name": name})
        return free_lane(name, kind) if row is None else _lane_of(row)

    def find(self, *, limit: int = 100) -> list[Lane]:
        rows = self._connection.rows(queries.list_lanes, {"limit": limit})
        return [_lane_of(row) for row in rows]

    def limit(self, name: str, limits: Limits, kind: PacedKind = PacedKind.LANE) -> None:
        self._change(
            name,
            kind,
            queries.limit_lane,
            every_seconds=limits.every_seconds,
            burst=limits.burst,
            in_flight=limits.in_flight,
        )

    def pause(self, name: str, kind: PacedKind = PacedKind.LANE) -> None:
        self._change(name, kind, queries.pause_lane)

    def unpause(self, name: str, kind: PacedKind = PacedKind.LANE) -> None:
        self._change(name, kind, queries.unpause_lane)

    def cool(
        self, name: str, seconds: float, reason: str = "", kind: PacedKind = PacedKind.LANE
    ) -> None:
        check_name("reason", reason)
        check_seconds("a cool-down", seconds)
        self._change(name, kind, queries.cool_lane, seconds=seconds, reason=reason)

    def _change(self, name: str, kind: PacedKind, sql: str, **values: Any) -> None:
        if not name:
            raise InputError(f"a {kind} needs a name; targets without a lane cannot be limited")
        check_name(str(kind), name)
        this = {"lane_id": lane_id(self._connection, name, str(kind)), **values}

        def work() -> None:
            self._connection.execute(sql, this)
            # Whatever put its heads to sleep may no longer hold. Claims that put them to sleep have
            # the lane locked, so that this statement sees them all.
            self._connection.execute(queries.wake_lane, this)
            self._settings.changed()

        self._connection.transact(work)


def _lane_of(row: tuple[Any, ...]) -> Lane:
    return Lane(
        kind=PacedKind(row[0]),
        name=row[1],
        limits=Limits(row[2], row[3], row[4]),
        paused=row[5],
        cool_until=row[6],
        cool_reason=row[7],
        in_flight=row[8],
    )
