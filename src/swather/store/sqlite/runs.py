"""Runs: made, paused, settled, cancelled, removed."""

from collections.abc import Callable
from typing import Any, TypeVar

from swather.errors import InputError, NotFound
from swather.model.advance import Advance, not_told
from swather.model.lease import Strategy
from swather.model.pacing import Limits
from swather.model.payload import decode, encode
from swather.model.run import (
    Counts,
    NewRun,
    Run,
    RunState,
    counts_from,
    run_name,
    with_reserved,
)
from swather.model.scaling import RunDemand, demand_of
from swather.model.task import State, check_name
from swather.model.task_filter import TaskFilter
from swather.model.totals import RunTotals, ScraperTotals, open_totals_of, totals_of
from swather.store.checks import (
    check_egresses,
    check_known,
    check_limit,
    check_new_run,
    refuse_cancelled,
    unknown_run,
)
from swather.store.clock import at, at_or_none
from swather.store.notice_rows import end_of
from swather.store.sqlite.cancel import cancel_tasks
from swather.store.sqlite.connection import Connection
from swather.store.sqlite.names import lane_id, run_id
from swather.store.sqlite.notices import add_notice
from swather.store.sqlite.ready import counters_of
from swather.store.sqlite.remove import remove_run
from swather.store.sqlite.settings import SQLiteSettings
from swather.store.sqlite.statements import queries

T = TypeVar("T")


