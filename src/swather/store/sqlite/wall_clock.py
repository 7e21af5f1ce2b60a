"""Detects a wall clock that was set back. No twin: PostgreSQL has no second clock to compare.

Due times are stored by the wall clock so that they survive a reboot. The monotonic clock shows when
the wall clock was set back. One set forward cannot be distinguished from a machine that slept, and
at worst makes things due early.
"""

from typing import Final

from swather import posix
from swather.store.sqlite.connection import Connection
from swather.store.sqlite.statements import queries

TOLERANCE_SECONDS: Final = 1.0
_DUE: Final = (
    ("scheduled", "due_at"),
    ("lanes", "cool_until"),
    ("lanes", "forgiven_at"),
    ("breakers", "probe_at"),
    ("source_breakers", "open_until"),
    ("source_breakers", "probing_until"),
    ("proxies", "retry_at"),
    ("proxies", "probing_until"),
    ("proxy_sites", "retry_at"),
    ("proxy_sites", "probing_until"),
    ("deliveries", "due_at"),
)


def follow(connection: Connection) -> None:
    """Inside a transaction: move due times back by as much as the clock."""
    clock = connection.clock
    offset = clock.wall() - clock.monotonic()
    boot, known = connection.row(queries.wall_offset) or (None, None)
    step = offset - known if boot == posix.boot_id() and known is not None else None
    if step is not None and abs(step) < TOLERANCE_SECONDS:
        return
    connection.execute(queries.set_wall_offset, (posix.boot_id(), offset))
    if step is None or step > 0:
        return
    for table, column in _DUE:
        connection.execute(
            f"UPDATE {table} SET {column} = {column} + ? WHERE {column} IS NOT NULL", (step,)
        )
    # Awake heads are at 0, those that wait to be woken at infinity; both stay.
    connection.execute(queries.shift_heads, (step,))
