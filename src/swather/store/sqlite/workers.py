"""Workers and producers: registered, beating, swept when they are gone."""

from collections.abc import Collection
from typing import Any

from swather.model.lease import Strategy
from swather.model.payload import decode, encode
from swather.model.worker import (
    Beat,
    Leaving,
    NewWorker,
    Process,
    Swept,
    Worker,
    WorkerKind,
    WorkerMode,
    WorkerState,
    mode_of,
)
from swather.store.checks import (
    check_limit,
    check_new_worker,
    may_exist,
    refuse_cancelled,
    unknown_worker,
)
from swather.store.clock import at
from swather.store.ports import Fence
from swather.store.sqlite.connection import Connection
from swather.store.sqlite.names import run_id
from swather.store.sqlite.settings import SQLiteSettings
from swather.store.sqlite.statements import queries
from swather.store.sqlite.sweep import Sweeper, leave


class SQLiteWorkers:
    """See swather.store.ports.Workers."""

    def __init__(self, connection: Connection, settings: SQLiteSettings) -> None:
        self._connection = connection
        self._settings = settings
        self._sweeper = Sweeper(connection, settings)

    def register(self, new: NewWorker) -> int:
        check_new_worker(new)
        clock = self._connection.clock
        process = new.process
        with self._connection.transaction():
            run = None if new.run is None else run_id(self._connection, new.run)
            worker_id: int = self._connection.value(
                queries.register_worker,
                {
                    "kind": str(new.kind),
                    "run_id": run,
                    "host": process.host,
                    "boot_id": process.boot_id,
                    "namespace": process.namespace,
                    "pid": process.pid,
                    "started": process.started,
                    "lease_seconds": new.lease_seconds,
                    "expires_mono": clock.monotonic() + new.lease_seconds,
                    "strategy": None if new.strategy is None else str(new.strategy),
                    "version": new.version,
                    "number": new.number,
                    "now": clock.wall(),
                },
            )
            name = new.name or f"{process.host}_{process.pid}_{worker_id}"
            self._connection.execute(queries.name_worker, (name, worker_id))
            if run is not None:
                state = self._connection.value(queries.run_state, (run,))
                refuse_cancelled(state)
                self._connection.execute(queries.reopen_run, {"run_id": run})
            return worker_id

    def beat(
        self,
        worker_id: int,
        held: Collection[Fence],
        statistics: dict[str, Any] | None = None,
    ) -> Beat:
        clock = self._connection.clock
        encoded = None if statistics is None else encode(statistics, what="statistics")
        with self._connection.transaction():
            row = self._connection.row(
                queries.beat,
                {
                    "worker_id": worker_id,
                    "now": clock.wall(),
                    "now_mono": clock.monotonic(),
                    "statistics": encoded,
                },
            )
            if row is None:
                return Beat(alive=False, lost=frozenset(held))
            believed = set(held)
            actual = set(self._connection.rows(queries.worker_leases, (worker_id,)))
            strangers = actual - believed
            if strangers:
                self._sweeper.give_back(strangers)
            return Beat(
                alive=True,
                lost=frozenset(believed - actual),
                released=len(strangers),
                control_version=self._connection.value(queries.control_version),
                leaving=None if row[0] is None else Leaving(row[0]),
            )

    def tell(self, worker_id: int, statistics: dict[str, Any]) -> None:
        encoded = encode(statistics, what="statistics")
        this = {"worker_id": worker_id, "statistics": encoded, "now": self._connection.clock.wall()}
        with self._connection.transaction():
            self._connection.execute(queries.tell, this)

    def retire(self, worker_id: int) -> int:
        with self._connection.transaction():
            if self._connection.row(queries.retire_worker, {"worker_id": worker_id}) is None:
                return 0
            held = self._connection.rows(queries.worker_leases, (worker_id,))
            self._sweeper.give_back(held)
            leave(self._connection, worker_id)
            return len(held)

    def get(self, worker_id: int) -> Worker:
        if not may_exist(worker_id):
            raise unknown_worker(worker_id)
        with self._connection.reading():
            row = self._connection.row(queries.get_worker, {"worker_id": worker_id})
        if row is None:
            raise unknown_worker(worker_id)
        return _worker_of(row, self._connection.clock.wall())

    def find(self, *, live: bool = True, limit: int = 1_000) -> list[Worker]:
        with self._connection.reading():
            sql = queries.list_live_workers if live else queries.list_workers
            rows = self._connection.rows(sql, {"limit": check_limit(limit)})
        now = self._connection.clock.wall()
        return [_worker_of(row, now) for row in rows]

    def find_beside(self, process: Process) -> list[Worker]:
        with self._connection.reading():
            rows = self._connection.rows(queries.list_workers_beside, _machine(process))
        now = self._connection.clock.wall()
        return [_worker_of(row, now) for row in rows]

    def pause(self, worker_id: int) -> WorkerMode:
        return self._change(queries.pause_worker, worker_id)

    def unpause(self, worker_id: int) -> WorkerMode:
        return self._change(queries.unpause_worker, worker_id)

    def leave(self, worker_id: int, how: Leaving) -> WorkerMode:
        return self._change(queries.leave_worker, worker_id, how=str(how))

    def sweep(self, dead: Collection[int] = ()) -> Swept:
        return self._sweeper.sweep(dead)

    def _change(self, sql: str, worker_id: int, **more: str) -> WorkerMode:
        if not may_exist(worker_id):
            raise unknown_worker(worker_id)
        with self._connection.transaction():
            row = self._connection.row(sql, {"worker_id": worker_id, **more})
            if row is None:
                raise unknown_worker(worker_id)
            self._settings.bump_control_version()
        return mode_of(row[1], paused=bool(row[0]))


def _machine(process: Process) -> dict[str, str]:
    """What a machine, and a container on it, is known by."""
    return {"host": process.host, "boot_id": process.boot_id, "namespace": process.namespace}


def _worker_of(row: tuple[Any, ...], now: float) -> Worker:
    return Worker(
        id=row[0],
        name=row[1],
        kind=WorkerKind(row[2]),
        state=WorkerState(row[3]),
        run=row[4],
        process=Process(host=row[5], boot_id=row[6], namespace=row[7], pid=row[8], started=row[9]),
        lease_seconds=row[10],
        strategy=None if row[11] is None else Strategy(row[11]),
        version=row[12],
        number=row[13],
        paused=bool(row[14]),
        leaving=None if row[15] is None else Leaving(row[15]),
        registered_at=at(row[16]),
        beat_at=at(row[17]),
        statistics=decode(row[18]),
        leases=row[19],
        silent_seconds=max(now - row[17], 0.0),
    )