class SQLiteRuns:
    """See swather.store.ports.Runs."""

    def __init__(self, connection: Connection, settings: SQLiteSettings) -> None:
        self._connection = connection
        self._settings = settings

    def create(self, new: NewRun) -> Run:
        check_new_run(new)
        with self._connection.transaction():
            now = self._connection.clock.wall()
            name = new.name or self._free_name(run_name(new.scraper, at(now)))
            if self._connection.row(queries.find_run, (name,)):
                raise InputError(f"there is already a run named {name!r}; choose another name")
            self._connection.execute(
                queries.create_run,
                {
                    "name": name,
                    "scraper": new.scraper,
                    "scraper_lane_id": lane_id(self._connection, new.scraper, "scraper"),
                    "params": encode(new.params, what="params"),
                    "version": new.version,
                    "strategy": str(new.strategy),
                    "lane_every_seconds": new.lane_limits.every_seconds,
                    "lane_burst": new.lane_limits.burst,
                    "lane_in_flight": new.lane_limits.in_flight,
                    "rate_is_default": new.lane_limits.public_only,
                    "task_limit": new.task_limit,
                    "keep_open": new.keep_open,
                    "now": now,
                },
            )
            return self.get(name)

    def exclusively(self, work: Callable[[], T]) -> T:
        with self._connection.transaction():
            return work()

    def get(self, name: str) -> Run:
        check_known(name)
        with self._connection.reading():
            row = self._connection.row(queries.get_run, {"name": name})
        if row is None:
            raise unknown_run(name)
        return run_of(row)

    def by_id(self, run_id: int) -> Run:
        with self._connection.reading():
            row = self._connection.row(queries.get_run_by_id, {"run_id": run_id})
        if row is None:
            raise NotFound(f"there is no run number {run_id}; it may have been removed")
        return run_of(row)

    def find(
        self, *, state: RunState | None = None, before_id: int | None = None, limit: int = 100
    ) -> list[Run]:
        these = {"limit": check_limit(limit), "before_id": before_id}
        with self._connection.reading():
            if state is None:
                rows = self._connection.rows(queries.list_runs, these)
            else:
                rows = self._connection.rows(
                    queries.list_runs_by_state, {**these, "state": str(state)}
                )
            return [run_of(row) for row in rows]

    def counts(self, name: str) -> Counts:
        with self._connection.reading():
            return counts_from(counters_of(self._connection, run_id(self._connection, name)))

    def totals(self) -> list[ScraperTotals]:
        with self._connection.reading():
            return totals_of(
                self._connection.rows(queries.count_runs_of_scrapers),
                self._connection.rows(queries.sum_counters_of_scrapers),
                self._connection.rows(queries.sum_errors_of_scrapers),
            )

    def open_totals(self, *, limit: int = 100) -> list[RunTotals]:
        with self._connection.reading():
            rows = self._connection.rows(
                queries.sum_counters_of_open_runs, {"limit": check_limit(limit)}
            )
        return open_totals_of(rows)

    def demand(self) -> list[RunDemand]:
        with self._connection.reading():
            return [demand_of(row) for row in self._connection.rows(queries.run_demand)]

    def revise(self, name: str, *, version: str, lane_limits: Limits) -> Run:
        check_name("version", version)
        with self._connection.transaction():
            # Heads that the old limits put to sleep may be open under the new ones.
            self._change(name, queries.wake_run)
            self._change(name, queries.wake_lanes_of_run)
            self._change(
                name,
                queries.revise_run,
                version=version,
                every_seconds=lane_limits.every_seconds,
                burst=lane_limits.burst,
                in_flight=lane_limits.in_flight,
                rate_is_default=lane_limits.public_only,
            )
            return self.get(name)

    def set_egresses(self, name: str, egresses: int) -> bool:
        check_egresses(egresses)
        if self.get(name).egresses == egresses:
            return False
        with self._connection.transaction():
            self._change(name, queries.set_egresses, egresses=egresses)
            # Heads that sleep at the old rate may be open at the new one.
            self._change(name, queries.wake_run)
            self._change(name, queries.wake_lanes_of_run)
        return True

    def record(self, name: str, reserved: dict[str, Any]) -> Run:
        with self._connection.transaction():
            params = with_reserved(self.get(name).params, reserved)
            self._connection.execute(queries.set_params, (encode(params, what="params"), name))
            return self.get(name)

    def pause(self, name: str) -> None:
        self._change(name, queries.pause_run)

    def unpause(self, name: str) -> None:
        self._change(name, queries.unpause_run)

    def cancel(self, name: str, advance: Advance = not_told) -> int:
        with self._connection.transaction():
            self._change(name, queries.cancel_run, now=self._connection.clock.wall())
            run, counts = self.get(name), self.counts(name)
            if run.state is RunState.CANCELLED and counts.total:
                add_notice(self._connection, end_of(run, counts))
        self._change(name, queries.wake_lanes_of_run)
        unfinished = frozenset({State.SCHEDULED, State.READY, State.LEASED})
        which = TaskFilter(run=name, states=unfinished)
        return cancel_tasks(self._connection, self._settings, which, advance)

    def settle(self, name: str) -> bool:
        with self._connection.transaction():
            this = {"run_id": run_id(self._connection, name)}
            if counts_from(counters_of(self._connection, this["run_id"])).unfinished:
                return False
            if self._connection.value(queries.run_has_producer, this):
                return False
            if self._connection.value(queries.run_has_work, this):
                return False
            if self._connection.value(queries.run_is_loading, this):
                return False
            now = self._connection.clock.wall()
            is_finished = (
                self._connection.execute_counting(queries.finish_run, {**this, "now": now}) == 1
            )
            if is_finished:
                self._connection.execute(queries.wake_lanes_of_run, this)
                add_notice(self._connection, end_of(self.get(name), self.counts(name)))
            return is_finished

    def keep_open(self, name: str) -> None:
        with self._connection.transaction():
            this = {"run_id": run_id(self._connection, name)}
            if not self._connection.execute_counting(queries.keep_run_open, this):
                refuse_cancelled(RunState.CANCELLED)

    def close(self, name: str) -> bool:
        self._change(name, queries.close_run)
        return self.settle(name)

    def remove(self, name: str, advance: Advance = not_told) -> int:
        run = self.get(name)
        if run.state is RunState.OPEN:
            raise InputError(f"run {name!r} is still open; cancel it first, or let it finish")
        removed = remove_run(self._connection, run.id, advance)
        if removed is None:
            raise InputError(f"run {name!r} was opened again while it was being removed")
        return removed

    def _change(self, name: str, sql: str, **values: Any) -> None:
        with self._connection.transaction():
            self._connection.execute(sql, {"run_id": run_id(self._connection, name), **values})
            self._settings.bump_control_version()

    def _free_name(self, name: str) -> str:
        taken = self._connection.rows(queries.names_like, (name, f"{name}-*"))
        names = {row[0] for row in taken}
        number = 1
        while (candidate := name if number == 1 else f"{name}-{number}") in names:
            number += 1
        return candidate


def run_of(row: tuple[Any, ...]) -> Run:
    return Run(
        id=row[0],
        name=row[1],
        scraper=row[2],
        params=decode(row[3]),
        version=row[4],
        strategy=Strategy(row[5]),
        lane_limits=Limits(row[6], row[7], row[8], bool(row[16])),
        state=RunState(row[9]),
        paused=bool(row[10]),
        load_incomplete=bool(row[11]),
        times_finished=row[12],
        created_at=at(row[13]),
        finished_at=at_or_none(row[14]),
        task_limit=row[15],
        egresses=row[17],
        keep_open=bool(row[18]),
    )
