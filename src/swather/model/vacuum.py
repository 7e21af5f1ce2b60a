"""What a vacuum gave back."""

from typing import NamedTuple


class Vacuumed(NamedTuple):
    """A table, or the whole file of SQLite. `skipped`: why it was left as it was, if it was."""

    table: str
    bytes_before: int
    bytes_after: int
    skipped: str = ""
