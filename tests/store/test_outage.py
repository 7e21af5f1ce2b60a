"""An outage of the database: one warning in ten seconds, and one when it is back."""

from threading import Event

import pytest

from swather.errors import DatabaseUnreachable
from swather.store.outage import Outage
from swather.store.ports import Store
from swather.store.retrying_queue import RetryingQueue

AWAY = DatabaseUnreachable("no route to host")


class Time:
    """A clock that stands still until it is moved."""

    now = 100.0

    def __call__(self) -> float:
        return self.now


def test_many_failures_are_one_warning_in_ten_seconds(caplog: pytest.LogCaptureFixture):
    time = Time()
    outage = Outage(time)
    for _ in range(420):
        outage.failed(AWAY)
        time.now += 0.1
    outage.answered()
    outage.answered()
    away = "waiting for the database: DatabaseUnreachable: no route to host"
    assert caplog.messages == [*[away] * 5, "the database is back after 42 s"]


def test_an_outage_that_nobody_was_told_of_does_not_end_aloud(caplog: pytest.LogCaptureFixture):
    time = Time()
    outage = Outage(time)
    for _ in range(3):
        outage.failed(AWAY)
        time.now += 1
        assert outage.seconds == 1
        outage.answered()
        assert outage.seconds is None
    assert [message[:24] for message in caplog.messages] == [
        "waiting for the database",
        "the database is back aft",
    ]


def test_stores_of_one_process_share_their_outage(store: Store):
    another = store.another()
    try:
        assert another.outage is store.outage
    finally:
        another.close()


def test_a_queue_that_retries_says_that_the_database_is_back(
    store: Store, caplog: pytest.LogCaptureFixture
):
    failures = iter([AWAY, AWAY, AWAY])

    def verb() -> str:
        for failure in failures:
            raise failure
        return "done"

    assert RetryingQueue(store.queue, Event(), store.outage).repeat(verb) == "done"
    assert [message[:24] for message in caplog.messages] == [
        "waiting for the database",
        "the database is back aft",
    ]
