"""When schedules are due: time zones, clocks that change, expressions that cannot be read."""

from datetime import UTC, datetime, timedelta
from itertools import pairwise

import pytest

from swather.errors import InputError
from swather.model.schedule import (
    MAX_MISSED,
    NewSchedule,
    Overlap,
    Schedule,
    checked,
    following,
    in_words,
    next_time,
    overlap_of,
)


def at(text: str) -> datetime:
    return datetime.fromisoformat(text)


def times(cron: str, timezone: str, after: str, count: int) -> list[str]:
    """The next due times, in UTC, without seconds."""
    found, now = [], at(after)
    for _ in range(count):
        now = next_time(cron, timezone, now)
        found.append(f"{now:%d %H:%M}")
    return found


def a_schedule(cron: str = "* * * * *", **fields) -> Schedule:
    now = at("2026-06-01T12:00:30+00:00")
    plain = {
        "id": 1, "name": "books", "scraper": "books", "cron": cron, "timezone": "UTC",
        "overlap": Overlap.SKIP, "params": {}, "targets": (), "origin": "", "enabled": True,
        "revision": 0, "created_at": now, "now": now, "next_at": at("2026-06-01T12:00:00+00:00"),
    }  # fmt: skip
    return Schedule(**{**plain, **fields})


@pytest.mark.parametrize(
    ("cron", "timezone", "after", "expected"),
    [
        ("0 2 * * *", "UTC", "2026-06-01T01:59:59+00:00", ["01 02:00", "02 02:00"]),
        # An instant that is due itself is over.
        ("0 2 * * *", "UTC", "2026-06-01T02:00:00+00:00", ["02 02:00"]),
        ("0 2 * * *", "Europe/Berlin", "2026-06-01T00:00:01+00:00", ["02 00:00"]),
        ("0 2 * * *", "America/New_York", "2026-06-01T00:00:00+00:00", ["01 06:00"]),
        ("@daily", "Asia/Kolkata", "2026-06-01T00:00:00+00:00", ["01 18:30"]),
        ("0 9 * * 1-5", "UTC", "2026-06-05T10:00:00+00:00", ["08 09:00"]),
        ("0 0 29 2 *", "UTC", "2026-06-05T10:00:00+00:00", ["29 00:00"]),
        # On 29 March 02:30 does not exist in Berlin: due as soon as the clocks have changed.
        (
            "30 2 * * *",
            "Europe/Berlin",
            "2026-03-28T00:00:00+00:00",
            ["28 01:30", "29 01:00", "30 00:30"],
        ),
        # On 25 October 02:30 comes twice: due the first time.
        (
            "30 2 * * *",
            "Europe/Berlin",
            "2026-10-24T00:00:00+00:00",
            ["24 00:30", "25 00:30", "26 01:30"],
        ),
        # Asked in the second 02:45, the first 02:50 is over.
        ("50 2 * * *", "Europe/Berlin", "2026-10-25T01:45:00+00:00", ["26 01:50"]),
        # Every hour is every hour, also when it has the same name as the one before.
        (
            "0 * * * *",
            "Europe/Berlin",
            "2026-10-24T23:30:00+00:00",
            ["25 00:00", "25 01:00", "25 02:00"],
        ),
        ("0 * * * *", "Europe/Berlin", "2026-03-29T00:30:00+00:00", ["29 01:00", "29 02:00"]),
    ],
)
def test_the_next_times_are_those_of_the_clock_on_the_wall(
    cron: str, timezone: str, after: str, expected: list[str]
):
    assert times(cron, timezone, after, len(expected)) == expected


def test_a_nightly_schedule_is_due_once_a_day_all_year_round():
    now, nights = at("2026-01-01T00:00:00+00:00"), []
    for _ in range(365):
        now = next_time("30 2 * * *", "Europe/Berlin", now)
        nights.append(now)
    gaps = {after - before for before, after in pairwise(nights)}
    assert {night.date() for night in nights} == {
        at("2026-01-01").date() + timedelta(days) for days in range(365)
    }
    assert gaps == {
        timedelta(hours=24),
        timedelta(hours=23, minutes=30),
        timedelta(hours=25),
    }


@pytest.mark.parametrize(
    ("cron", "timezone", "message"),
    [
        ("* * * *", "UTC", "cron '* * * *' has 4 fields, not 5"),
        ("* * * * * *", "UTC", "has 6 fields, not 5"),
        ("61 * * * *", "UTC", "cron '61 * * * *' cannot be read: bad minute"),
        ("0 0 31 2 *", "UTC", "bad day-of-month"),
        ("0 2 * * *", "Mars/Olympus", "there is no time zone 'Mars/Olympus'"),
        ("0 2 * * *", "../../etc/passwd", "there is no time zone"),
        ("0 2 * * *", "", "there is no time zone ''"),
    ],
)
def test_a_schedule_that_cannot_be_read_says_what_is_wrong(cron: str, timezone: str, message: str):
    with pytest.raises(InputError, match=r"^[^\n]*$") as caught:
        checked(NewSchedule(name="a", scraper="books", cron=cron, timezone=timezone))
    assert message in str(caught.value)


def test_an_overlap_that_does_not_exist_is_refused_with_those_that_do():
    with pytest.raises(InputError, match="one of skip, queue, both, got 'wait'"):
        overlap_of("wait")
    assert overlap_of("queue") is Overlap.QUEUE


@pytest.mark.parametrize(
    ("now", "next_at", "missed"),
    [
        ("2026-06-01T12:00:30+00:00", "2026-06-01T12:01:00+00:00", 0),
        ("2026-06-01T12:03:30+00:00", "2026-06-01T12:04:00+00:00", 3),
        # More than are counted; the next time is in the future all the same.
        ("2026-07-01T12:03:30+00:00", "2026-07-01T12:04:00+00:00", MAX_MISSED),
    ],
)
def test_times_that_were_missed_are_counted_and_not_made_up_for(
    now: str, next_at: str, missed: int
):
    assert following(a_schedule(now=at(now))) == (at(next_at), missed)


def test_an_expression_is_told_in_words():
    assert in_words("0 2 * * *") == "At 02:00 every day"
    assert in_words("@hourly") == in_words("0 * * * *")


def test_due_seconds_are_those_of_the_databases_clock():
    assert a_schedule().due_seconds == -30
    assert a_schedule(now=datetime(2026, 6, 1, 11, 59, tzinfo=UTC)).due_seconds == 60
