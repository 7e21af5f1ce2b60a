"""Cancel: waiting tasks end, running ones lose their lease and end, in one transaction a batch."""

from typing import Final

from swather.model.advance import Advance, not_told
from swather.model.task_filter import TaskFilter
from swather.store.postgres.arrays import Bigints, Texts
from swather.store.postgres.connection import Connection
from swather.store.postgres.filters import ids_of
from swather.store.postgres.ready import wake_full
from swather.store.postgres.settings import PostgresSettings
from swather.store.postgres.statements import queries

BATCH: Final = 5_000
MAX_PASSES: Final = 20


def cancel_tasks(
    connection: Connection,
    settings: PostgresSettings,
    which: TaskFilter,
    advance: Advance = not_told,
) -> int:
    sql, values = ids_of(connection, which)
    cancelled = after_id = 0
    while True:
        this = {**values, "after_id": after_id, "limit": BATCH}
        ids = [row[0] for row in connection.rows(sql, this)]
        if not ids:
            return cancelled
        if after_id:
            advance(cancelled)
        cancelled += _cancel_all(connection, settings, ids)
        after_id = ids[-1]


def _cancel_all(connection: Connection, settings: PostgresSettings, ids: list[int]) -> int:
    """A task may move from one table to the next meanwhile, so those that have not ended are
    searched again.
    """
    cancelled = 0
    for _ in range(MAX_PASSES):
        cancelled += _cancel(connection, settings, {"tasks": Bigints(ids)})
        unended = connection.rows(queries.unended_tasks, {"tasks": Bigints(ids)})
        ids = [row[0] for row in unended]
        if not ids:
            break
    return cancelled


def _cancel(connection: Connection, settings: PostgresSettings, these: dict[str, Bigints]) -> int:
    return connection.transact(lambda: _cancel_these(connection, settings, these))


def _cancel_these(
    connection: Connection, settings: PostgresSettings, these: dict[str, Bigints]
) -> int:
    # In the order in which tasks move, each with a new snapshot: what is claimed meanwhile is found
    # among the leases.
    scheduled = connection.rows(queries.cancel_scheduled, these)
    ready = connection.rows(queries.cancel_ready, these)
    leased = connection.rows(queries.cancel_leased, these)
    ended = [row[0] for row in (*scheduled, *ready, *leased)]
    if ended:
        connection.execute(
            queries.add_cancelled,
            {
                "tasks": Bigints(ended),
                "states": Texts(
                    ["scheduled"] * len(scheduled)
                    + ["ready"] * len(ready)
                    + ["leased"] * len(leased)
                ),
            },
        )
        wake_full(connection, [row[1] for row in leased])
        settings.bump_control_version()
    return len(ended)
