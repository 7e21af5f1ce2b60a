"""Numbers and times as people read them."""

from datetime import UTC, datetime

import pytest

from swather.runs import words


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (-1, "0.0s"),
        (0.42, "0.4s"),
        (48, "48s"),
        (60, "1m"),
        (135, "2m 15s"),
        (3_605, "1h"),
        (8_100, "2h 15m"),
        (86_460, "1d"),
        (90_000, "1d 1h"),
    ],
)
def test_a_duration_has_its_two_largest_units(seconds, text):
    assert words.duration(seconds) == text


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(None, None), (float("inf"), None), (0.2, "~0s"), (3.2, "~4s"), (8_100, "~2h 15m")],
)
def test_an_estimate_says_that_it_is_one(seconds, text):
    assert words.estimate(seconds) == text


@pytest.mark.parametrize(
    ("per_second", "text"),
    [(1_234.56, "1,234.6/s"), (5, "5/s"), (0.5, "30/min"), (0.001, "3.6/h"), (0, "0/h")],
)
def test_a_rate_is_in_the_unit_that_reads_best(per_second, text):
    assert words.rate(per_second) == text


def test_a_time_of_another_day_has_its_date():
    now = datetime(2026, 2, 15, 12, tzinfo=UTC)
    assert len(words.clock_time(now, now)) == len("12:00:00")
    assert len(words.clock_time(now.replace(day=18), now)) == len("2026-02-18 12:00:00")


def test_a_command_can_be_copied_and_tells_no_password():
    assert words.command("why", "a run", url="sqlite:///q.db") == (
        "swather why 'a run' --db sqlite:///q.db"
    )
    assert "secret" not in words.command("why", "r", url="postgresql://me:secret@host/db")
