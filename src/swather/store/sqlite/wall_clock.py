"""The wall clock set back. No twin: a PostgreSQL session has no second clock to compare.

Due times are durations from now, put on the wall clock so that they outlive a reboot. The
monotonic clock tells when somebody has set the wall clock back. One set forward cannot be told
from a machine that slept, and makes things due early at worst.
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
)


def follow(connection: Connection) -> None:
    """Inside a transaction: bring due times forward by as much as the clock went back."""
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
    # Heads that are awake are at 0; those that wait to be woken are at infinity, and stay there.
    connection.execute(queries.shift_heads, (step,))
