"""Loads: which sets of targets belong to a run, and which are complete."""

from swather.model.run import Load
from swather.store.checks import check_load
from swather.store.postgres.connection import Connection
from swather.store.postgres.names import run_id
from swather.store.postgres.statements import queries


class PostgresLoads:
    """See swather.store.ports.Loads."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def begin(self, run: str, load: Load) -> None:
        check_load(load)
        this = self._row(run, load)

        def work() -> None:
            self._connection.execute(queries.replace_loads, this)
            self._connection.execute(queries.begin_load, this)

        self._connection.transact(work)

    def complete(self, run: str, load: Load) -> None:
        self._connection.execute(queries.complete_load, self._row(run, load))

    def incomplete(self, run: str) -> list[str]:
        this = {"run_id": run_id(self._connection, run)}
        return [name for (name,) in self._connection.rows(queries.incomplete_loads, this)]

    def _row(self, run: str, load: Load) -> dict[str, int | str]:
        return {
            "run_id": run_id(self._connection, run),
            "source": load.source,
            "content": load.content,
            "name": load.name,
        }
