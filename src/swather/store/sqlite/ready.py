"""Tasks become ready: put in the queue, counted, their heads woken; inside a transaction."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from swather.model.task import State
from swather.store.sqlite.connection import Connection
from swather.store.sqlite.statements import queries

PROMOTED_AT_ONCE: Final = 1_000


def make_ready(connection: Connection, rows: Sequence[tuple[int, int, int]]) -> None:
    """Put tasks (head_id, priority, task_id) in the queue and wake their heads."""
    connection.executemany(queries.add_ready, rows)
    best: dict[int, int] = {}
    for head_id, priority, _ in rows:
        best[head_id] = max(best.get(head_id, 0), priority)
    wake(connection, best)


def promote_due(connection: Connection) -> int:
    """Make a batch of scheduled tasks ready that are due; returns how many."""
    now = connection.clock.wall()
    if not connection.row(queries.any_due, (now,)):
        return 0
    due = connection.rows(queries.promote_due, {"now": now, "limit": PROMOTED_AT_ONCE})
    make_ready(connection, [row[:3] for row in due])
    deltas: dict[tuple[int, str], int] = defaultdict(int)
    for row in due:
        deltas[row[3], State.SCHEDULED] -= 1
        deltas[row[3], State.READY] += 1
    change_counters(connection, deltas)
    return len(due)


def wake(connection: Connection, best: Mapping[int, int]) -> None:
    """Wake heads that have new tasks of up to the given priority."""
    connection.executemany(
        queries.wake_heads, [{"head_id": head, "best": best[head]} for head in best]
    )


def wake_full(connection: Connection, lane_ids: Iterable[int]) -> None:
    """Wake heads that sleep because their lanes were full: one may start again."""
    lanes = {lane_id for lane_id in lane_ids if lane_id}
    connection.executemany(queries.wake_full_lane, [(lane_id,) for lane_id in lanes])


def change_counters(connection: Connection, deltas: Mapping[tuple[int, str], int]) -> None:
    """Change the counters of runs, by (run_id, name)."""
    connection.executemany(
        queries.add_counters,
        [(run_id, str(name), n) for (run_id, name), n in deltas.items() if n],
    )


def counters_of(connection: Connection, run_id: int) -> dict[str, int]:
    return dict(connection.rows(queries.sum_counters, (run_id,)))
