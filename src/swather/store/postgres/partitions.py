"""Partitions: one live owner at a time."""

from collections.abc import Collection

from swather.errors import InputError
from swather.model.worker import Partition
from swather.store.checks import check_limit, unknown_worker
from swather.store.postgres.arrays import Texts
from swather.store.postgres.connection import Connection
from swather.store.postgres.names import run_id
from swather.store.postgres.statements import queries


class Partitions:
    """Who serves what."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def take(
        self, worker_id: int, run: str, names: Collection[str] | None, limit: int
    ) -> list[str]:
        this = {"run_id": run_id(self._connection, run), "worker_id": worker_id}
        if names is not None:
            self._check(run, names)

        def work() -> list[str]:
            if self._connection.row(queries.lock_live_worker, this) is None:
                raise unknown_worker(worker_id)
            if names is None:
                self._connection.execute(
                    queries.take_partitions, {**this, "limit": check_limit(limit)}
                )
            else:
                self._connection.execute(
                    queries.take_named_partitions, {**this, "names": Texts(names)}
                )
            return [row[0] for row in self._connection.rows(queries.owned_partitions, this)]

        return self._connection.transact(work)

    def find(self, run: str) -> list[Partition]:
        this = {"run_id": run_id(self._connection, run)}
        rows = self._connection.rows(queries.list_partitions, this)
        return [Partition(name=row[0], owner_id=row[1], owner=row[2]) for row in rows]

    def free(self) -> None:
        """Owners that are not alive own nothing any more."""
        self._connection.execute(queries.free_partitions)

    def _check(self, run: str, names: Collection[str]) -> None:
        known = {partition.name for partition in self.find(run)}
        unknown = sorted(set(names) - known)
        if unknown:
            raise InputError(f"run {run!r} has no partition {unknown[0]!r}")
