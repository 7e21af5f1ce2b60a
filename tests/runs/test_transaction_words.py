"""Transactions of others in words."""

from datetime import UTC, datetime
from typing import Any

from swather.model.transaction import OpenTransaction
from swather.runs.transaction_words import holding_locks, in_the_way

NOW = datetime(2026, 2, 15, 12, 3, 5, tzinfo=UTC)


def a_transaction(**fields: Any) -> OpenTransaction:
    given = {
        "pid": 4711,
        "application": "swather",
        "user": "crawler",
        "host": "10.0.0.5",
        "seconds": 75.0,
        "silent_seconds": 74.0,
        "holds_locks": True,
        "is_ours": True,
    }
    return OpenTransaction(**{**given, **fields})


def told(*transactions: OpenTransaction) -> list[str]:
    return [reason.sentence for reason in holding_locks(transactions)]


def test_one_of_ours_is_ended_by_workers():
    assert told(a_transaction()) == [
        (
            "Connection 4711 (swather, user crawler, from 10.0.0.5) has held locks for 1m 15s, its "
            "client has been silent for 1m 14s; workers end it if they may; otherwise run: "
            "SELECT pg_terminate_backend(4711)"
        )
    ]


def test_one_of_another_program_is_left_to_its_owner():
    psql = a_transaction(application="psql", host="", is_ours=False, silent_seconds=0.0)
    assert told(psql) == [
        (
            "Connection 4711 (psql, user crawler, on the database host) has held locks for 1m 15s; "
            "let it end, or run as its owner: SELECT pg_terminate_backend(4711)"
        )
    ]


def test_what_may_not_be_seen_is_told_all_the_same():
    (said,) = told(a_transaction(seconds=None, silent_seconds=None, is_ours=False))
    assert said.startswith("Connection 4711 (swather, user crawler, from 10.0.0.5) has held locks;")


def test_short_ones_and_those_without_locks_are_not_told():
    assert told(a_transaction(seconds=1.0)) == []
    assert told(a_transaction(holds_locks=False)) == []


def test_a_prepared_one_is_decided_by_its_name():
    prepared = a_transaction(
        pid=None, application="two's", host="", silent_seconds=None, is_ours=False
    )
    (said,) = told(prepared)
    assert said.startswith('Prepared transaction "two\'s" (crawler) has held locks for 1m 15s; ')
    assert said.endswith("or run as its owner: ROLLBACK PREPARED 'two''s'")


def test_the_oldest_is_in_the_way():
    said = in_the_way([a_transaction(), a_transaction(pid=1)], NOW)
    assert said.startswith("connection 4711 (swather, user crawler, from 10.0.0.5), whose ")
    assert "has been open since " in said
    assert said.endswith("SELECT pg_terminate_backend(4711)")
    assert in_the_way([], NOW) == "a transaction that has just ended"
