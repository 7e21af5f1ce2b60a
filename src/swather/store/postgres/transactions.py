"""Transactions of others, ended when they are silent. No twin: SQLite cannot see them."""

import logging
import time
from datetime import datetime
from typing import Any, Final, NamedTuple

import psycopg

from swather.model.transaction import OpenTransaction
from swather.store.postgres.link import Link
from swather.store.postgres.statements import queries

# The same as the server's own limit for idle transactions of ours. That one misses a session that
# waits for the rest of a pipeline, or for a client that reads no replies.
SILENT_SECONDS: Final = 10.0
_LOOK_AGAIN_SECONDS: Final = 0.5
_MAY_NOT: Final = "42501"

_log = logging.getLogger(__name__)


class _Session(NamedTuple):
    """`changed_at`: when its last statement began or ended; if it changes, the session is alive."""

    pid: int
    changed_at: datetime


def open_transaction(row: tuple[Any, ...]) -> OpenTransaction:
    """What a row of queries.transactions says."""
    return OpenTransaction(
        pid=row[0],
        application=row[1],
        user=row[2],
        host=row[3],
        seconds=row[4],
        silent_seconds=row[5],
        holds_locks=row[6],
        is_ours=row[7],
    )


def end_silent(link: Link) -> int:
    """End sessions of Swather processes that hold locks on its tables and whose clients have long
    been silent: stopped, or cut off. Returns how many were ended.
    """
    silent = _silent(link)
    if not silent:
        return 0
    # A live one between two statements has begun the next by now.
    time.sleep(_LOOK_AGAIN_SECONDS)
    still = _silent(link)
    return sum(_end(link, still[session]) for session in silent.keys() & still.keys())


def _silent(link: Link) -> dict[_Session, OpenTransaction]:
    found = {}
    for row in link.execute(queries.transactions):
        transaction = open_transaction(row)
        is_silent = (transaction.silent_seconds or 0) >= SILENT_SECONDS
        if is_silent and transaction.is_ours and transaction.holds_locks:
            found[_Session(row[0], row[8])] = transaction
    return found


def _end(link: Link, transaction: OpenTransaction) -> bool:
    end = f"SELECT pg_terminate_backend({transaction.pid})"
    about = (
        f"connection {transaction.pid} from {transaction.host or 'the database host'} has held "
        f"locks for {transaction.silent_seconds:.0f} s while its client was silent"
    )
    try:
        link.execute(end)
    except psycopg.Error as error:
        if error.sqlstate != _MAY_NOT:
            raise
        _log.warning(
            "%s, and %s may not end it; ask the owner of the database for: %s",
            about, link.info.user, end,
        )  # fmt: skip
        return False
    _log.warning("%s; it was ended", about)
    return True
