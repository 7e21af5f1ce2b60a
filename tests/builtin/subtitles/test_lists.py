"""Channels and playlists become targets, a page at a time, and resume at their page."""

from typing import Any

import pytest

from swather.builtin.subtitles.scraper import Subtitles
from swather.errors import Later, Permanent, Transient
from swather.net.errors import HttpStatusError
from swather.testing import Answer, FakeSite, Scraped, run_scraper
from tests.builtin.youtube.lists import GRID_PAGE, Channel, channel_id
from tests.builtin.youtube.site import YouTube, serving, ytdl_options

pytestmark = pytest.mark.slow


def ids(count: int, name: str = "cats") -> list[str]:
    return [f"{name}{number:07}" for number in range(count)]


def expanded(site: YouTube, target: Any, **given: Any) -> Scraped:
    params = {"ytdl": ytdl_options(site.url), **given.pop("params", {})}
    return run_scraper(Subtitles, target, params=params, **given)


def videos(scraped: Scraped) -> list[str]:
    return [target["video"] for target in scraped.targets]


def test_a_channel_has_its_videos_streams_and_shorts_however_it_is_named():
    site = YouTube({"cats": Channel(ids(31), ids(2, "shrt"), ids(1, "live"))})
    everything = {*ids(31), *ids(2, "shrt"), *ids(1, "live")}
    with serving(site):
        for name in ("@cats", "https://youtube.com/c/cats", channel_id("cats")):
            scraped = expanded(site, name)
            assert set(videos(scraped)) == everything
            assert {child.key for child in scraped.children} == {
                f"youtube:{one}" for one in everything
            }
            assert {child.lane for child in scraped.children} == {"youtube"}
        assert videos(expanded(site, "https://www.youtube.com/@cats/shorts")) == ids(2, "shrt")


def test_a_page_is_committed_before_the_next_but_one_is_asked_for():
    site = YouTube({"cats": Channel(ids(300))})
    with serving(site):
        whole = expanded(site, "@cats")
        assert videos(whole) == ids(300)
        assert [cursor["found"] for cursor in whole.cursors] == [*range(30, 301, GRID_PAGE)]
        site.asked.clear()
        rest = expanded(site, "@cats", cursor=whole.cursors[4])
        assert videos(rest) == ids(300)[150:]
        assert site.count("page") + site.count("browse") == 1 + 5
        assert rest.cursors == whole.cursors[5:]


def test_a_list_that_takes_long_lets_others_have_their_turn(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("swather.builtin.subtitles.lists._TURN_SECONDS", -1.0)
    site = YouTube({"cats": Channel(ids(90))})
    with serving(site), pytest.raises(Later, match="30 entries listed so far, more to come"):
        expanded(site, "@cats")
    assert site.count("browse") == 1


def test_a_page_that_has_expired_begins_the_list_anew():
    site = YouTube({"cats": Channel(ids(90))})
    with serving(site):
        cursors = expanded(site, "@cats").cursors
        site.lists.refused_tokens.add(cursors[0]["page"])
        with pytest.raises(Transient, match="has expired"):
            expanded(site, "@cats", cursor=cursors[0])
        site.lists.refused_tokens.clear()
        site.lists.refused_tokens.add(cursors[1]["page"])
        with pytest.raises(HttpStatusError, match="400"):
            expanded(site, "@cats", cursor=cursors[0])


def test_a_feed_of_another_site_has_its_pages_as_targets_and_their_host_as_lane():
    links = [f"/watch/{number}" for number in range(250)]
    with FakeSite({}) as site:
        items = "".join(
            f"<item><title>x</title><link>{site.url}{link}</link></item>" for link in links
        )
        feed = f'<?xml version="1.0"?><rss version="2.0"><channel>{items}</channel></rss>'
        site.routes["/feed.xml"] = Answer(feed, headers={"Content-Type": "application/rss+xml"})
        whole = run_scraper(Subtitles, f"{site.url}/feed.xml")
        assert [target["url"] for target in whole.targets] == [site.url + link for link in links]
        assert {child.lane for child in whole.children} == {site.url.removeprefix("http://")}
        assert [cursor["taken"] for cursor in whole.cursors] == [100, 200, 0]
        rest = run_scraper(Subtitles, f"{site.url}/feed.xml", cursor=whole.cursors[1])
        assert rest.targets == whole.targets[200:]


def test_videos_that_share_a_page_are_saved_with_it():
    videos_on_it = "".join(
        f'<video src="/{code}.mp4"><track kind="subtitles" srclang="{code}" src="/t.vtt"></video>'
        for code in ("en", "fr", "en-GB")
    )
    track = "WEBVTT\n\n00:00.000 --> 00:01.000\nHello\n"
    with FakeSite({"/talks": f"<title>Talks</title>{videos_on_it}", "/t.vtt": track}) as site:
        scraped = run_scraper(Subtitles, f"{site.url}/talks", params={"format": "txt"})
        assert site.requests["/talks"] == 1
    assert [item["video_id"] for item in scraped.items] == ["talks-1", "talks-3"]
    assert [*scraped.files.values()] == [b"Hello\n"] * 2
    assert scraped.targets == []


def test_a_list_whose_pages_have_numbers_resumes_at_its_page():
    from yt_dlp.utils import OnDemandPagedList  # noqa: PLC0415 - half a second

    from swather.builtin.subtitles.lists import _entries_of  # noqa: PLC0415

    asked: list[int] = []

    def page(number: int) -> list[dict[str, int]]:
        asked.append(number)
        return [{"id": entry} for entry in range(number * 50, min(number * 50 + 50, 320))]

    entries = _entries_of({"entries": OnDemandPagedList(page, 50)}, 200)
    assert [entry["id"] for entry in entries] == [*range(200, 320)]
    assert asked == [4, 5, 6]


def test_a_list_that_is_private_or_missing_fails_with_a_reason_of_its_own():
    site = YouTube({"cats": Channel(ids(1))}, {"PLcats00000001": ids(150)})
    with serving(site):
        assert videos(expanded(site, "PLcats00000001")) == ids(150)
        for target in ("PLsecret000001", "https://www.youtube.com/@nobody"):
            with pytest.raises(
                Permanent, match=r"does not exist or is private.*--cookies"
            ) as raised:
                expanded(site, target)
            assert raised.value.reason == "list_unavailable"


def test_videos_of_earlier_runs_are_skipped_and_those_without_subtitles_are_asked_for_later():
    site = YouTube({"cats": Channel(ids(40))})
    with serving(site):
        done = expanded(site, "cats0000007").remembered
        assert expanded(site, "cats0000007", remembered=done).items, "the same run has done it"
        earlier = {key: {**end, "run": 0} for key, end in done.items()}
        site.asked.clear()
        again = expanded(site, "https://youtu.be/cats0000007", remembered=earlier)
        assert (again.items, again.skipped, site.asked) == ([], 1, {})
        channel = expanded(site, "@cats", remembered=earlier)
        assert (len(channel.targets), channel.skipped) == (39, 1)
        for given in ({"known": "refresh"}, {"lang": "de"}, {"format": "srt"}):
            assert len(expanded(site, "@cats", remembered=earlier, params=given).targets) == 40
