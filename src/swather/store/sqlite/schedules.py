"""Schedules: stored, fired, and their firings taken over from schedulers that are gone."""

from datetime import datetime
from typing import Any

from swather.model.schedule import (
    Firing,
    FiringState,
    NewSchedule,
    Outlook,
    Schedule,
)
from swather.store.checks import check_limit
from swather.store.clock import at
from swather.store.finishing import clipped
from swather.store.schedule_rows import (
    UnderWay,
    already_there,
    differs,
    failure_notice,
    firing_of,
    schedule_of,
    state_of_firing,
    unknown_schedule,
    values_of,
)
from swather.store.sqlite.connection import Connection
from swather.store.sqlite.names import run_id
from swather.store.sqlite.notices import add_notice
from swather.store.sqlite.statements import queries


class SQLiteSchedules:
    """See swather.store.ports.Schedules."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def add(self, new: NewSchedule, next_at: datetime) -> Schedule:
        values = values_of(new)
        with self._connection.transaction():
            if not self._insert(values, next_at):
                raise already_there(self.get(new.name))
            return self.get(new.name)

    def sync(self, new: NewSchedule, next_at: datetime) -> bool:
        values = values_of(new)
        with self._connection.transaction():
            if self._insert(values, next_at):
                return True
            stored = self.get(new.name)
            if not stored.origin:
                raise already_there(stored)
            if not differs(new, stored):
                return False
            self._connection.execute(
                queries.change_schedule, {**values, "next_at": next_at.timestamp()}
            )
            return True

    def get(self, name: str) -> Schedule:
        with self._connection.reading():
            row = self._connection.row(queries.get_schedule, (name,))
        if row is None:
            raise unknown_schedule(name)
        return self._schedule_of(row)

    def find(self) -> list[Schedule]:
        with self._connection.reading():
            rows = self._connection.rows(queries.list_schedules)
        return [self._schedule_of(row) for row in rows]

    def remove(self, name: str) -> None:
        with self._connection.transaction():
            if not self._connection.execute_counting(queries.remove_schedule, (name,)):
                raise unknown_schedule(name)

    def enable(self, name: str, next_at: datetime) -> None:
        self._change(queries.enable_schedule, {"name": name, "next_at": next_at.timestamp()})

    def disable(self, name: str) -> None:
        self._change(queries.disable_schedule, {"name": name})

    def make_due(self, name: str) -> None:
        this = {"name": name, "now": self._connection.clock.wall()}
        with self._connection.transaction():
            self._connection.execute(queries.make_schedule_due, this)

    def now(self) -> datetime:
        return at(self._connection.clock.wall())

    def outlook(self) -> Outlook:
        with self._connection.reading():
            next_at, under_way = self._connection.rows(queries.schedule_outlook)[0]
        now = self._connection.clock.wall()
        return Outlook(due_seconds=None if next_at is None else next_at - now, under_way=under_way)

    def due(self) -> list[Schedule]:
        with self._connection.reading():
            rows = self._connection.rows(queries.due_schedules, (self._connection.clock.wall(),))
        return [self._schedule_of(row) for row in rows]

    def fire(self, due: Schedule, next_at: datetime, *, missed: int) -> Firing | None:
        with self._connection.transaction():
            if not self._advance(due, next_at):
                return None
            this = {"id": due.id}
            self._connection.execute(queries.end_firings, this)
            count, queued, newest = self._connection.rows(queries.firings_under_way, this)[0]
            run = None if newest is None else self._connection.row(queries.run_name, (newest,))
            under_way = UnderWay(count, queued or 0, run[0] if run else None)
            state, reason = state_of_firing(due.overlap, under_way)
            return self._add_firing(due, state, reason, missed)

    def fail_due(self, due: Schedule, next_at: datetime, reason: str) -> Firing | None:
        with self._connection.transaction():
            if not self._advance(due, next_at):
                return None
            firing = self._add_firing(due, FiringState.FAILED, clipped(reason), 0)
            if firing is not None:
                notice = failure_notice(due.name, due.scraper, firing.id, None, reason)
                add_notice(self._connection, notice)
            return firing

    def assign(self, firing_id: int, run: str, producer_id: int) -> Firing:
        with self._connection.transaction():
            number = run_id(self._connection, run)
            self._connection.execute(
                queries.assign_firing,
                {"firing_id": firing_id, "run_id": number, "producer_id": producer_id},
            )
            return self._firing(firing_id)

    def open_firings(self) -> list[Firing]:
        with self._connection.reading():
            return [_firing_of(row) for row in self._connection.rows(queries.open_firings)]

    def take(self, firing: Firing) -> Firing | None:
        with self._connection.transaction():
            if firing.id not in {each.id for each in self.open_firings()}:
                return None
            this = {"firing_id": firing.id, "attempts": firing.attempts}
            if not self._connection.execute_counting(queries.take_firing, this):
                return None
            return self._firing(firing.id)

    def loaded(self, firing_id: int) -> None:
        with self._connection.transaction():
            self._connection.execute(queries.firing_loaded, {"firing_id": firing_id})

    def fail(self, firing_id: int, reason: str) -> None:
        with self._connection.transaction():
            this = {"firing_id": firing_id, "reason": clipped(reason)}
            if self._connection.execute_counting(queries.fail_firing, this):
                firing = self._firing(firing_id)
                notice = failure_notice(
                    firing.schedule, firing.scraper, firing_id, firing.run, reason
                )
                add_notice(self._connection, notice)

    def firings(self, name: str | None = None, *, limit: int = 100) -> list[Firing]:
        with self._connection.reading():
            this: dict[str, Any] = {"limit": check_limit(limit)}
            if name is None:
                rows = self._connection.rows(queries.list_firings, this)
            else:
                self.get(name)
                rows = self._connection.rows(queries.list_firings_of, {**this, "name": name})
        return [_firing_of(row) for row in rows]

    def _insert(self, values: dict[str, Any], next_at: datetime) -> bool:
        this = {
            **values,
            "next_at": next_at.timestamp(),
            "now": self._connection.clock.wall(),
        }
        return self._connection.execute_counting(queries.add_schedule, this) == 1

    def _change(self, sql: str, this: dict[str, Any]) -> None:
        with self._connection.transaction():
            if not self._connection.execute_counting(sql, this):
                raise unknown_schedule(this["name"])

    def _advance(self, due: Schedule, next_at: datetime) -> bool:
        this = {"id": due.id, "revision": due.revision, "next_at": next_at.timestamp()}
        return self._connection.execute_counting(queries.advance_schedule, this) == 1

    def _add_firing(
        self, due: Schedule, state: FiringState, reason: str, missed: int
    ) -> Firing | None:
        """None if there has been one for this time: the clock was set back."""
        row = self._connection.row(
            queries.add_firing,
            {
                "id": due.id,
                "due_at": due.next_at.timestamp(),
                "now": self._connection.clock.wall(),
                "missed": missed,
                "state": str(state),
                "reason": reason,
                "attempts": int(state is FiringState.LOADING),
            },
        )
        return None if row is None else self._firing(row[0])

    def _firing(self, firing_id: int) -> Firing:
        row = self._connection.row(queries.get_firing, (firing_id,))
        assert row is not None
        return _firing_of(row)

    def _schedule_of(self, row: tuple[Any, ...]) -> Schedule:
        return schedule_of((*row[:10], at(row[10]), row[11], at(row[12])), self.now())


def _firing_of(row: tuple[Any, ...]) -> Firing:
    return firing_of((*row[:3], at(row[3]), at(row[4]), *row[5:]))
