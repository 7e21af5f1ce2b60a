"""Remove: a run with everything that belongs to it."""

from typing import Final

from swather.model.advance import Advance, not_told
from swather.store.postgres.arrays import Bigints, Texts
from swather.store.postgres.connection import Connection
from swather.store.postgres.statements import queries

BATCH: Final = 5_000
_BY_TASK: Final = ("faults", "events")
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
    this = {"run_id": number, "limit": limit}
    return connection.transact(lambda: _remove_batch(connection, this))


def _remove_batch(connection: Connection, this: dict[str, int]) -> int | None:
    state = connection.value(queries.lock_run_to_remove, this)
    if state == "open":
        return None
    ids = Bigints(row[0] for row in connection.rows(queries.tasks_to_remove, this))
    if ids:
        _remove_tasks(connection, this["run_id"], ids)
        return len(ids)
    for table in _BY_RUN:
        connection.execute(f"DELETE FROM swather.{table} WHERE run_id = %(run_id)s", this)
    connection.execute(queries.remove_run, this)
    return 0


def _remove_tasks(connection: Connection, number: int, ids: Bigints) -> None:
    """Subtracted at once: the counts must be right if the run is reopened before the next batch."""
    these = {"run_id": number, "tasks": ids}
    # What waits in the order in which tasks move, as when they are cancelled.
    gone = {
        "scheduled": len(connection.rows(queries.cancel_scheduled, these)),
        "ready": len(connection.rows(queries.cancel_ready, these)),
        "leased": len(connection.rows(queries.cancel_leased, these)),
    }
    connection.execute(
        queries.add_counters,
        {
            "run_id": Bigints([number] * len(gone)),
            "name": Texts(gone),
            "n": Bigints(-n for n in gone.values()),
        },
    )
    connection.execute(queries.drop_outcomes, these)
    connection.execute(queries.drop_replaced, these)
    for table in _BY_TASK:
        connection.execute(
            f"DELETE FROM swather.{table} WHERE task_id = ANY(%(tasks)b::bigint[])", these
        )
    connection.execute(queries.drop_pages, these)
    connection.execute(queries.remove_tasks, these)
