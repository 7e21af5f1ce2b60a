"""The channels and playlists of the stand-in, page by page."""

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import parse_qs, urlsplit

from tests.builtin.youtube.answer import Answer

GRID_PAGE = 30
PLAYLIST_PAGE = 100
TABS = {"videos": "Videos", "shorts": "Shorts", "streams": "Live"}
GONE = Answer("<html>404 Not Found</html>", 404)
DOES_NOT_EXIST = {
    "alerts": [
        {"alertRenderer": {"type": "ERROR", "text": {"simpleText": "The playlist does not exist."}}}
    ]
}


@dataclass(frozen=True)
class Channel:
    """The ids of its videos, newest first as YouTube has them; a tab without any is missing."""

    videos: Sequence[str] = ()
    shorts: Sequence[str] = ()
    streams: Sequence[str] = ()


def channel_id(name: str) -> str:
    return "UC" + name.ljust(22, "0")


@dataclass(frozen=True)
class Lists:
    """A channel is found by its name: /@name, /c/name, /user/name, /channel/ and its id."""

    channels: dict[str, Channel]
    playlists: dict[str, list[str]]
    refused_tokens: set[str] = field(default_factory=set)
    """Continuations that have expired."""

    def page(self, path: str, query: dict[str, str]) -> Answer:
        if path == "/playlist":
            return _html(self._playlist(query["list"]))
        data = self._channel_at(path)
        return _html(data) if data else GONE

    def resolve(self, url: str) -> Answer:
        """What the extractor asks when a page told it nothing."""
        parts = urlsplit(url)
        if parts.path == "/playlist":
            browse = "VL" + parse_qs(parts.query)["list"][0]
        elif self._channel_at(parts.path):
            browse = parts.path
        else:
            return Answer(
                {"error": {"code": 404, "message": "Requested entity was not found."}}, 404
            )
        return Answer({"endpoint": {"browseEndpoint": {"browseId": browse}}})

    def browse(self, data: dict[str, Any]) -> Answer:
        if token := data.get("continuation"):
            if token in self.refused_tokens:
                return Answer(
                    {"error": {"code": 400, "message": "Request contains an invalid argument."}},
                    400,
                )
            return Answer(self._continued(token))
        browse: str = data["browseId"]
        if browse.startswith("VL"):
            return Answer(self._playlist(browse.removeprefix("VL")))
        return Answer(self._channel_at(browse))

    def _continued(self, token: str) -> dict[str, Any]:
        kind, name, start = token.split(":")
        if kind == "playlist":
            items = _playlist_items(name, self.playlists[name], int(start))
        else:
            items = _grid_items(name, kind, getattr(self.channels[name], kind), int(start))
        return {
            "onResponseReceivedActions": [
                {"appendContinuationItemsAction": {"continuationItems": items}}
            ]
        }

    def _channel_at(self, path: str) -> dict[str, Any]:
        """{} if there is none. The tab that was asked for, else the first that is there."""
        match = re.fullmatch(r"/(?:@|c/|user/|channel/UC)([a-z]+)0*(?:/(\w+))?", path)
        if not match or match[1] not in self.channels:
            return {}
        name, tab = match[1], match[2]
        channel = self.channels[name]
        tabs = [kind for kind in TABS if getattr(channel, kind)]
        selected = tab if tab in tabs else "featured"
        return {
            "metadata": {
                "channelMetadataRenderer": {"title": name, "externalId": channel_id(name)}
            },
            "contents": {
                "twoColumnBrowseResultsRenderer": {
                    "tabs": [
                        _tab(name, "featured", "Home", selected, ()),
                        *(
                            _tab(name, kind, TABS[kind], selected, getattr(channel, kind))
                            for kind in tabs
                        ),
                    ]
                }
            },
        }

    def _playlist(self, name: str) -> dict[str, Any]:
        if name not in self.playlists:
            return DOES_NOT_EXIST
        items = _playlist_items(name, self.playlists[name], 0)
        videos = {"playlistVideoListRenderer": {"contents": items}}
        section = {"itemSectionRenderer": {"contents": [videos]}}
        tab = {"selected": True, "content": {"sectionListRenderer": {"contents": [section]}}}
        return {
            "metadata": {"playlistMetadataRenderer": {"title": f"Playlist {name}"}},
            "contents": {"twoColumnBrowseResultsRenderer": {"tabs": [{"tabRenderer": tab}]}},
        }


def _html(data: dict[str, Any]) -> Answer:
    return Answer(f"<html><script>var ytInitialData = {json.dumps(data)};</script></html>")


def _tab(name: str, kind: str, title: str, selected: str, videos: Sequence[str]) -> dict[str, Any]:
    address = f"/@{name}/{kind}"
    tab: dict[str, Any] = {
        "title": title,
        "endpoint": {"commandMetadata": {"webCommandMetadata": {"url": address}}},
    }
    if kind == selected:
        tab["selected"] = True
        tab["content"] = {"richGridRenderer": {"contents": _grid_items(name, kind, videos, 0)}}
    return {"tabRenderer": tab}


def _grid_items(name: str, kind: str, videos: Sequence[str], start: int) -> list[dict[str, Any]]:
    make = _short if kind == "shorts" else _lockup
    page = [
        {"richItemRenderer": {"content": make(video)}}
        for video in videos[start : start + GRID_PAGE]
    ]
    return page + _more(f"{kind}:{name}:{start + GRID_PAGE}", start + GRID_PAGE < len(videos))


def _playlist_items(name: str, videos: Sequence[str], start: int) -> list[dict[str, Any]]:
    page = [
        {"playlistVideoRenderer": {"videoId": video, "title": {"simpleText": f"Video {video}"}}}
        for video in videos[start : start + PLAYLIST_PAGE]
    ]
    return page + _more(
        f"playlist:{name}:{start + PLAYLIST_PAGE}", start + PLAYLIST_PAGE < len(videos)
    )


def _more(token: str, is_there: bool) -> list[dict[str, Any]]:
    endpoint = {"continuationCommand": {"token": token}}
    return [{"continuationItemRenderer": {"continuationEndpoint": endpoint}}] if is_there else []


def _lockup(video: str) -> dict[str, Any]:
    return {
        "lockupViewModel": {
            "contentId": video,
            "contentType": "LOCKUP_CONTENT_TYPE_VIDEO",
            "metadata": {"lockupMetadataViewModel": {"title": {"content": f"Video {video}"}}},
        }
    }


def _short(video: str) -> dict[str, Any]:
    return {
        "shortsLockupViewModel": {
            "entityId": f"shorts-shelf-item-{video}",
            "onTap": {"innertubeCommand": {"reelWatchEndpoint": {"videoId": video}}},
            "overlayMetadata": {"primaryText": {"content": f"Short {video}"}},
        }
    }
