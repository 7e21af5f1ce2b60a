"""Loads: which sets of targets belong to a run, and which are complete."""

from swather.model.run import Load
from swather.store.checks import check_load
from swather.store.sqlite.connection import Connection
from swather.store.sqlite.names import run_id
from swather.store.sqlite.statements import queries


class SQLiteLoads:
    """See swather.store.ports.Loads."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def begin(self, run: str, load: Load) -> None:
        check_load(load)
        with self._connection.transaction():
            this = self._row(run, load)
            self._connection.execute(queries.replace_loads, this)
            self._connection.execute(queries.begin_load, this)

    def complete(self, run: str, load: Load) -> None:
        with self._connection.transaction():
            self._connection.execute(queries.complete_load, self._row(run, load))

    def incomplete(self, run: str) -> list[str]:
        with self._connection.reading():
            this = {"run_id": run_id(self._connection, run)}
            return [name for (name,) in self._connection.rows(queries.incomplete_loads, this)]

    def _row(self, run: str, load: Load) -> dict[str, int | str]:
        return {
            "run_id": run_id(self._connection, run),
            "source": load.source,
            "content": load.content,
            "name": load.name,
        }
