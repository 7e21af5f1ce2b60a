"""What a person may write as a target of `subtitles`, and what is meant by it."""

import re
from typing import Any, Final, NamedTuple
from urllib.parse import parse_qs, urlsplit

from swather.errors import BadTarget
from swather.model.key import normalise_url
from swather.net.request import is_http
from swather.scraping.targets import lane_of_url

YOUTUBE_LANE: Final = "youtube"
_WATCH: Final = "https://www.youtube.com/watch?v="
_EXAMPLES: Final = (
    "a video (https://www.youtube.com/watch?v=… or its id), a playlist, a channel (@name), "
    "or a URL of another site that yt-dlp knows"
)
_VIDEO_ID: Final = re.compile(r"[0-9A-Za-z_-]{11}")
_LIST_ID: Final = re.compile(r"(?:PL|UU|UULF|UUSH|UULV|OL|FL|RD)[0-9A-Za-z_-]{10,}")
_CHANNEL_ID: Final = re.compile(r"UC[0-9A-Za-z_-]{22}")
_HANDLE: Final = re.compile(r"@[\w.·-]{1,100}")
_HOSTS: Final = re.compile(r"(?:[\w-]+\.)?(?:youtube(?:-nocookie)?\.com|youtu\.be)")
# Their next part is a video's id.
_VIDEO_PATHS: Final = frozenset({"shorts", "live", "embed", "v", "e", "watch"})
_CHANNEL_PATHS: Final = frozenset({"channel", "c", "user"})
_TABS: Final = frozenset({"videos", "shorts", "streams", "playlists", "podcasts", "featured"})


class Video(NamedTuple):
    """A video on YouTube."""

    id: str

    @property
    def url(self) -> str:
        return _WATCH + self.id


class Listing(NamedTuple):
    """A playlist or channel on YouTube."""

    url: str


class Page(NamedTuple):
    """A page of another site, which may have a video or a list of them."""

    url: str


Wanted = Video | Listing | Page


def wanted_of(target: Any) -> Wanted:
    """What a target means: a text, or an object with 'video', 'list' or 'url' and nothing else.

    What yt-dlp shall do is said by options, which the person who starts a run gives; a target may
    come from anywhere.
    """
    match target:
        case str():
            return _of_text(target.strip())
        case {"video": str(text), **rest} if not rest and _VIDEO_ID.fullmatch(text):
            return Video(text)
        case {"list": str(text), **rest} | {"url": str(text), **rest} if not rest:
            return _of_text(text.strip())
        case {"video": _, **rest} | {"list": _, **rest} | {"url": _, **rest} if rest:
            raise BadTarget(
                f"a target of subtitles has no {', '.join(map(repr, rest))}: options are given to "
                f"the command, not by targets; got {target!r}"
            )
        case _:
            raise BadTarget(f"{target!r} is not a target of subtitles; expected {_EXAMPLES}")


def key_of(target: Any) -> str:
    """The same for all spellings of a video or list."""
    match wanted_of(target):
        case Video(video_id):
            return f"youtube:{video_id}"
        case Listing(url) | Page(url):
            return normalise_url(url)


def lane_of(target: Any) -> str:
    """All of YouTube is one lane, whichever of its hosts is named."""
    match wanted_of(target):
        case Video() | Listing():
            return YOUTUBE_LANE
        case Page(url):
            return lane_of_url(url)


def _of_text(text: str) -> Wanted:
    if is_http(text):
        return _of_url(text)
    if _CHANNEL_ID.fullmatch(text):
        return Listing(f"https://www.youtube.com/channel/{text}")
    if _HANDLE.fullmatch(text):
        return Listing(f"https://www.youtube.com/{text}")
    if _LIST_ID.fullmatch(text):
        return Listing(f"https://www.youtube.com/playlist?list={text}")
    if _VIDEO_ID.fullmatch(text):
        return Video(text)
    if _HOSTS.match(text):
        return _of_url(f"https://{text}")
    raise BadTarget(f"{text!r} is neither a URL nor the id of a video; expected {_EXAMPLES}")


def _of_url(url: str) -> Wanted:
    try:
        parts = urlsplit(url)
        host = parts.hostname or ""
    except ValueError as error:
        raise BadTarget(f"{url!r} is not a URL: {error}") from error
    if not _HOSTS.fullmatch(host):
        return Page(url)
    fields = parse_qs(parts.query)
    path = [part for part in parts.path.split("/") if part]
    # A video that was opened from a playlist is that video.
    if video_id := _video_id(host, path, fields):
        return Video(video_id)
    if (list_id := fields.get("list", [""])[0]) and path[:1] in ([], ["playlist"], ["watch"]):
        return Listing(f"https://www.youtube.com/playlist?list={list_id}")
    if channel := _channel(path):
        return Listing(f"https://www.youtube.com/{'/'.join(channel)}")
    raise BadTarget(f"{url!r} is neither a video nor a list of videos; expected {_EXAMPLES}")


def _video_id(host: str, path: list[str], fields: dict[str, list[str]]) -> str:
    if path[:1] == ["watch"] and "v" in fields:
        found = fields["v"][0]
    elif host.endswith("youtu.be"):
        found = path[0] if path else ""
    else:
        found = path[1] if len(path) == 2 and path[0] in _VIDEO_PATHS else ""
    return found if _VIDEO_ID.fullmatch(found) else ""


def _channel(path: list[str]) -> list[str]:
    """The channel and its tab, if one is named."""
    size = 1 if path and path[0].startswith("@") else 2
    if len(path) < size or (size == 2 and path[0] not in _CHANNEL_PATHS):
        return []
    tab = path[size : size + 1]
    return path[:size] + (tab if tab and tab[0] in _TABS else [])
