"""A lane tells what holds it back, and since whose word."""

from datetime import UTC, datetime, timedelta

import msgspec
import pytest

from swather.model.lane import PacedKind, free_lane
from swather.model.pacing import Limits
from swather.runs.lane_words import holds, pace_of

NOW = datetime(2026, 2, 15, 12, 0, tzinfo=UTC)


def a_lane(kind=PacedKind.LANE, **fields):
    return msgspec.structs.replace(free_lane("example.com", kind), **fields)


def said(lane, **how):
    found = holds(lane, url="sqlite:///queue.db", now=NOW, **how)
    return "\n".join(reason.sentence for reason in found)


def test_a_free_lane_has_nothing_to_tell():
    assert said(a_lane()) == ""


def test_a_cool_down_tells_its_cause():
    lane = a_lane(cool_until=NOW + timedelta(seconds=90), cool_reason="HTTP 429", strikes=1)
    assert "is cooling down for another 1m 30s, until " in said(lane)
    assert " after HTTP 429. To end it now: swather lanes unpause example.com" in said(lane)
    assert said(a_lane(cool_until=NOW - timedelta(seconds=1))) == ""


def test_a_cool_down_tells_how_often_the_site_has_refused_us():
    lane = a_lane(cool_until=NOW + timedelta(seconds=90), cool_reason="HTTP 503", strikes=3)
    assert " after HTTP 503; the site has refused us 3 times in a row. " in said(lane)


@pytest.mark.parametrize(
    ("fields", "sentence", "pace"),
    [
        ({"limits": Limits(0.5)}, "is limited to 2/s.", "2/s"),
        (
            {"limits": Limits(0.5), "crawl_delay_seconds": 2.0},
            "is limited to 30/min: its robots.txt asks for a Crawl-delay of 2.0s.",
            "30/min (crawl delay)",
        ),
        (
            {"crawl_delay_seconds": 2.0, "learned_every_seconds": 3.0},
            "is limited to 20/min, a pace learned from how fast the site answers.",
            "20/min (learned)",
        ),
        ({"limits": Limits(4.0), "learned_every_seconds": 2.0}, "is limited to 15/min.", "15/min"),
        (
            {
                "limits": Limits(0.05),
                "overrides": True,
                "run_limits": Limits(0.2),
                "slowest_run": "shops",
                "learned_every_seconds": 2.0,
            },
            "is limited to 20/s, set with --override (run shops asks for 5/s).",
            "20/s (override)",
        ),
        (
            {"limits": Limits(0.05), "overrides": True, "crawl_delay_seconds": 2.0},
            "is limited to 30/min: its robots.txt asks for a Crawl-delay of 2.0s.",
            "30/min (crawl delay)",
        ),
        (
            {"limits": Limits(in_flight=3), "overrides": True, "learned_every_seconds": 2.0},
            "is limited to 30/min, a pace learned from how fast the site answers.",
            "30/min (learned)",
        ),
    ],
)
def test_the_slowest_pace_holds_and_tells_whose_it_is(fields, sentence, pace):
    assert said(a_lane(**fields)).startswith(f"Lane example.com {sentence}")
    assert pace_of(a_lane(**fields)) == pace


def test_the_runs_own_limits_count_too():
    lane = a_lane(limits=Limits(0.5), crawl_delay_seconds=1.0, in_flight=2)
    text = said(lane, run_limits=Limits(10.0, in_flight=2))
    assert text == (
        "Lane example.com is at its limit of 2 in flight.\nLane example.com is limited to 6/min."
    )


def test_limits_that_override_hold_for_a_run_that_asks_for_others():
    lane = a_lane(limits=Limits(0.05), overrides=True, in_flight=2)
    assert said(lane, run_limits=Limits(10.0, in_flight=2)).startswith(
        "Lane example.com is at its limit of 2 in flight.\n"
        "Lane example.com is limited to 20/s, set with --override (this run asks for 6/min). "
        "To remove it: swather lanes set example.com --rate none"
    )


def test_a_pause_tells_how_to_go_on():
    assert "To resume it: swather lanes unpause example.com --db" in said(a_lane(paused=True))
    of_all = said(a_lane(PacedKind.SCRAPER, paused=True))
    assert of_all.startswith("Scraper example.com is paused. To resume it: ")
    assert "swather lanes unpause example.com --scraper --db" in of_all
