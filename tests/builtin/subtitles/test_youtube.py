"""The real extractor of YouTube on the stand-in: what every kind of video comes to."""

from importlib.util import find_spec

import pytest

from swather.builtin.subtitles.scraper import Subtitles
from swather.scraping.classify import classify
from swather.testing import run_scraper
from tests.builtin.youtube.site import YouTube, serving
from tests.builtin.youtube.videos import SCENARIOS

pytestmark = pytest.mark.slow

ARGUMENTS = (
    "extractor_args=youtube:player_skip=webpage,configs,js,initial_data;player_client=android_vr"
)
# With requests installed, yt-dlp blames the proxy for a tunnel that breaks.
DROPPED = "transient" if find_spec("requests") is None else "proxy"
# The attempt, and what it comes to.
ENDS = {
    "limited": (1, "blocked", None, 3600),
    "age": (1, "permanent", "age_restricted", None),
    "bot": (1, "blocked", None, None),
    "captcha": (1, "blocked", None, None),
    "other": (1, "blocked", None, None),
    "busy": (1, "blocked", None, 1),
    "private": (1, "permanent", "private", None),
    "removed": (1, "permanent", "unavailable", None),
    "terminated": (1, "permanent", "unavailable", None),
    "members": (1, "permanent", "members_only", None),
    "drm": (1, "permanent", "drm", None),
    "gone": (2, "permanent", "unavailable", None),
    "geo": (1, "permanent", "geo_blocked", None),
    "premiere": (1, "later", "too_late", 7200),
    "live": (1, "later", "too_late", 1800),
    "silent": (1, "permanent", "no_subtitles", None),
    "empty": (1, "transient", None, None),
    "cut": (1, "transient", None, None),
    "reset": (1, "transient", None, None),
    "down": (1, "blocked", None, None),
    "hurried": (1, "blocked", None, 1),
    "dropped": (3, DROPPED, None, None),
    "changed": (3, "permanent", "layout_changed", None),
}


@pytest.fixture(scope="module")
def site():
    with serving(YouTube()) as site:
        yield site


def params(site: YouTube, **more):
    return {"ytdl": [f"proxy={site.url}", "nocheckcertificate=true", ARGUMENTS], **more}


def test_every_scenario_has_an_end():
    assert ENDS.keys() | {"good", "auto"} == SCENARIOS.keys()


@pytest.mark.parametrize("name", ENDS)
def test_a_video_comes_to_its_end(site, name):
    attempt, *end = ENDS[name]
    with pytest.raises(Exception) as ended:  # noqa: PT011 - what it is, is what is asked
        run_scraper(Subtitles, f"{name:0<11}", params=params(site), attempt=attempt)
    found = classify(ended.value)
    assert [found.fault.error_class, found.reason, found.after_seconds] == [
        *end[:2],
        end[2] if end[2] is None else pytest.approx(end[2], abs=600),
    ]


def test_one_request_is_enough_for_one_format(site):
    (item,) = run_scraper(Subtitles, "good0000001", params=params(site)).items
    assert (item["language"], item["automatic"], item["duration"]) == ("en", False, 61)
    assert item["published"] == "2026-02-15"
    assert site.count("subtitles", "good0000001") == 1


def test_automatic_captions_are_marked_as_such(site):
    (item,) = run_scraper(Subtitles, "auto0000001", params=params(site, format=["txt"])).items
    assert item["automatic"] is True
    assert item["file"] == "Video auto0000001 [auto0000001].en.txt"
