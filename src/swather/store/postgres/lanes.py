"""Lanes and scrapers: limits, pauses, cool-downs, strikes, learned paces."""

from collections.abc import Callable
from random import Random
from typing import Any, Final

from swather.model.lane import Lane, PacedKind, free_lane
from swather.model.pacing import AutoPace, CoolDownCurve, Limits, struck
from swather.model.task import check_name
from swather.store.checks import (
    MAX_SECONDS,
    check_limit,
    check_paced,
    check_retry_after,
    check_seconds,
)
from swather.store.postgres.connection import Connection
from swather.store.postgres.names import lane_id
from swather.store.postgres.repace import hurry, locked_lane, put_in_force
from swather.store.postgres.settings import PostgresSettings
from swather.store.postgres.statements import queries

# Times that differ by less are equal.
_SAME_SECONDS: Final = 0.001


class PostgresLanes:
    """See swather.store.ports.Lanes."""

    def __init__(self, connection: Connection, settings: PostgresSettings) -> None:
        self._connection = connection
        self._settings = settings
        self._random = Random()

    def get(self, name: str, kind: PacedKind = PacedKind.LANE) -> Lane:
        check_name(str(kind), name)
        row = self._connection.row(queries.get_lane, {"kind": str(kind), "name": name}, hot=True)
        return free_lane(name, kind) if row is None else _lane_of(row)

    def find(self, *, limit: int = 100) -> list[Lane]:
        rows = self._connection.rows(queries.list_lanes, {"limit": check_limit(limit)}, hot=True)
        return [_lane_of(row) for row in rows]

    def names(self, kind: PacedKind = PacedKind.LANE, *, limit: int = 10_000) -> list[str]:
        this = {"kind": str(kind), "limit": check_limit(limit)}
        return [name for (name,) in self._connection.rows(queries.lane_names, this)]

    def is_known(self, name: str, kind: PacedKind = PacedKind.LANE) -> bool:
        this = {"kind": str(kind), "name": check_name(str(kind), name)}
        return self._connection.row(queries.find_lane, this) is not None

    def limit(
        self,
        name: str,
        limits: Limits,
        kind: PacedKind = PacedKind.LANE,
        *,
        overrides: bool = False,
    ) -> None:
        check_paced(name, kind)
        number = lane_id(self._connection, name, str(kind))
        this = {
            "lane_id": number,
            "every_seconds": limits.every_seconds,
            "burst": limits.burst,
            "in_flight": limits.in_flight,
            "overrides": overrides,
        }

        def change() -> None:
            before = locked_lane(self._connection, number)
            self._connection.execute(queries.limit_lane, this)
            put_in_force(self._connection, number, before)
            if overrides:
                # What it waited for was the pace of a run.
                hurry(self._connection, number)

        self._transact(number, change)

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

    def clear(self, name: str, kind: PacedKind = PacedKind.LANE) -> None:
        check_paced(name, kind)
        number = lane_id(self._connection, name, str(kind))
        if kind is PacedKind.SCRAPER:
            # One by one, so that no two lanes are locked at a time.
            this = {"scraper_id": number}
            for (lane,) in self._connection.rows(queries.lanes_of_breakers, this):
                self._close_breakers(lane, queries.close_breaker, scraper_id=number)
        else:
            self._close_breakers(number, queries.close_breakers_of_lane)
        self._update(number, queries.clear_lane)

    def strike(
        self, name: str, *, retry_after_seconds: float | None, reason: str, curve: CoolDownCurve
    ) -> float:
        check_paced(name)
        check_name("reason", reason)
        asked = check_retry_after(retry_after_seconds)
        number = lane_id(self._connection, name)

        def work() -> float:
            lane = locked_lane(self._connection, number)
            known = lane.strikes, lane.cool_until, lane.forgiven_at
            found = struck(curve, known, lane.now, asked, self._random)
            until = lane.now + found.seconds
            if lane.cool_until is None or until > lane.cool_until + _SAME_SECONDS:
                this = {
                    "lane_id": number,
                    "strikes": found.strikes,
                    "until": until,
                    "reason": reason,
                    "forgiven_at": until + min(curve.forgive_seconds, MAX_SECONDS),
                }
                self._connection.execute(queries.strike_lane, this)
                self._settings.bump_control_version()
            return found.seconds

        return self._connection.transact(work)

    def adapt(self, name: str, *, latency_seconds: float, failed: bool, policy: AutoPace) -> float:
        check_paced(name)
        check_seconds("latency_seconds", latency_seconds)
        number = lane_id(self._connection, name)

        def work() -> float:
            lane = locked_lane(self._connection, number)
            every = policy.next_every(lane.learned_every_seconds, latency_seconds, failed)
            self._connection.execute(
                queries.learn_lane, {"lane_id": number, "every_seconds": every}, hot=True
            )
            after = put_in_force(self._connection, number, lane)
            if after and not lane.every_seconds:
                # Workers may believe that the lane is free.
                self._settings.bump_control_version()
            return after

        return self._connection.transact(work)

    def set_crawl_delay(self, name: str, seconds: float | None) -> None:
        check_paced(name)
        if seconds is not None:
            check_seconds("a crawl delay", seconds)
        if self.get(name).crawl_delay_seconds != seconds:
            number = lane_id(self._connection, name)
            self._update(number, queries.set_crawl_delay, seconds=seconds)

    def _change(self, name: str, kind: PacedKind, sql: str, **values: Any) -> None:
        check_paced(name, kind)
        self._update(lane_id(self._connection, name, str(kind)), sql, **values)

    def _update(self, number: int, sql: str, **values: Any) -> None:
        def change() -> None:
            before = locked_lane(self._connection, number)
            self._connection.execute(sql, {"lane_id": number, **values})
            put_in_force(self._connection, number, before)

        self._transact(number, change)

    def _close_breakers(self, number: int, sql: str, **values: Any) -> None:
        def change() -> None:
            locked_lane(self._connection, number)
            self._connection.execute(sql, {"lane_id": number, **values})
            self._connection.execute(queries.untrip_lane, {"lane_id": number})

        self._transact(number, change)

    def _transact(self, number: int, change: Callable[[], None]) -> None:
        def work() -> None:
            change()
            # Whatever put its heads to sleep may no longer hold. Claims that put them to sleep have
            # the lane locked, so that this statement sees them all.
            self._connection.execute(queries.wake_lane, {"lane_id": number})
            self._settings.bump_control_version()

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
        strikes=row[9],
        learned_every_seconds=row[10],
        crawl_delay_seconds=row[11],
        run_limits=Limits(*row[12:15]),
        slowest_run=row[15],
        overrides=row[16],
        limiting_runs=row[17],
    )
