"""Translates PostgreSQL's errors into ours."""

from typing import Final

import psycopg

from swather.errors import (
    ConnectionLost,
    DatabaseBusy,
    DatabaseReadOnly,
    DatabaseUnreachable,
    InputError,
    SchemaMissing,
    SchemaTooNew,
    StoreError,
    SwatherError,
)

_RETRYABLE: Final = frozenset({"40001", "40P01"})
_LOST_CLASSES: Final = ("08", "57P", "25P03", "25P04")
LACKS_A_RIGHT: Final = "lacks a permission"
_BY_STATE: Final[list[tuple[frozenset[str], type[SwatherError], str]]] = [
    (
        frozenset({"55P03", "57014", "53300", *_RETRYABLE}),
        DatabaseBusy,
        "{shown}: others held locks for too long ({said}); try again, or see: swather status",
    ),
    (
        frozenset({"25006"}),
        DatabaseReadOnly,
        "{shown} accepts no writes ({said}); use the primary server's address",
    ),
    (
        frozenset({"42P01", "3F000", "42883"}),
        SchemaMissing,
        "{shown} has no Swather tables ({said}); create them with: swather db init --db {shown}",
    ),
    (
        frozenset({"42703"}),
        SchemaTooNew,
        "{shown} has tables of another release of Swather ({said}); use that one",
    ),
    (
        frozenset({"53000", "53100", "53200"}),
        StoreError,
        "{shown}: the server has run out of space ({said}); nothing was changed",
    ),
    (
        frozenset({"42501"}),
        StoreError,
        "{shown}: the user " + LACKS_A_RIGHT + " ({said}); grant it, or use the owner",
    ),
]


def is_retryable(error: psycopg.Error) -> bool:
    """True when the database has rolled back the transaction and it can be retried."""
    return error.sqlstate in _RETRYABLE


def is_lock_timeout(error: psycopg.Error) -> bool:
    return error.sqlstate == "55P03"


def is_lost(error: psycopg.Error) -> bool:
    """True when the connection is no longer usable."""
    if isinstance(error, psycopg.OperationalError) and error.sqlstate is None:
        return True
    return error.sqlstate is not None and error.sqlstate.startswith(_LOST_CLASSES)


def translated(error: psycopg.Error, shown: str, *, lost: bool) -> SwatherError:
    """The error that a verb raises instead."""
    state = error.sqlstate or ""
    said = first_line(error)
    if lost:
        return ConnectionLost(
            f"{shown}: the connection was lost ({said}); whether the last change was committed "
            "is uncertain"
        )
    for states, kind, text in _BY_STATE:
        if state in states:
            return kind(text.format(shown=shown, said=said))
    if isinstance(error, psycopg.DataError):
        return InputError(f"{shown}: a value cannot be stored ({said})")
    return StoreError(f"{shown}: {said}")


def unreachable(error: psycopg.Error, shown: str) -> DatabaseUnreachable:
    """Why a connection could not be made, and what to do about it."""
    said = first_line(error)
    lower = said.lower()
    if "password" in lower or "authentication" in lower:
        advice = "check user and password in the URL, PGPASSWORD or ~/.pgpass"
    elif "does not exist" in lower and "database" in lower:
        advice = "create it first, with createdb for example"
    elif "does not exist" in lower and "role" in lower:
        advice = "name a user that exists on the server"
    else:
        advice = "check host, port and that the server is running"
    return DatabaseUnreachable(f"{shown} cannot be reached: {said}; {advice}")


def first_line(error: psycopg.Error) -> str:
    message = error.diag.message_primary or str(error)
    lines = [line.strip() for line in message.strip().splitlines() if line.strip()]
    return lines[-1] if lines and lines[-1].startswith("connection") else " ".join(lines[:1])
