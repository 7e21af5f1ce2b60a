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
from swather.store.finishing import clipped
from swather.store.postgres.connection import Connection
from swather.store.postgres.names import run_id
from swather.store.postgres.notices import add_notice
from swather.store.postgres.statements import queries
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


class PostgresSchedules:
    """See swather.store.ports.Schedules."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def add(self, new: NewSchedule, next_at: datetime) -> Schedule:
        values = {**values_of(new), "next_at": next_at}
        if self._connection.row(queries.add_schedule, values) is None:
            raise already_there(self.get(new.name))
        return self.get(new.name)

    def sync(self, new: NewSchedule, next_at: datetime) -> bool:
        values = {**values_of(new), "next_at": next_at}

        def work() -> bool:
            if self._connection.row(queries.add_schedule, values) is not None:
                return True
            stored = self.get(new.name)
            if not stored.origin:
                raise already_there(stored)
            if not differs(new, stored):
                return False
            self._connection.execute(queries.change_schedule, values)
            return True

        return self._connection.transact(work)

    def get(self, name: str) -> Schedule:
        row = self._connection.row(queries.get_schedule, {"name": name})
        if row is None:
            raise unknown_schedule(name)
        return schedule_of(row, self.now())

    def find(self) -> list[Schedule]:
        now = self.now()
        rows = self._connection.rows(queries.list_schedules)
        return [schedule_of(row, now) for row in rows]

    def remove(self, name: str) -> None:
        self._change(queries.remove_schedule, {"name": name})

    def enable(self, name: str, next_at: datetime) -> None:
        self._change(queries.enable_schedule, {"name": name, "next_at": next_at})

    def disable(self, name: str) -> None:
        self._change(queries.disable_schedule, {"name": name})

    def make_due(self, name: str) -> None:
        self._connection.execute(queries.make_schedule_due, {"name": name})

    def now(self) -> datetime:
        now: datetime = self._connection.value(queries.clock)
        return now

    def outlook(self) -> Outlook:
        due_seconds, under_way = self._connection.rows(queries.schedule_outlook, hot=True)[0]
        return Outlook(due_seconds=due_seconds, under_way=under_way)

    def due(self) -> list[Schedule]:
        rows = self._connection.rows(queries.due_schedules)
        now = self.now()
        return [schedule_of(row, now) for row in rows]

    def fire(self, due: Schedule, next_at: datetime, *, missed: int) -> Firing | None:
        this = {"id": due.id}

        def work() -> Firing | None:
            if not self._advance(due, next_at):
                return None
            self._connection.execute(queries.end_firings, this)
            count, queued, newest = self._connection.rows(queries.firings_under_way, this)[0]
            run = self._connection.value(queries.run_name, {"run_id": newest})
            state, reason = state_of_firing(due.overlap, UnderWay(count, queued, run))
            return self._add_firing(due, state, reason, missed)

        return self._connection.transact(work)

    def fail_due(self, due: Schedule, next_at: datetime, reason: str) -> Firing | None:
        def work() -> Firing | None:
            if not self._advance(due, next_at):
                return None
            firing = self._add_firing(due, FiringState.FAILED, clipped(reason), 0)
            if firing is not None:
                notice = failure_notice(due.name, due.scraper, firing.id, None, reason)
                add_notice(self._connection, notice)
            return firing

        return self._connection.transact(work)

    def assign(self, firing_id: int, run: str, producer_id: int) -> Firing:
        this = {
            "firing_id": firing_id,
            "run_id": run_id(self._connection, run),
            "producer_id": producer_id,
        }
        self._connection.execute(queries.assign_firing, this)
        return self._firing(firing_id)

    def open_firings(self) -> list[Firing]:
        return [firing_of(row) for row in self._connection.rows(queries.open_firings)]

    def take(self, firing: Firing) -> Firing | None:
        this = {"firing_id": firing.id, "attempts": firing.attempts}

        def work() -> Firing | None:
            if firing.id not in {each.id for each in self.open_firings()}:
                return None
            if self._connection.row(queries.take_firing, this) is None:
                return None
            return self._firing(firing.id)

        return self._connection.transact(work)

    def loaded(self, firing_id: int) -> None:
        self._connection.execute(queries.firing_loaded, {"firing_id": firing_id})

    def fail(self, firing_id: int, reason: str) -> None:
        this = {"firing_id": firing_id, "reason": clipped(reason)}

        def work() -> None:
            if self._connection.row(queries.fail_firing, this) is None:
                return
            firing = self._firing(firing_id)
            notice = failure_notice(firing.schedule, firing.scraper, firing_id, firing.run, reason)
            add_notice(self._connection, notice)

        self._connection.transact(work)

    def firings(self, name: str | None = None, *, limit: int = 100) -> list[Firing]:
        this: dict[str, Any] = {"limit": check_limit(limit)}
        if name is None:
            rows = self._connection.rows(queries.list_firings, this)
        else:
            self.get(name)
            rows = self._connection.rows(queries.list_firings_of, {**this, "name": name})
        return [firing_of(row) for row in rows]

    def _change(self, sql: str, this: dict[str, Any]) -> None:
        if self._connection.row(sql, this) is None:
            raise unknown_schedule(this["name"])

    def _advance(self, due: Schedule, next_at: datetime) -> bool:
        this = {"id": due.id, "revision": due.revision, "next_at": next_at}
        return self._connection.row(queries.advance_schedule, this) is not None

    def _add_firing(
        self, due: Schedule, state: FiringState, reason: str, missed: int
    ) -> Firing | None:
        """None if there has been one for this time: the clock was set back."""
        row = self._connection.row(
            queries.add_firing,
            {
                "id": due.id,
                "due_at": due.next_at,
                "missed": missed,
                "state": str(state),
                "reason": reason,
                "attempts": int(state is FiringState.LOADING),
            },
        )
        return None if row is None else self._firing(row[0])

    def _firing(self, firing_id: int) -> Firing:
        row = self._connection.row(queries.get_firing, {"firing_id": firing_id})
        assert row is not None
        return firing_of(row)
