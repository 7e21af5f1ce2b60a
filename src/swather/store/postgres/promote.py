"""Promote: scheduled tasks become ready when they are due."""

from collections.abc import Callable
from typing import Final

from swather.store.postgres.connection import Connection
from swather.store.postgres.statements import queries
from swather.store.postgres.wake import wake

BATCH: Final = 1_000


def promote_due(connection: Connection, returned: Callable[[int, int, int], None]) -> int:
    """One batch, in a transaction: how many. `returned` gets each (head, priority, task)."""

    def work() -> list[tuple[int, int, int]]:
        rows = connection.rows(queries.promote_due, {"limit": BATCH}, hot=True)
        wake(connection, [(row[0], row[1]) for row in rows])
        return [(row[0], row[1], row[2]) for row in rows]

    promoted = connection.transact(work)
    for place in promoted:
        returned(*place)
    return len(promoted)
