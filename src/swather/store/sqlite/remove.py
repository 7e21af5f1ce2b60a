"""Remove: a run with everything that belongs to it."""

from collections import Counter
from typing import Final

from swather.model.advance import Advance, not_told
from swather.model.rejection import REJECTED_PREFIX
from swather.model.run import REASON_PREFIX
from swather.store.sqlite.connection import Connection, ids
from swather.store.sqlite.ready import change_counters
from swather.store.sqlite.statements import queries

BATCH: Final = 10_000
_BY_TASK: Final = {
    "leases": "leased", "scheduled": "scheduled", "items": "items", "files": "files",
    "outdated_items": "outdated",
    "faults": None, "checkpoints": None, "events": None, "unlinked": None,
}  # fmt: skip
_BY_RUN: Final = (
    "events", "error_groups", "counters", "partitions", "heads", "pages", "loads", "item_heirs",
    "allowed_hosts", "serving", "partition_plans", "history_samples", "history_runs",
    "measurements",
)  # fmt: skip


def remove_run(connection: Connection, number: int, advance: Advance = not_told) -> int | None:
    """In batches, the run's row last, so that it can be repeated; how many tasks it had, None if
    it was reopened meanwhile.
    """
    removed = 0
    while batch := remove_some(connection, number, BATCH):
        removed += batch
        advance(removed)
    return None if batch is None else removed


def remove_some(connection: Connection, number: int, limit: int) -> int | None:
    """Remove a batch of tasks; 0 if it was the rest of the run, None if the run is open."""
    with connection.transaction():
        return _remove_batch(connection, {"run_id": number, "limit": limit})


def _remove_batch(connection: Connection, this: dict[str, int]) -> int | None:
    if connection.value(queries.run_state, (this["run_id"],)) == "open":
        return None
    tasks = [row[0] for row in connection.rows(queries.tasks_to_remove, this)]
    if tasks:
        _remove_tasks(connection, this["run_id"], tasks)
        return len(tasks)
    for table in _BY_RUN:
        connection.execute(f"DELETE FROM {table} WHERE run_id = :run_id", this)
    connection.execute(queries.remove_run, this)
    return 0


def _remove_tasks(connection: Connection, number: int, tasks: list[int]) -> None:
    """Subtracted at once: the counts must be right if the run is reopened before the next batch."""
    gone: Counter[tuple[int, str]] = Counter()
    for table, name in _BY_TASK.items():
        n = connection.execute_counting(
            f"DELETE FROM {table} WHERE task_id IN carray(?)", (ids(tasks),)
        )
        if name is not None:
            gone[number, name] -= n
    for run_id, reason, n in connection.rows(queries.remove_rejections, (ids(tasks),)):
        gone[run_id, REJECTED_PREFIX + reason] -= n
    gone[number, "ready"] -= connection.execute_counting(queries.remove_ready, (ids(tasks),))
    for state, reason in connection.rows(queries.remove_outcomes, (ids(tasks),)):
        gone[number, state] -= 1
        gone[number, REASON_PREFIX + reason] -= 1
    connection.execute(queries.drop_pages, (number, ids(tasks)))
    connection.execute(queries.remove_tasks, (ids(tasks),))
    change_counters(connection, gone)
