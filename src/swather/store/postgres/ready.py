"""Tasks become ready: promoted when they are due, their heads woken."""

from collections import defaultdict
from collections.abc import Callable, Iterable
from typing import Final

from swather.store.postgres.arrays import Bigints
from swather.store.postgres.connection import Connection
from swather.store.postgres.statements import queries

PROMOTED_AT_ONCE: Final = 1_000


def promote_due(connection: Connection, returned: Callable[[int, int, int], None]) -> int:
    """Make a batch of scheduled tasks ready that are due, in a transaction; returns how many.
    `returned` gets each (head, priority, task).
    """

    def work() -> list[tuple[int, int, int]]:
        rows = connection.rows(queries.promote_due, {"limit": PROMOTED_AT_ONCE}, hot=True)
        wake(connection, [(row[0], row[1]) for row in rows])
        return [(row[0], row[1], row[2]) for row in rows]

    promoted = connection.transact(work)
    for place in promoted:
        returned(*place)
    return len(promoted)


def wake(connection: Connection, added: Iterable[tuple[int, int]]) -> None:
    """Wake heads that have new tasks, by (head_id, priority): the last step of the transaction that
    makes them ready.
    """
    best: dict[int, int] = {}
    for head_id, priority in added:
        if best.get(head_id, 0) < priority:
            best[head_id] = priority
    if not best:
        return
    changes: dict[int, Bigints] = defaultdict(Bigints)
    rows = connection.rows(queries.lock_heads_to_wake, {"heads": Bigints(best)}, hot=True)
    for head_id, known, asleep in rows:
        if asleep == "empty" or known < best[head_id]:
            changes[best[head_id]].append(head_id)
    for priority, heads in changes.items():
        connection.execute(queries.wake_heads, {"best": priority, "heads": heads}, hot=True)


def wake_full(connection: Connection, lane_ids: Iterable[int]) -> None:
    """Wake heads that sleep because their lanes were full: one may start again."""
    lanes = Bigints(sorted({lane_id for lane_id in lane_ids if lane_id}))
    if lanes:
        connection.execute(queries.wake_full_lanes, {"lanes": lanes}, hot=True)
