"""Partitions: who serves them, and who is planned to."""

from collections.abc import Collection, Mapping

from swather.model.partition import Partition, PartitionCounts
from swather.store.checks import check_limit, check_partitions, check_plan, unknown_worker
from swather.store.postgres.arrays import Bigints, Integers, Texts
from swather.store.postgres.connection import Connection
from swather.store.postgres.names import run_id
from swather.store.postgres.statements import queries


class PostgresPartitions:
    """See swather.store.ports.Partitions."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def find(self, run: str) -> list[Partition]:
        this = {"run_id": run_id(self._connection, run)}
        return [
            Partition(name=name, owner_id=owner_id, owner=owner, number=number, leaving=leaving)
            for name, owner_id, owner, number, leaving in self._connection.rows(
                queries.list_partitions, this
            )
        ]

    def counts(self, run: str) -> dict[str, PartitionCounts]:
        this = {"run_id": run_id(self._connection, run)}
        return {
            name: PartitionCounts(waiting=waiting, running=running)
            for name, waiting, running in self._connection.rows(queries.count_partitions, this)
        }

    def totals(self, run: str) -> dict[str, int]:
        this = {"run_id": run_id(self._connection, run)}
        return dict(self._connection.rows(queries.total_partitions, this))

    def runs(self, scrapers: Collection[str]) -> list[str]:
        rows = self._connection.rows(queries.partitioned_runs, {"scrapers": Texts(scrapers)})
        return [row[0] for row in rows]

    def plan(self, run: str, numbers: Mapping[str, int]) -> None:
        check_plan(numbers)
        this = {"run_id": run_id(self._connection, run)}

        def work() -> None:
            self._connection.execute(queries.lock_partition_plan, this)
            self._connection.execute(queries.drop_partition_plan, this)
            self._add(this, numbers)

        self._connection.transact(work)

    def plan_new(self, run: str, numbers: Mapping[str, int]) -> None:
        check_plan(numbers)
        this = {"run_id": run_id(self._connection, run)}
        self._connection.transact(lambda: self._add(this, numbers))

    def _add(self, this: dict[str, int], numbers: Mapping[str, int]) -> None:
        self._connection.execute(
            queries.add_partition_plan,
            {**this, "names": Texts(numbers), "numbers": Integers(numbers.values())},
        )

    def planned(self, run: str) -> dict[str, int]:
        this = {"run_id": run_id(self._connection, run)}
        return dict(self._connection.rows(queries.partition_plan, this))

    def take_planned(self, worker_id: int, run: str) -> list[str]:
        this = {"run_id": run_id(self._connection, run), "worker_id": worker_id}

        def work() -> list[str]:
            number, paused = self._number(worker_id)
            if number is not None and not paused:
                planned = {**this, "number": number}
                self._connection.execute(
                    queries.serve_runs, {"runs": Bigints([this["run_id"]]), "worker_id": worker_id}
                )
                self._connection.execute(queries.take_planned_partitions, planned)
                self._connection.execute(queries.ask_back_partitions, planned)
            return self._owned(this)

        return self._connection.transact(work)

    def take(
        self, worker_id: int, run: str, names: Collection[str] | None = None, *, limit: int = 1
    ) -> list[str]:
        check_limit(limit)
        this = {"run_id": run_id(self._connection, run), "worker_id": worker_id}
        if names is not None:
            check_partitions(run, names, self.find(run))

        def work() -> list[str]:
            _, paused = self._number(worker_id)
            if not paused:
                self._take(this, names, limit)
            return self._owned(this)

        return self._connection.transact(work)

    def _take(self, this: Mapping[str, int], names: Collection[str] | None, limit: int) -> None:
        if names is None:
            self._connection.execute(queries.take_partitions, {**this, "limit": limit})
        else:
            self._connection.execute(queries.take_named_partitions, {**this, "names": Texts(names)})

    def hand_over(self, worker_id: int) -> list[str]:
        rows = self._connection.rows(queries.hand_over_partitions, {"worker_id": worker_id})
        return sorted(row[0] for row in rows)

    def _number(self, worker_id: int) -> tuple[int | None, bool]:
        """The worker's number, and whether it is paused; it stays alive until the commit."""
        row = self._connection.row(queries.worker_number, {"worker_id": worker_id})
        if row is None:
            raise unknown_worker(worker_id)
        return row[0], row[1]

    def _owned(self, this: Mapping[str, int]) -> list[str]:
        return [row[0] for row in self._connection.rows(queries.owned_partitions, dict(this))]
