"""Wakes heads, inside the transaction that changes their tasks or lanes."""

from collections.abc import Iterable, Mapping

from swather.store.sqlite.connection import Connection
from swather.store.sqlite.statements import queries


def wake(connection: Connection, best: Mapping[int, int]) -> None:
    """Wake heads that have new tasks of up to the given priority."""
    connection.executemany(
        queries.wake_heads, [{"head_id": head, "best": best[head]} for head in best]
    )


def wake_full(connection: Connection, lane_ids: Iterable[int]) -> None:
    """Wake heads that sleep because their lanes were full: one may start again."""
    lanes = {lane_id for lane_id in lane_ids if lane_id}
    connection.executemany(queries.wake_full_lane, [(lane_id,) for lane_id in lanes])
