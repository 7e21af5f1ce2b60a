"""Runs: made, paused, settled, cancelled, removed."""

from collections.abc import Callable
from typing import Any, Final, TypeVar

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
from swather.store.notice_rows import end_of
from swather.store.postgres.cancel import cancel_tasks
from swather.store.postgres.connection import Connection
from swather.store.postgres.names import lane_id, run_id
from swather.store.postgres.notices import add_notice
from swather.store.postgres.remove import remove_run
from swather.store.postgres.settings import PostgresSettings
from swather.store.postgres.statements import queries

T = TypeVar("T")

# Any number that is not used for another lock of this kind.
_ALONE: Final = 5_742_068_114_507_393
_UNFINISHED: Final = frozenset({State.SCHEDULED, State.READY, State.LEASED})


class PostgresRuns:
    """See swather.store.ports.Runs."""

    def __init__(self, connection: Connection, settings: PostgresSettings) -> None:
        self._connection = connection
        self._settings = settings

    def create(self, new: NewRun) -> Run:
        check_new_run(new)
        params = encode(new.params, what="params")
        lane = lane_id(self._connection, new.scraper, "scraper")
        stem = new.name
        if stem is None:
            stem = run_name(new.scraper, self._connection.value(queries.clock))
        number = 1
        while True:
            name = stem if number == 1 else f"{stem}-{number}"
            row = self._connection.row(
                queries.create_run,
                {
                    "name": name,
                    "scraper": new.scraper,
                    "scraper_lane_id": lane,
                    "params": params,
                    "version": new.version,
                    "strategy": str(new.strategy),
                    "lane_every_seconds": new.lane_limits.every_seconds,
                    "lane_burst": new.lane_limits.burst,
                    "lane_in_flight": new.lane_limits.in_flight,
                    "rate_is_default": new.lane_limits.public_only,
                    "task_limit": new.task_limit,
                    "keep_open": new.keep_open,
                },
            )
            if row is not None:
                return run_of(row)
            if new.name is not None:
                raise InputError(f"there is already a run named {name!r}; choose another name")
            number += 1

    def exclusively(self, work: Callable[[], T]) -> T:
        def locked() -> T:
            self._connection.execute(queries.lock_number, {"number": _ALONE})
            return work()

        return self._connection.transact(locked)

    def get(self, name: str) -> Run:
        check_known(name)
        row = self._connection.row(queries.get_run, {"name": name}, hot=True)
        if row is None:
            raise unknown_run(name)
        return run_of(row)

    def by_id(self, run_id: int) -> Run:
        row = self._connection.row(queries.get_run_by_id, {"run_id": run_id}, hot=True)
        if row is None:
            raise NotFound(f"there is no run number {run_id}; it may have been removed")
        return run_of(row)

    def find(
        self, *, state: RunState | None = None, before_id: int | None = None, limit: int = 100
    ) -> list[Run]:
        these = {"limit": check_limit(limit), "before_id": before_id}
        if state is None:
            rows = self._connection.rows(queries.list_runs, these)
        else:
            rows = self._connection.rows(queries.list_runs_by_state, {**these, "state": str(state)})
        return [run_of(row) for row in rows]

    def counts(self, name: str) -> Counts:
        return counts_from(self._sums(run_id(self._connection, name)))

    def totals(self) -> list[ScraperTotals]:
        return self._connection.transact(
            lambda: totals_of(
                self._connection.rows(queries.count_runs_of_scrapers),
                self._connection.rows(queries.sum_counters_of_scrapers),
                self._connection.rows(queries.sum_errors_of_scrapers),
            )
        )

    def open_totals(self, *, limit: int = 100) -> list[RunTotals]:
        this = {"limit": check_limit(limit)}
        return open_totals_of(self._connection.rows(queries.sum_counters_of_open_runs, this))

    def demand(self) -> list[RunDemand]:
        rows = self._connection.rows(queries.run_demand)
        return [demand_of(row) for row in rows]

    def revise(self, name: str, *, version: str, lane_limits: Limits) -> Run:
        check_name("version", version)
        this = {
            "run_id": run_id(self._connection, name),
            "version": version,
            "every_seconds": lane_limits.every_seconds,
            "burst": lane_limits.burst,
            "in_flight": lane_limits.in_flight,
            "rate_is_default": lane_limits.public_only,
        }

        def work() -> None:
            # Heads that the old limits put to sleep may be open under the new ones.
            self._connection.execute(queries.wake_run, this)
            self._connection.execute(queries.wake_lanes_of_run, this)
            self._connection.execute(queries.revise_run, this)
            self._settings.bump_control_version()

        self._connection.transact(work)
        return self.get(name)

    def set_egresses(self, name: str, egresses: int) -> bool:
        check_egresses(egresses)
        run = self.get(name)
        if run.egresses == egresses:
            return False
        this = {"run_id": run.id, "egresses": egresses}

        def work() -> None:
            # Heads that sleep at the old rate may be open at the new one.
            self._connection.execute(queries.wake_run, this)
            self._connection.execute(queries.wake_lanes_of_run, this)
            self._connection.execute(queries.set_egresses, this)

        self._connection.transact(work)
        return True

    def record(self, name: str, reserved: dict[str, Any]) -> Run:
        this = {"run_id": run_id(self._connection, name)}

        def work() -> None:
            params = self._connection.value(queries.lock_params, this)
            if params is None:
                raise unknown_run(name)
            merged = with_reserved(decode(params), reserved)
            self._connection.execute(
                queries.set_params, {**this, "params": encode(merged, what="params")}
            )

        self._connection.transact(work)
        return self.get(name)

    def pause(self, name: str) -> None:
        self._change(name, queries.pause_run)

    def unpause(self, name: str) -> None:
        self._change(name, queries.unpause_run)

    def cancel(self, name: str, advance: Advance = not_told) -> int:
        def work() -> None:
            self._change(name, queries.cancel_run)
            run, counts = self.get(name), self.counts(name)
            if run.state is RunState.CANCELLED and counts.total:
                add_notice(self._connection, end_of(run, counts))

        self._connection.transact(work)
        self._change(name, queries.wake_lanes_of_run)
        unfinished = TaskFilter(run=name, states=_UNFINISHED)
        return cancel_tasks(self._connection, self._settings, unfinished, advance)

    def settle(self, name: str) -> bool:
        this = {"run_id": run_id(self._connection, name)}
        if counts_from(self._sums(this["run_id"])).unfinished:
            return False

        def work() -> bool:
            # Lock first, so that the check sees what the last holder of the lock added.
            self._connection.execute(queries.lock_run_to_settle, this)
            is_finished = self._connection.row(queries.settle_run, this) is not None
            if is_finished:
                self._connection.execute(queries.wake_lanes_of_run, this)
                add_notice(self._connection, end_of(self.get(name), self.counts(name)))
            return is_finished

        return self._connection.transact(work)

    def keep_open(self, name: str) -> None:
        this = {"run_id": run_id(self._connection, name)}
        if self._connection.row(queries.keep_run_open, this) is None:
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

    def _sums(self, number: int) -> dict[str, int]:
        return dict(self._connection.rows(queries.sum_counters, {"run_id": number}))

    def _change(self, name: str, sql: str) -> None:
        this = {"run_id": run_id(self._connection, name)}

        def work() -> None:
            self._connection.execute(sql, this)
            self._settings.bump_control_version()

        self._connection.transact(work)


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
        paused=row[10],
        load_incomplete=row[11],
        times_finished=row[12],
        created_at=row[13],
        finished_at=row[14],
        task_limit=row[15],
        egresses=row[17],
        keep_open=row[18],
    )
