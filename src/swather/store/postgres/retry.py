"""Retry by a person: ended tasks become ready again, with fresh budgets."""

from collections.abc import Callable
from typing import Any, Final

from swather.model.task_filter import TaskFilter
from swather.store.postgres.arrays import Bigints
from swather.store.postgres.connection import Connection
from swather.store.postgres.filters import ids_of
from swather.store.postgres.ready import wake
from swather.store.postgres.settings import PostgresSettings
from swather.store.postgres.statements import queries

BATCH: Final = 5_000


def retry_tasks(
    connection: Connection,
    settings: PostgresSettings,
    which: TaskFilter,
    returned: Callable[[int, int, int], None],
    *,
    anew: bool,
) -> int:
    """`returned` gets each (head, priority, task)."""
    sql, values = ids_of(connection, which)
    verb = queries.retry_tasks_anew if anew else queries.retry_tasks
    retried = after_id = 0
    while True:
        this = {**values, "after_id": after_id, "limit": BATCH}
        ids = Bigints(row[0] for row in connection.rows(sql, this))
        if not ids:
            return retried
        after_id = ids[-1] or 0
        run = {"run_id": values["run_id"], "mask": 0}
        rows = _retry(connection, settings, verb, ids, run)
        for row in rows:
            returned(row[0], row[1], row[2])
        retried += len(rows)


def _retry(
    connection: Connection,
    settings: PostgresSettings,
    verb: str,
    ids: Bigints,
    run: dict[str, int],
) -> list[tuple[Any, ...]]:
    def work() -> list[tuple[Any, ...]]:
        connection.execute(queries.lock_run, run)
        rows = connection.rows(verb, {"tasks": ids})
        if rows:
            connection.execute(queries.open_run, run)
            wake(connection, [(row[0], row[1]) for row in rows])
            settings.bump_control_version()
        return rows

    return connection.transact(work)
