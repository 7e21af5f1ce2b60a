"""Enqueue: targets become tasks, once per key and run, a batch at a time."""

from collections.abc import Sequence

from swather.model.run import counts_from
from swather.model.task import EventKind, EventLevel, State
from swather.store.batching import Added, Row, fitting
from swather.store.sqlite.connection import Connection
from swather.store.sqlite.names import Heads
from swather.store.sqlite.ready import change_counters, counters_of, wake
from swather.store.sqlite.statements import queries


def add_rows(
    connection: Connection, heads: Heads, run_id: int, rows: Sequence[Row], level: EventLevel
) -> Added:
    """Add rows that the run does not have, up to its task limit, inside a transaction."""
    limit = connection.value(queries.get_task_limit, (run_id,))
    if limit is None:
        return Added(_add(connection, heads, run_id, rows, level))
    kept, over = _fitting(connection, run_id, rows, limit)
    change_counters(connection, {(run_id, "over_limit"): over})
    new = _add(connection, heads, run_id, kept, level) if kept else 0
    return Added(new, over)


def _fitting(
    connection: Connection, run_id: int, rows: Sequence[Row], limit: int
) -> tuple[list[Row], int]:
    there = counts_from(counters_of(connection, run_id)).total
    known = connection.many_rows(queries.known_key, [(run_id, row.key) for row in rows])
    return fitting(rows, {key for (key,) in known}, limit - there)


def _add(
    connection: Connection, heads: Heads, run_id: int, rows: Sequence[Row], level: EventLevel
) -> int:
    now = connection.clock.wall()
    before = connection.value(queries.last_task)
    best: dict[int, int] = {}
    mask = 0
    values = []
    scheduled = False
    head_ids: dict[tuple[str, str], int] = {}
    for key, target, priority, lane, partition, due_in_seconds, parent_id in rows:
        head_id = head_ids.get((partition, lane))
        if head_id is None:
            head_id = head_ids[partition, lane] = heads.id_of(run_id, partition, lane)
        if best.get(head_id, 0) < priority:
            best[head_id] = priority
        mask |= 1 << priority
        due_at = now + due_in_seconds if due_in_seconds > 0 else None
        scheduled = scheduled or due_at is not None
        values.append((run_id, head_id, priority, key, target, parent_id, due_at, now))
    connection.executemany(queries.add_tasks, values)
    this = {"before": before}
    ready = connection.execute_counting(queries.add_new_to_ready, this)
    later = connection.execute_counting(queries.add_new_to_scheduled, this) if scheduled else 0
    connection.execute(
        queries.add_priorities,
        {"mask": mask, "run_id": run_id},
    )
    wake(connection, best)
    change_counters(connection, {(run_id, State.READY): ready, (run_id, State.SCHEDULED): later})
    if level.logs(EventKind.CREATED):
        connection.execute(queries.log_created, this)
    return ready + later
