"""A transaction that another program has open on the database."""

import msgspec


class OpenTransaction(msgspec.Struct, frozen=True, kw_only=True):
    """`pid`: of its connection on the database server; None for a prepared transaction, whose name
    is `application`. `seconds`, `silent_seconds`: None when we may not see them.

    `seconds`: how long it has been open. `silent_seconds`: how long the server has waited for the
    client; 0 while it does not wait. `holds_locks`: on Swather's tables. `is_ours`: opened by a
    Swather process.
    """

    pid: int | None
    application: str
    user: str
    host: str
    seconds: float | None
    silent_seconds: float | None
    holds_locks: bool
    is_ours: bool
