"""Cancel: waiting tasks end, running ones lose their lease and end, in one transaction a batch."""

from collections import defaultdict
from typing import Any, Final

from swather.model.advance import Advance, not_told
from swather.model.run import REASON_PREFIX
from swather.model.task import EventKind, State
from swather.model.task_filter import TaskFilter
from swather.store.sqlite.connection import Connection
from swather.store.sqlite.filters import where
from swather.store.sqlite.ready import change_counters, wake_full
from swather.store.sqlite.settings import SQLiteSettings
from swather.store.sqlite.statements import queries

BATCH: Final = 10_000
_UNFINISHED: Final = "o.task_id IS NULL"


def cancel_tasks(
    connection: Connection,
    settings: SQLiteSettings,
    which: TaskFilter,
    advance: Advance = not_told,
) -> int:
    cancelled = 0
    after_id = 0
    while True:
        with connection.transaction():
            condition, values = where(connection, which)
            rows = connection.rows(
                f"{queries.tasks_to_change} WHERE {condition} AND {_UNFINISHED} "
                "AND t.id > :after_id ORDER BY t.id LIMIT :limit",
                # One more than is cancelled: whether there is another batch.
                {**values, "after_id": after_id, "limit": BATCH + 1},
            )
            batch = rows[:BATCH]
            if not batch:
                return cancelled
            _cancel(connection, settings, values["run_id"], batch)
            settings.bump_control_version()
        after_id = batch[-1][0]
        cancelled += len(batch)
        if len(rows) == len(batch):
            return cancelled
        advance(cancelled)


def _cancel(
    connection: Connection, settings: SQLiteSettings, run: int, rows: list[tuple[Any, ...]]
) -> None:
    now = connection.clock.wall()
    deltas: dict[tuple[int, str], int] = defaultdict(int)
    for row in rows:
        deltas[run, row[3]] -= 1
    deltas[run, State.CANCELLED] += len(rows)
    deltas[run, REASON_PREFIX + "cancelled"] += len(rows)
    ids = [(row[0],) for row in rows]
    connection.executemany(
        queries.cancel_ready, [(row[1], row[2], row[0]) for row in rows if row[3] == State.READY]
    )
    connection.executemany(queries.cancel_scheduled, ids)
    connection.executemany(queries.cancel_leased, ids)
    connection.executemany(queries.add_cancelled, [(row[0], run, now) for row in rows])
    wake_full(connection, [row[4] for row in rows])
    change_counters(connection, deltas)
    if settings.logs(EventKind.CANCELLED):
        connection.executemany(queries.log_cancelled, [(now, run, row[0]) for row in rows])
