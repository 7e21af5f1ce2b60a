"""An open breaker tells what it saw, so that a person can tell what is wrong."""

from datetime import UTC, datetime, timedelta

import pytest

from swather.model.lane import Breaker
from swather.runs.breaker_words import describe, suggestion

NOW = datetime(2026, 2, 15, 12, 0, tzinfo=UTC)
URL = "sqlite:///queue.db"


def seen(statuses, classes, **more):
    return {"of": 20, "failed": 19, "statuses": statuses, "classes": classes, **more}


def a_breaker(**fields):
    return Breaker(
        **{
            "scraper": "books",
            "lane": "example.com",
            "opened_at": NOW - timedelta(minutes=5),
            "probe_at": NOW + timedelta(seconds=30),
            "probe_seconds": 60.0,
            "seen": seen({"503": 17, "200": 3}, {"blocked": 17, "ok": 3}, error="HTTP 503 from #"),
            **fields,
        }
    )


@pytest.mark.parametrize(
    ("statuses", "classes", "cause"),
    [
        ({"503": 17, "200": 3}, {"blocked": 17, "ok": 3}, "looks down or overloaded"),
        ({"502": 9, "500": 8, "200": 3}, {"transient": 20}, "looks down or overloaded"),
        ({"no answer": 19, "200": 1}, {"transient": 12, "timeout": 7}, "does not answer"),
        ({"no request": 20}, {"transient": 20}, "Swather saw no answer"),
        ({"no request": 20}, {"timeout": 20}, "Swather saw no answer"),
        ({"no request": 20}, {"blocked": 20}, "banned us"),
        ({"": 20}, {"transient": 20}, "Swather saw no answer"),
        ({"429": 12, "403": 6, "200": 2}, {"blocked": 18, "ok": 2}, "banned us"),
        ({"200": 20}, {"blocked": 20}, "banned us"),
        ({"200": 20}, {"permanent": 19, "ok": 1}, "the scraper looks broken"),
        ({"200": 18, "404": 2}, {"transient": 18, "ok": 2}, "the scraper looks broken"),
        ({"200": 20}, {"crash": 20}, "process crashes"),
        ({"200": 20}, {"timeout": 19, "ok": 1}, "not finish in time"),
        ({"200": 7, "500": 7, "403": 6}, {"transient": 14, "blocked": 6}, "No single cause"),
        ({}, {}, "No single cause"),
    ],
)
def test_a_site_that_is_down_a_ban_and_a_broken_parser_are_told_apart(statuses, classes, cause):
    assert cause in suggestion(seen(statuses, classes))


def test_a_breaker_tells_what_it_saw_and_when_it_tries_again():
    text = describe(a_breaker(), url=URL, now=NOW).sentence
    assert "The breaker of books on lane example.com has been open since " in text
    assert (
        "19 of the last 20 attempts failed (HTTP 503: 17, HTTP 200: 3; blocked: 17, ok: 3)" in text
    )
    assert "most often with: HTTP 503 from #." in text
    assert "One target is tried every 1m, the next at " in text
    assert "(in 30s). If it succeeds, the breaker closes." in text
    assert "swather errors books --db" in text
    assert "swather lanes unpause example.com --db" in text


def test_a_breaker_tells_how_its_tries_went():
    last = {"class": "blocked", "status": 503, "error": "HTTP 503"}
    tried = {**a_breaker().seen, "probes": 3, "last_probe": last}
    text = describe(a_breaker(seen=tried), url=URL, now=NOW).sentence
    assert "3 tries failed so far, the last with HTTP 503 blocked." in text


def test_a_breaker_of_targets_without_a_lane_names_none():
    text = describe(a_breaker(lane=""), url=URL, now=NOW).sentence
    assert "on targets without a lane" in text
    assert "lanes unpause" not in text
    assert "swather unpause --scraper books" in text


@pytest.mark.parametrize("strange", [{}, {"statuses": [1], "classes": "x", "probes": "many"}])
def test_what_another_release_has_seen_breaks_nothing(strange):
    assert "attempts failed" in describe(a_breaker(seen=strange), url=URL, now=NOW).text


def test_without_an_answer_of_ours_the_exception_is_named_and_the_site_is_not_blamed():
    error = "TypeError: 'NoneType' object is not subscriptable"
    told = seen({"no request": 20}, {"transient": 20}, error=error)
    text = describe(a_breaker(seen=told), url=URL, now=NOW).sentence
    assert f"Look at the exception: {error}." in text
    assert "(no request: 20; transient: 20)" in text
    assert "looks down" not in text
