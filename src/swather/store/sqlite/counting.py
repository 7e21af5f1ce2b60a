"""Counter rows, changed and read. No twin: PostgreSQL counts where it changes."""

from collections.abc import Mapping

from swather.store.sqlite.connection import Connection
from swather.store.sqlite.statements import queries


def count(connection: Connection, deltas: Mapping[tuple[int, str], int]) -> None:
    rows = [(run_id, str(name), n) for (run_id, name), n in deltas.items() if n]
    if rows:
        connection.executemany(queries.add_counters, rows)


def sums(connection: Connection, run_id: int) -> dict[str, int]:
    return dict(connection.rows(queries.sum_counters, (run_id,)))
