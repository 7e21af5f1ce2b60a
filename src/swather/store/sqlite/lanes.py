"""Lanes and scrapers: limits, pauses, cool-downs, strikes, learned paces."""

from collections.abc import Iterable
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
from swather.store.clock import at_or_none
from swather.store.sqlite.connection import Connection
from swather.store.sqlite.gates import LimitingRuns
from swather.store.sqlite.names import lane_id
from swather.store.sqlite.repace import hurry, repace
from swather.store.sqlite.settings import SQLiteSettings
from swather.store.sqlite.statements import queries

# Times that differ by less are equal.
_SAME_SECONDS: Final = 0.001


class SQLiteLanes:
    """See swather.store.ports.Lanes."""

    def __init__(self, connection: Connection, settings: SQLiteSettings) -> None:
        self._connection = connection
        self._settings = settings
        self._random = Random()

    def get(self, name: str, kind: PacedKind = PacedKind.LANE) -> Lane:
        check_name(str(kind), name)
        this = {"kind": str(kind), "name": name, "now": self._connection.clock.wall()}
        with self._connection.reading():
            row = self._connection.row(queries.get_lane, this)
            if row is None:
                return free_lane(name, kind)
            return _lane_of(row, LimitingRuns(self._connection))

    def find(self, *, limit: int = 100) -> list[Lane]:
        this = {"limit": check_limit(limit), "now": self._connection.clock.wall()}
        with self._connection.reading():
            limiting = LimitingRuns(self._connection)
            rows = self._connection.rows(queries.list_lanes, this)
            return [_lane_of(row, limiting) for row in rows]

    def names(self, kind: PacedKind = PacedKind.LANE, *, limit: int = 10_000) -> list[str]:
        this = {"kind": str(kind), "limit": check_limit(limit)}
        with self._connection.reading():
            return [name for (name,) in self._connection.rows(queries.lane_names, this)]

    def is_known(self, name: str, kind: PacedKind = PacedKind.LANE) -> bool:
        check_name(str(kind), name)
        with self._connection.reading():
            return self._connection.row(queries.find_lane, (str(kind), name)) is not None

    def limit(
        self,
        name: str,
        limits: Limits,
        kind: PacedKind = PacedKind.LANE,
        *,
        overrides: bool = False,
    ) -> None:
        check_paced(name, kind)
        with self._connection.transaction():
            number = lane_id(self._connection, name, str(kind))
            self._update(
                number,
                queries.limit_lane,
                every_seconds=limits.every_seconds,
                burst=limits.burst,
                in_flight=limits.in_flight,
                overrides=overrides,
            )
            if overrides:
                # What it waited for was the pace of a run.
                hurry(self._connection, number)

    def pause(self, name: str, kind: PacedKind = PacedKind.LANE) -> None:
        self._change(name, kind, queries.pause_lane)

    def unpause(self, name: str, kind: PacedKind = PacedKind.LANE) -> None:
        self._change(name, kind, queries.unpause_lane)

    def cool(
        self, name: str, seconds: float, reason: str = "", kind: PacedKind = PacedKind.LANE
    ) -> None:
        check_name("reason", reason)
        check_seconds("a cool-down", seconds)
        until = self._connection.clock.wall() + seconds
        self._change(name, kind, queries.cool_lane, until=until, reason=reason)

    def clear(self, name: str, kind: PacedKind = PacedKind.LANE) -> None:
        check_paced(name, kind)
        with self._connection.transaction():
            number = lane_id(self._connection, name, str(kind))
            self._update(number, queries.clear_lane)
            if kind is PacedKind.LANE:
                self._connection.execute(queries.close_breakers_of_lane, {"lane_id": number})
                self._untrip([number])
            else:
                closed = self._connection.rows(
                    queries.close_breakers_of_scraper, {"scraper_id": number}
                )
                self._untrip(row[0] for row in closed)

    def strike(
        self, name: str, *, retry_after_seconds: float | None, reason: str, curve: CoolDownCurve
    ) -> float:
        check_paced(name)
        asked = check_retry_after(retry_after_seconds)
        with self._connection.transaction():
            number = lane_id(self._connection, name)
            now = self._connection.clock.wall()
            strikes, cool_until, forgiven_at = self._row(queries.get_strikes, number)
            found = struck(curve, (strikes, cool_until, forgiven_at), now, asked, self._random)
            until = now + found.seconds
            if cool_until is None or until > cool_until + _SAME_SECONDS:
                this = {
                    "lane_id": number,
                    "strikes": found.strikes,
                    "until": until,
                    "reason": check_name("reason", reason),
                    "forgiven_at": until + min(curve.forgive_seconds, MAX_SECONDS),
                }
                self._connection.execute(queries.strike_lane, this)
                self._settings.bump_control_version()
            return found.seconds

    def adapt(self, name: str, *, latency_seconds: float, failed: bool, policy: AutoPace) -> float:
        check_paced(name)
        check_seconds("latency_seconds", latency_seconds)
        with self._connection.transaction():
            number = lane_id(self._connection, name)
            old, before = self._row(queries.get_learned_pace, number)
            this = {
                "lane_id": number,
                "every_seconds": policy.next_every(old, latency_seconds, failed),
                "now": self._connection.clock.wall(),
            }
            after = repace(
                self._connection,
                number,
                lambda: self._connection.execute(queries.learn_lane, this),
            )
            if after and not before:
                # Workers may believe that the lane is free.
                self._settings.bump_control_version()
            return after

    def set_crawl_delay(self, name: str, seconds: float | None) -> None:
        check_paced(name)
        if seconds is not None:
            check_seconds("a crawl delay", seconds)
        with self._connection.transaction():
            number = lane_id(self._connection, name)
            if self._row(queries.get_crawl_delay, number) != (seconds,):
                self._update(number, queries.set_crawl_delay, seconds=seconds)

    def _row(self, sql: str, number: int) -> tuple[Any, ...]:
        row = self._connection.row(sql, (number,))
        assert row is not None
        return row

    def _change(self, name: str, kind: PacedKind, sql: str, **values: Any) -> None:
        check_paced(name, kind)
        with self._connection.transaction():
            self._update(lane_id(self._connection, name, str(kind)), sql, **values)

    def _update(self, number: int, sql: str, **values: Any) -> None:
        this = {"lane_id": number, **values}
        repace(self._connection, number, lambda: self._connection.execute(sql, this))
        # Whatever put its heads to sleep may no longer hold.
        self._connection.execute(queries.wake_lane, {"lane_id": number})
        self._settings.bump_control_version()

    def _untrip(self, numbers: Iterable[int]) -> None:
        for number in numbers:
            self._connection.execute(queries.untrip_lane, {"lane_id": number})
            self._connection.execute(queries.wake_lane, {"lane_id": number})


def _lane_of(row: tuple[Any, ...], limiting: LimitingRuns) -> Lane:
    return Lane(
        kind=PacedKind(row[0]),
        name=row[1],
        limits=Limits(row[2], row[3], row[4]),
        paused=bool(row[5]),
        cool_until=at_or_none(row[6]),
        cool_reason=row[7],
        in_flight=row[8],
        strikes=row[9],
        learned_every_seconds=row[10],
        crawl_delay_seconds=row[11],
        run_limits=limiting.on(*row[12:14]),
        slowest_run=limiting.slowest_on(*row[12:14]),
        limiting_runs=limiting.number_on(row[12]) if row[0] == PacedKind.LANE else 0,
        overrides=bool(row[14]),
    )
