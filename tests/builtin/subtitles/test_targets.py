"""What a person may write as a target of `subtitles`."""

import pytest

from swather.builtin.subtitles.scraper import Subtitles
from swather.builtin.subtitles.targets import Listing, Page, Video, wanted_of
from swather.errors import BadTarget
from swather.scraping.targets import target_of

ID = "dQw4w9WgXcQ"
LIST = "PLrAXtmErZgOeiKm4sgNOknGvNjby9efdf"
CHANNEL = "UCuAXFkgsw1L7xaCfnd5JJOw"
YOUTUBE = "https://www.youtube.com"


@pytest.mark.parametrize(
    "target",
    [
        ID,
        f" {ID} ",
        {"video": ID},
        {"url": f"{YOUTUBE}/watch?v={ID}"},
        f"{YOUTUBE}/watch?v={ID}",
        f"http://youtube.com/watch?feature=share&v={ID}&t=42s",
        f"https://m.youtube.com/watch?v={ID}#t=1",
        f"https://music.youtube.com/watch?v={ID}",
        f"https://youtu.be/{ID}?si=abc",
        f"youtu.be/{ID}",
        f"www.youtube.com/watch?v={ID}",
        f"{YOUTUBE}/shorts/{ID}",
        f"{YOUTUBE}/live/{ID}",
        f"https://www.youtube-nocookie.com/embed/{ID}",
        f"{YOUTUBE}/watch?v={ID}&list={LIST}&index=3",
    ],
)
def test_all_spellings_of_a_video_are_one_target(target):
    assert wanted_of(target) == Video(ID)
    made = target_of(Subtitles, target)
    assert (made.key, made.lane, made.value) == (f"youtube:{ID}", "youtube", target)


@pytest.mark.parametrize(
    ("target", "url"),
    [
        (LIST, f"{YOUTUBE}/playlist?list={LIST}"),
        (f"{YOUTUBE}/playlist?list={LIST}", f"{YOUTUBE}/playlist?list={LIST}"),
        ({"list": f"{YOUTUBE}/playlist?list={LIST}"}, f"{YOUTUBE}/playlist?list={LIST}"),
        ("@name", f"{YOUTUBE}/@name"),
        (f"{YOUTUBE}/@name", f"{YOUTUBE}/@name"),
        (f"{YOUTUBE}/@name/shorts", f"{YOUTUBE}/@name/shorts"),
        (f"{YOUTUBE}/@name/about?x=1", f"{YOUTUBE}/@name"),
        (CHANNEL, f"{YOUTUBE}/channel/{CHANNEL}"),
        (f"{YOUTUBE}/channel/{CHANNEL}/videos", f"{YOUTUBE}/channel/{CHANNEL}/videos"),
        (f"{YOUTUBE}/c/name/streams", f"{YOUTUBE}/c/name/streams"),
        (f"{YOUTUBE}/user/name", f"{YOUTUBE}/user/name"),
    ],
)
def test_playlists_and_channels_are_lists_on_the_same_lane(target, url):
    assert wanted_of(target) == Listing(url)
    made = target_of(Subtitles, target)
    assert (made.key, made.lane) == (url, "youtube")


def test_a_page_of_another_site_has_its_host_as_lane():
    made = target_of(Subtitles, "https://Vimeo.com/1234?b=2&a=1#x")
    assert wanted_of(made.value) == Page("https://Vimeo.com/1234?b=2&a=1#x")
    assert (made.key, made.lane) == ("https://vimeo.com/1234?b=2&a=1", "vimeo.com")


@pytest.mark.slow
@pytest.mark.parametrize(
    "target",
    [
        "",
        "cats",
        "ytsearch:cats",
        "file:///etc/passwd",
        7,
        None,
        ["a"],
        {"video": "../../x"},
        {"url": f"{YOUTUBE}/watch?v={ID}", "ytdl": ["exec=rm"]},
        {"video": ID, "cookies": "/etc/passwd"},
        f"{YOUTUBE}/watch?v=short",
        f"{YOUTUBE}/feed/trending",
        f"{YOUTUBE}/",
        "http://[::1",
    ],
)
def test_what_is_no_target_is_refused_before_it_is_enqueued(target):
    with pytest.raises(BadTarget):
        target_of(Subtitles, target)


def test_a_target_cannot_bring_options_along():
    with pytest.raises(BadTarget, match="has no 'cookies': options are given to the command"):
        target_of(Subtitles, {"video": ID, "cookies": "/etc/passwd"})
