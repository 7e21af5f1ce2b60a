"""Transactions of others in words: whose they are, since when, and how to end them."""

from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta
from typing import Final

from swather.model.transaction import OpenTransaction
from swather.runs.reason import Reason
from swather.runs.words import clock_time, duration

# Transactions are short; an older one is a problem.
_LONG_SECONDS: Final = 5.0
_MAX_TOLD: Final = 3


def holding_locks(transactions: Sequence[OpenTransaction]) -> Iterator[Reason]:
    """Transactions that have held locks on Swather's tables for long."""
    holding = [each for each in transactions if each.holds_locks and _is_old(each)]
    for transaction in holding[:_MAX_TOLD]:
        for_long = "" if transaction.seconds is None else f" for {duration(transaction.seconds)}"
        yield Reason(
            code="locks_held",
            text=(
                f"{_whose(transaction, capital=True)} has held locks{for_long}"
                f"{_silence(transaction)}; {_way_out(transaction)}"
            ),
            stops=True,
            values={"pid": transaction.pid, "seconds": transaction.seconds},
        )


def in_the_way(transactions: Sequence[OpenTransaction], now: datetime) -> str:
    """The oldest one: '… whose transaction has been open since 12:03:05'."""
    if not transactions:
        return "a transaction that has just ended"
    transaction = transactions[0]
    since = ""
    if transaction.seconds is not None:
        since = f" since {clock_time(now - timedelta(seconds=transaction.seconds), now)}"
    return (
        f"{_whose(transaction)}, whose transaction has been open{since}; to end it: "
        f"{_statement(transaction)}"
    )


def _whose(transaction: OpenTransaction, *, capital: bool = False) -> str:
    if transaction.pid is None:
        kind, about = f"prepared transaction {transaction.application!r}", transaction.user
    else:
        kind = f"connection {transaction.pid}"
        where = f"from {transaction.host}" if transaction.host else "on the database host"
        about = f"{transaction.application or 'unnamed'}, user {transaction.user}, {where}"
    return f"{kind[0].upper() + kind[1:] if capital else kind} ({about})"


def _silence(transaction: OpenTransaction) -> str:
    if not transaction.silent_seconds or transaction.silent_seconds < 1:
        return ""
    return f", its client has been silent for {duration(transaction.silent_seconds)}"


def _way_out(transaction: OpenTransaction) -> str:
    if transaction.is_ours:
        return f"workers end it if they may; otherwise run: {_statement(transaction)}"
    return f"let it end, or run as its owner: {_statement(transaction)}"


def _statement(transaction: OpenTransaction) -> str:
    if transaction.pid is None:
        name = transaction.application.replace("'", "''")
        return f"ROLLBACK PREPARED '{name}'"
    return f"SELECT pg_terminate_backend({transaction.pid})"


def _is_old(transaction: OpenTransaction) -> bool:
    """Unknown ages count as old."""
    return transaction.seconds is None or transaction.seconds >= _LONG_SECONDS
