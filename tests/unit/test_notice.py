"""Notices in words, and how long a delivery is tried."""

from datetime import UTC, datetime

import pytest

from swather.model.notice import (
    FRESH_SECONDS,
    MAX_ATTEMPTS,
    Notice,
    NoticeKind,
    retry_seconds,
)


def a_notice(kind: NoticeKind, run: str | None = "r1", **data) -> Notice:
    now = datetime(2026, 6, 1, tzinfo=UTC)
    return Notice(id=1, uid="u", kind=kind, at=now, scraper="books", run=run, data=data)


@pytest.mark.parametrize(
    ("notice", "text"),
    [
        (
            a_notice(NoticeKind.RUN_ENDED, state="finished", completed=1200, failed=3),
            "run r1 finished: 1,200 completed, 3 failed",
        ),
        (
            a_notice(NoticeKind.RUN_ENDED, state="cancelled", completed=1, failed=0, cancelled=9),
            "run r1 was cancelled: 1 completed, 0 failed, 9 cancelled",
        ),
        (
            a_notice(NoticeKind.RUN_ENDED, state="finished", load_incomplete=True),
            "run r1 finished: 0 completed, 0 failed, but not all of its targets were loaded",
        ),
        (
            a_notice(
                NoticeKind.BREAKER_OPEN,
                None,
                lane="example.com",
                seen={"failed": 19, "of": 20, "error": "HTTP 500"},
            ),
            (
                "books on example.com: 19 of the last 20 attempts failed (HTTP 500); only single "
                "probes go out until one succeeds"
            ),
        ),
        (
            a_notice(
                NoticeKind.BREAKER_OPEN, None, source="pexels", seen={"failed": 3, "error": "403"}
            ),
            (
                "books: source pexels has failed 3 times in a row (403); it is skipped, but for "
                "single probes, until one succeeds"
            ),
        ),
        (
            a_notice(NoticeKind.NO_PROGRESS, seconds=1800, unfinished=12),
            "run r1: no target has ended for 30m, 12 are left",
        ),
        (
            a_notice(NoticeKind.SCHEDULE_FAILED, None, schedule="nightly", reason="no file"),
            "schedule nightly failed: no file",
        ),
    ],
)
def test_a_notice_is_a_sentence(notice: Notice, text: str):
    assert notice.text == text


def test_every_kind_has_words_even_without_its_data():
    assert all(a_notice(kind).text for kind in NoticeKind)


def test_attempts_become_rarer_and_end_after_about_a_day():
    waits = [retry_seconds(attempts) for attempts in range(1, MAX_ATTEMPTS)]
    assert waits[:4] == [10, 20, 40, 80]
    assert waits == sorted(waits)
    assert FRESH_SECONDS * 0.9 < sum(waits) < FRESH_SECONDS * 1.1
    assert retry_seconds(MAX_ATTEMPTS) is None
