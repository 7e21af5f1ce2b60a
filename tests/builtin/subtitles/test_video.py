"""The real yt-dlp on a page with a video: files, items, and what is said when there are none."""

import json

import pytest

from swather.builtin.subtitles.scraper import Subtitles
from swather.errors import Blocked, Permanent
from swather.net.errors import HttpStatusError, Refused, TooLarge
from swather.testing import Answer, FakeSite, run_scraper

pytestmark = pytest.mark.slow

VTT = """WEBVTT

00:00:01.000 --> 00:00:02.500
Hello &amp; <i>welcome</i>

00:00:03.000 --> 00:00:04.000
Bye
"""

LENGTH = "#EXT-X-TARGETDURATION:10"
THE_END = "#EXT-X-ENDLIST"


def page(*tracks: tuple[str, str], title: str = "A video") -> str:
    inside = "".join(
        f"<track kind='subtitles' srclang='{language}' src='{path}'>" for language, path in tracks
    )
    return f"<title>{title}</title><video src='/v.mp4'>{inside}</video>"


@pytest.fixture
def site():
    with FakeSite({"/v.mp4": Answer(b"\0" * 100, headers={"content-type": "video/mp4"})}) as site:
        site.routes["/v"] = page(("en", "/en.vtt"), ("de", "/de.vtt"))
        site.routes["/en.vtt"] = site.routes["/de.vtt"] = VTT
        yield site


def test_each_format_is_a_file_and_an_item(site):
    formats = ["txt", "srt", "vtt", "json3", "ttml"]
    scraped = run_scraper(Subtitles, f"{site.url}/v", params={"format": formats})
    assert set(scraped.files) == {f"A video (1) [v-1].en.{form}" for form in formats}
    assert scraped.files["A video (1) [v-1].en.vtt"].decode() == VTT
    assert scraped.files["A video (1) [v-1].en.txt"] == b"Hello & welcome\nBye\n"
    assert site.requests["/en.vtt"] == 1
    assert site.requests["/de.vtt"] == 0
    item = next(item for item in scraped.items if item["format"] == "srt")
    assert len(item.pop("sha256")) == 64
    assert item == {
        "video_id": "v-1",
        "url": f"{site.url}/v",
        "title": "A video (1)",
        "channel": None,
        "published": None,
        "duration": None,
        "language": "en",
        "automatic": False,
        "format": "srt",
        "file": "A video (1) [v-1].en.srt",
        "characters": 19,
    }


def test_languages_are_taken_in_order_or_all_of_them(site):
    params = {"lang": ["de", "en"], "every_lang": True}
    scraped = run_scraper(Subtitles, f"{site.url}/v", params=params)
    assert [item["language"] for item in scraped.items] == ["de", "en"]


def test_a_title_makes_no_folder(site):
    site.routes["/v"] = page(("en", "/en.vtt"), title="../../etc/passwd")
    params = {"name": "{language}/{title}.{format}"}
    (item,) = run_scraper(Subtitles, f"{site.url}/v", params=params).items
    assert item["file"] == "en/_.._etc_passwd (1).vtt"


def test_metadata_is_saved_without_addresses_and_headers(site):
    scraped = run_scraper(Subtitles, f"{site.url}/v", params={"metadata": True})
    name = "A video (1) [v-1].info.json"
    info = json.loads(scraped.files[name])
    assert info["title"] == "A video (1)"
    assert {"formats", "subtitles", "http_headers", "url"}.isdisjoint(info)
    assert scraped.items[-1]["file"] == name


def test_a_video_without_the_languages_says_which_it_has(site):
    with pytest.raises(Permanent, match="none in fr, only in en, de") as ended:
        run_scraper(Subtitles, f"{site.url}/v", params={"lang": ["fr"]})
    assert ended.value.reason == "no_subtitles"


def test_a_video_without_any_subtitles_says_so(site):
    site.routes["/v"] = page()
    with pytest.raises(Permanent, match="it has no subtitles") as ended:
        run_scraper(Subtitles, f"{site.url}/v")
    assert ended.value.reason == "no_subtitles"


def test_too_many_requests_for_subtitles_wait_as_the_site_asks(site):
    site.routes["/en.vtt"] = Answer(status=429, headers={"retry-after": "77"})
    with pytest.raises(Blocked, match="429") as ended:
        run_scraper(Subtitles, f"{site.url}/v")
    assert ended.value.after == 77


def test_a_page_that_is_missing_is_known_by_its_status(site):
    with pytest.raises(HttpStatusError, match="HTTP 404"):
        run_scraper(Subtitles, f"{site.url}/missing")


def test_nothing_is_printed(site, capfd):
    site.routes["/v"] = page()
    with pytest.raises(Permanent):
        run_scraper(Subtitles, f"{site.url}/v")
    assert capfd.readouterr() == ("", "")


def test_what_a_site_redirects_to_is_not_on_a_private_network(site):
    """The page was given by a person; the address of the track was not."""
    other = FakeSite({"/en.vtt": VTT})
    with other:
        elsewhere = other.url.replace("127.0.0.1", "127.0.0.2")
        site.routes["/en.vtt"] = Answer(status=302, headers={"location": f"{elsewhere}/en.vtt"})
        with pytest.raises(Refused, match=r"127\.0\.0\.2 is not on the public web"):
            run_scraper(Subtitles, f"{site.url}/v")
    assert not other.requests


def test_an_error_that_has_a_name_does_not_come_with_the_insides_of_yt_dlp(site):
    with pytest.raises(HttpStatusError) as ended:
        run_scraper(Subtitles, f"{site.url}/missing")
    assert ended.value.__cause__ is None
    assert ended.value.__suppress_context__


def test_a_track_in_pieces_is_one_file(site):
    """As sites that stream over HLS have them."""
    site.routes |= {
        "/m.m3u8": playlist(
            '#EXT-X-MEDIA:TYPE=SUBTITLES,GROUP-ID="s",NAME="English",LANGUAGE="en",URI="/s.m3u8"',
            '#EXT-X-STREAM-INF:BANDWIDTH=1000,SUBTITLES="s"',
            "/v.m3u8",
        ),
        "/s.m3u8": playlist(LENGTH, "#EXTINF:9,", "/1.vtt", "#EXTINF:9,", "/2.vtt", THE_END),
        "/v.m3u8": playlist(LENGTH, "#EXTINF:9,", "/1.ts", THE_END),
        "/1.vtt": "WEBVTT\n\n00:00:01.000 --> 00:00:02.000\none\n",
        "/2.vtt": "WEBVTT\n\n00:00:09.000 --> 00:00:10.000\ntwo\n",
    }
    scraped = run_scraper(Subtitles, f"{site.url}/m.m3u8", params={"format": ["txt"]})
    assert [*scraped.files.values()] == [b"one\ntwo\n"]


def playlist(*lines: str) -> Answer:
    body = "\n".join(("#EXTM3U", *lines, ""))
    return Answer(body, headers={"content-type": "application/vnd.apple.mpegurl"})


def test_a_track_without_end_is_cut_off(site, monkeypatch):
    monkeypatch.setattr("swather.builtin.subtitles.downloader.MAX_TRACK_BYTES", 50)
    with pytest.raises(TooLarge, match="the subtitles are larger than"):
        run_scraper(Subtitles, f"{site.url}/v")


def test_what_is_no_subtitles_is_not_saved(site):
    site.routes["/en.vtt"] = "<h1>Sorry</h1>"
    with pytest.raises(Permanent, match="not WebVTT") as ended:
        run_scraper(Subtitles, f"{site.url}/v")
    assert ended.value.reason == "unreadable_subtitles"
