"""Partitions: one live owner at a time."""

from collections.abc import Collection

from swather.errors import InputError
from swather.model.payload import encode
from swather.model.worker import Partition
from swather.store.checks import check_limit, unknown_worker
from swather.store.sqlite.connection import Connection
from swather.store.sqlite.names import run_id
from swather.store.sqlite.statements import queries


class Partitions:
    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def take(
        self, worker_id: int, run: str, names: Collection[str] | None, limit: int
    ) -> list[str]:
        with self._connection.transaction():
            if not self._connection.row(queries.is_live, (worker_id,)):
                raise unknown_worker(worker_id)
            this = {"run_id": run_id(self._connection, run), "worker_id": worker_id}
            if names is None:
                self._connection.execute(
                    queries.take_partitions, {**this, "limit": check_limit(limit)}
                )
            else:
                self._check(run, names)
                self._connection.execute(
                    queries.take_named_partitions, {**this, "names": encode(list(names))}
                )
            rows = self._connection.rows(queries.owned_partitions, this)
            return [row[0] for row in rows]

    def find(self, run: str) -> list[Partition]:
        with self._connection.reading():
            rows = self._connection.rows(
                queries.list_partitions, {"run_id": run_id(self._connection, run)}
            )
            return [Partition(name=row[0], owner_id=row[1], owner=row[2]) for row in rows]

    def free(self, worker_id: int) -> None:
        """Inside a transaction: the worker owns nothing any more."""
        self._connection.execute(queries.free_partitions, (worker_id,))

    def _check(self, run: str, names: Collection[str]) -> None:
        known = {partition.name for partition in self.find(run)}
        unknown = sorted(set(names) - known)
        if unknown:
            raise InputError(f"run {run!r} has no partition {unknown[0]!r}")
