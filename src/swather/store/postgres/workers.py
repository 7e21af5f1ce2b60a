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
from swather.store.finishing import Plan
from swather.store.ports import Fence
from swather.store.postgres.claim import Claimer
from swather.store.postgres.connection import Connection
from swather.store.postgres.finish import Finisher, tell_returned
from swather.store.postgres.names import run_id
from swather.store.postgres.settings import PostgresSettings
from swather.store.postgres.statements import queries
from swather.store.postgres.sweep import Sweeper, leave


class PostgresWorkers:
    """See swather.store.ports.Workers."""

    def __init__(
        self,
        connection: Connection,
        settings: PostgresSettings,
        claimer: Claimer,
        finisher: Finisher,
    ) -> None:
        self._connection = connection
        self._settings = settings
        self._claimer = claimer
        self._finisher = finisher
        self._sweeper = Sweeper(connection, settings, claimer)

    def register(self, new: NewWorker) -> int:
        check_new_worker(new)
        process = new.process
        values = {
            "name": new.name or None,
            "stem": f"{process.host}_{process.pid}",
            "kind": str(new.kind),
            "run_id": None if new.run is None else run_id(self._connection, new.run),
            "host": process.host,
            "boot_id": process.boot_id,
            "namespace": process.namespace,
            "pid": process.pid,
            "started": process.started,
            "lease_seconds": new.lease_seconds,
            "strategy": None if new.strategy is None else str(new.strategy),
            "version": new.version,
            "number": new.number,
        }

        def work() -> int:
            if values["run_id"] is not None:
                this = {"run_id": values["run_id"], "mask": 0}
                state, *_ = self._connection.row(queries.lock_run, this) or (None,)
                refuse_cancelled(state)
                self._connection.execute(queries.open_run, this)
            worker_id: int = self._connection.value(queries.register_worker, values)
            return worker_id

        return self._connection.transact(work)

    def beat(
        self,
        worker_id: int,
        held: Collection[Fence],
        statistics: dict[str, Any] | None = None,
    ) -> Beat:
        encoded = None if statistics is None else encode(statistics, what="statistics")
        believed = set(held)
        this = {"worker_id": worker_id, "statistics": encoded}

        def work() -> tuple[Beat, Plan | None]:
            row = self._connection.row(queries.beat, this, hot=True)
            if row is None:
                return Beat(alive=False, lost=frozenset(believed)), None
            actual = set(self._leases(this))
            strangers = actual - believed
            plan = self._give_back(strangers)
            beat = Beat(
                alive=True,
                lost=frozenset(believed - actual),
                released=len(strangers),
                control_version=row[0],
                leaving=None if row[1] is None else Leaving(row[1]),
            )
            return beat, plan

        beat, plan = self._connection.transact(work)
        if plan is not None:
            tell_returned(plan, self._claimer.returned)
        return beat

    def tell(self, worker_id: int, statistics: dict[str, Any]) -> None:
        encoded = encode(statistics, what="statistics")
        this = {"worker_id": worker_id, "statistics": encoded}
        self._connection.execute(queries.tell, this, hot=True)

    def retire(self, worker_id: int) -> int:
        this = {"worker_id": worker_id}

        def work() -> tuple[int, Plan | None]:
            if self._connection.row(queries.retire_worker, this) is None:
                return 0, None
            held = self._leases(this)
            plan = self._give_back(held)
            leave(self._connection)
            return len(held), plan

        count, plan = self._connection.transact(work)
        if plan is not None:
            tell_returned(plan, self._claimer.returned)
        return count

    def get(self, worker_id: int) -> Worker:
        if not may_exist(worker_id):
            raise unknown_worker(worker_id)
        row = self._connection.row(queries.get_worker, {"worker_id": worker_id})
        if row is None:
            raise unknown_worker(worker_id)
        return _worker_of(row)

    def find(self, *, live: bool = True, limit: int = 1_000) -> list[Worker]:
        sql = queries.list_live_workers if live else queries.list_workers
        return [
            _worker_of(row) for row in self._connection.rows(sql, {"limit": check_limit(limit)})
        ]

    def find_beside(self, process: Process) -> list[Worker]:
        rows = self._connection.rows(queries.list_workers_beside, _machine(process))
        return [_worker_of(row) for row in rows]

    def pause(self, worker_id: int) -> WorkerMode:
        return self._change(queries.pause_worker, worker_id)

    def unpause(self, worker_id: int) -> WorkerMode:
        return self._change(queries.unpause_worker, worker_id)

    def leave(self, worker_id: int, how: Leaving) -> WorkerMode:
        return self._change(queries.leave_worker, worker_id, how=str(how))

    def sweep(self, dead: Collection[int] = ()) -> Swept:
        return self._sweeper.sweep(dead)

    def _leases(self, this: dict[str, Any]) -> list[Any]:
        """Inside a transaction: the fences of all that the worker holds."""
        return self._connection.by_index(
            lambda: self._connection.rows(queries.worker_leases, this, hot=True)
        )

    def _give_back(self, fences: Collection[Fence]) -> Plan | None:
        """Inside a transaction: leases return as if they had never been claimed."""
        if not fences:
            return None
        leases, level = self._finisher.take_out(sorted(fences))
        return self._finisher.give_back(leases.values(), level)

    def _change(self, sql: str, worker_id: int, **more: str) -> WorkerMode:
        if not may_exist(worker_id):
            raise unknown_worker(worker_id)

        def work() -> WorkerMode:
            row = self._connection.row(sql, {"worker_id": worker_id, **more})
            if row is None:
                raise unknown_worker(worker_id)
            self._settings.bump_control_version()
            return mode_of(row[1], paused=row[0])

        return self._connection.transact(work)


def _machine(process: Process) -> dict[str, str]:
    """What a machine, and a container on it, is known by."""
    return {"host": process.host, "boot_id": process.boot_id, "namespace": process.namespace}


def _worker_of(row: tuple[Any, ...]) -> Worker:
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
        paused=row[14],
        leaving=None if row[15] is None else Leaving(row[15]),
        registered_at=row[16],
        beat_at=row[17],
        statistics=decode(row[18]),
        leases=row[19],
        silent_seconds=max(row[20], 0.0),
    )
