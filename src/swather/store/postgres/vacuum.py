"""Vacuums the tables one by one, the smallest first: what it gives back helps the larger ones."""

from collections.abc import Iterator

from swather.errors import DatabaseBusy
from swather.model.vacuum import Vacuumed
from swather.store.postgres.connection import Connection
from swather.store.postgres.statements import queries


def vacuum_tables(connection: Connection, *, full: bool) -> Iterator[Vacuumed]:
    """With `full` each table is rewritten, under a lock that also blocks readers."""
    options = "FULL, ANALYZE" if full else "ANALYZE"
    before = {row[0]: row[1] for row in connection.rows(queries.table_stats)}
    for table in sorted(before, key=lambda table: before[table]):
        try:
            connection.outside_transaction(f"VACUUM ({options}) swather.{table}")
        except DatabaseBusy as error:
            yield Vacuumed(table, before[table], before[table], skipped=str(error))
            continue
        after = connection.value(queries.table_bytes, {"table": table})
        yield Vacuumed(table, before[table], after)
