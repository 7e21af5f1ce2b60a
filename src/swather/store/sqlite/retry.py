"""Retry by a person: ended tasks become ready again, with fresh budgets."""

from collections import defaultdict
from typing import Any, Final

from swather.model.run import REASON_PREFIX
from swather.model.task import State
from swather.model.task_filter import TaskFilter
from swather.store.sqlite.connection import Connection
from swather.store.sqlite.filters import where
from swather.store.sqlite.ready import change_counters, make_ready
from swather.store.sqlite.settings import SQLiteSettings
from swather.store.sqlite.statements import queries

BATCH: Final = 10_000


def retry_tasks(
    connection: Connection, settings: SQLiteSettings, which: TaskFilter, *, anew: bool
) -> int:
    retried = 0
    after_id = 0
    while True:
        with connection.transaction():
            condition, values = where(connection, which)
            rows = connection.rows(
                f"{queries.tasks_to_change} WHERE {condition} AND o.task_id IS NOT NULL "
                "AND t.id > :after_id ORDER BY t.id LIMIT :limit",
                {**values, "after_id": after_id, "limit": BATCH},
            )
            if not rows:
                return retried
            replacing = [row for row in rows if anew or row[3] == State.COMPLETED]
            _retry(connection, values["run_id"], rows, replacing)
            connection.execute(queries.reopen_run, values)
            settings.bump_control_version()
            after_id = rows[-1][0]
            retried += len(rows)


def _retry(
    connection: Connection, run: int, rows: list[tuple[Any, ...]], replacing: list[tuple[Any, ...]]
) -> None:
    now = connection.clock.wall()
    deltas: dict[tuple[int, str], int] = defaultdict(int)
    for row in rows:
        deltas[run, row[3]] -= 1
        deltas[run, REASON_PREFIX + row[5]] -= 1
    deltas[run, State.READY] += len(rows)
    connection.executemany(queries.drop_outcomes, [(row[0],) for row in rows])
    connection.executemany(queries.forgive_faults, [(row[0],) for row in rows])
    connection.executemany(
        queries.mark_replaces,
        [(row[0], run, int(row[3] == State.COMPLETED), now) for row in replacing],
    )
    # Those that completed have none.
    connection.executemany(queries.drop_checkpoints, [(row[0],) for row in replacing])
    make_ready(connection, [(row[1], row[2], row[0]) for row in rows])
    change_counters(connection, deltas)
