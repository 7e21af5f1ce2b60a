"""Promote: scheduled tasks become ready when they are due."""

from collections import defaultdict
from typing import Final

from swather.model.task import State
from swather.store.sqlite import counting
from swather.store.sqlite.connection import Connection
from swather.store.sqlite.enqueue import make_ready
from swather.store.sqlite.statements import queries

BATCH: Final = 1_000


def promote_due(connection: Connection) -> int:
    """One batch, inside a transaction; returns how many."""
    now = connection.clock.wall()
    if not connection.row(queries.any_due, (now,)):
        return 0
    due = connection.rows(queries.promote_due, {"now": now, "limit": BATCH})
    make_ready(connection, [row[:3] for row in due])
    deltas: dict[tuple[int, str], int] = defaultdict(int)
    for row in due:
        deltas[row[3], State.SCHEDULED] -= 1
        deltas[row[3], State.READY] += 1
    counting.count(connection, deltas)
    return len(due)
