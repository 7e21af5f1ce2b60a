"""A transaction that somebody else has open on the database."""

from datetime import datetime

import msgspec


class OpenTransaction(msgspec.Struct, frozen=True, kw_only=True):
    """`pid`: of its connection on the database server; None for a prepared transaction, whose name
    is `application`. `began_at`, `silent_seconds`: None when we may not see them.

    `silent_seconds`: how long the server has waited for the client inside the transaction; 0 while
    it does not wait. `holds_locks`: on Swather's tables. `is_ours`: opened by a Swather process.
    """

    pid: int | None
    application: str
    user: str
    host: str
    began_at: datetime | None
    silent_seconds: float | None
    holds_locks: bool
    is_ours: bool
