"""Pixabay: pictures and videos that may be used freely."""

from collections.abc import AsyncGenerator, AsyncIterator
from typing import Any, Final

import msgspec

from swather.builtin.media.sources.answer import (
    Address,
    Text,
    changed,
    invalid_key,
    page_numbers,
    rank_of_width,
    read,
    usable,
)
from swather.builtin.media.sources.in_turn import in_turn
from swather.builtin.media.sources.source import (
    IMAGE_AND_VIDEO,
    Found,
    Kind,
    Params,
    Source,
    SourceWeb,
    Wanted,
)

_PLACES: Final[dict[Kind, str]] = {"image": "/api/", "video": "/api/videos/"}
_MIN_PAGE_SIZE: Final = 3
_MAX_PAGE_SIZE: Final = 200
_MAX_QUERY: Final = 100
_LICENCE: Final = "Pixabay Content License"
_LICENCE_URL: Final = "https://pixabay.com/service/license-summary/"


class Answer(msgspec.Struct):
    hits: list[Any]
    total: int = msgspec.field(name="totalHits", default=0)


class Picture(msgspec.Struct, rename={"page_url": "pageURL", "large_url": "largeImageURL"}):
    id: int
    large_url: Address
    page_url: str = ""
    tags: Text = None
    user: Text = None


class VideoFile(msgspec.Struct):
    url: str = ""
    width: int | None = None
    height: int | None = None
    size: int | None = None


class Video(msgspec.Struct, rename={"page_url": "pageURL"}):
    id: int
    videos: dict[str, VideoFile]
    page_url: str = ""
    tags: Text = None
    user: Text = None


class Pixabay(Source):
    name = "pixabay"
    base_url = "https://pixabay.com"
    key_name = "PIXABAY_API_KEY"
    kinds = IMAGE_AND_VIDEO
    licences = frozenset({"any", "reuse", "commercial"})

    def find(self, web: SourceWeb, wanted: Wanted) -> AsyncIterator[Found]:
        return in_turn(*(self._search(web, wanted, kind) for kind in sorted(wanted.kinds)))

    async def _search(
        self, web: SourceWeb, wanted: Wanted, kind: Kind
    ) -> AsyncGenerator[Found, None]:
        size = max(_MIN_PAGE_SIZE, min(wanted.limit, _MAX_PAGE_SIZE))
        params: Params = {
            "key": self.key, "q": wanted.query[:_MAX_QUERY], "per_page": size,
            "min_width": wanted.min_width, "min_height": wanted.min_height,
        }  # fmt: skip
        for number in page_numbers(wanted, size):
            address = self.base_url + _PLACES[kind]
            page = await web.get(address, params={**params, "page": number}, accept={400, 401, 403})
            if page.status >= 400:
                said = page.text.strip()[:200]
                raise invalid_key(self) if "key" in said.lower() else changed(self, said)
            answer = read(self, page, Answer)
            if kind == "image":
                for picture in usable(self, web, answer.hits, Picture):
                    yield self._picture(picture)
            else:
                for video in usable(self, web, answer.hits, Video):
                    if found := self._video(video, wanted):
                        yield found
                    else:
                        web.skip(f"video {video.id} has no file")
            if not answer.hits or number * size >= answer.total:
                return

    def _picture(self, picture: Picture) -> Found:
        # The size that is told is that of the original, which the key does not open.
        return Found(
            url=picture.large_url, kind="image", source=self.name, id=str(picture.id),
            page_url=picture.page_url, title=picture.tags or "", author=picture.user or "",
            licence=_LICENCE, licence_url=_LICENCE_URL,
        )  # fmt: skip

    def _video(self, video: Video, wanted: Wanted) -> Found | None:
        files = [file for file in video.videos.values() if file.url.startswith("http")]
        if not files:
            return None
        file = min(files, key=lambda file: rank_of_width(file.width, wanted))
        return Found(
            url=file.url, kind="video", source=self.name, id=str(video.id),
            page_url=video.page_url, title=video.tags or "", author=video.user or "",
            licence=_LICENCE, licence_url=_LICENCE_URL, width=file.width, height=file.height,
            size_bytes=file.size, media_type="video/mp4",
        )  # fmt: skip
