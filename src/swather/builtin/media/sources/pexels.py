"""Pexels: photographs and videos that may be used freely."""

from collections.abc import AsyncGenerator, AsyncIterator
from typing import Annotated, Any, Final

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

_PAGE_SIZE: Final = 80
_PLACES: Final[dict[Kind, str]] = {"image": "/v1/search", "video": "/videos/search"}
_LICENCE: Final = "Pexels License"
_LICENCE_URL: Final = "https://www.pexels.com/license/"


class Answer(msgspec.Struct):
    photos: list[Any] | None = None
    videos: list[Any] | None = None
    next_page: Text = None


class Src(msgspec.Struct):
    original: Address


class Photo(msgspec.Struct):
    id: int
    src: Src
    url: str = ""
    alt: Text = None
    photographer: Text = None
    width: int | None = None
    height: int | None = None


class VideoFile(msgspec.Struct):
    link: Address
    file_type: Text = None
    width: int | None = None
    height: int | None = None


class User(msgspec.Struct, frozen=True):
    name: Text = None


class Video(msgspec.Struct):
    id: int
    video_files: Annotated[list[VideoFile], msgspec.Meta(min_length=1)]
    url: str = ""
    user: User = User()


class Pexels(Source):
    name = "pexels"
    base_url = "https://api.pexels.com"
    key_name = "PEXELS_API_KEY"
    kinds = IMAGE_AND_VIDEO
    licences = frozenset({"any", "reuse", "commercial"})

    def find(self, web: SourceWeb, wanted: Wanted) -> AsyncIterator[Found]:
        return in_turn(*(self._search(web, wanted, kind) for kind in sorted(wanted.kinds)))

    async def _search(
        self, web: SourceWeb, wanted: Wanted, kind: Kind
    ) -> AsyncGenerator[Found, None]:
        size = min(wanted.limit, _PAGE_SIZE)
        params: Params = {"query": wanted.query, "per_page": size}
        for number in page_numbers(wanted, size):
            page = await web.get(
                self.base_url + _PLACES[kind],
                params={**params, "page": number},
                headers={"Authorization": self.key},
                accept={401, 403},
            )
            if page.status in {401, 403}:
                raise invalid_key(self)
            answer = read(self, page, Answer)
            if answer.photos is None and answer.videos is None:
                raise changed(self, "its answer has neither photos nor videos")
            for photo in usable(self, web, answer.photos or [], Photo):
                yield self._photo(photo)
            for video in usable(self, web, answer.videos or [], Video):
                yield self._video(video, wanted)
            if not answer.next_page:
                return

    def _photo(self, photo: Photo) -> Found:
        return Found(
            url=photo.src.original, kind="image", source=self.name, id=str(photo.id),
            page_url=photo.url, title=photo.alt or "", author=photo.photographer or "",
            licence=_LICENCE, licence_url=_LICENCE_URL, width=photo.width, height=photo.height,
        )  # fmt: skip

    def _video(self, video: Video, wanted: Wanted) -> Found:
        file = min(video.video_files, key=lambda file: rank_of_width(file.width, wanted))
        return Found(
            url=file.link, kind="video", source=self.name, id=str(video.id), page_url=video.url,
            author=video.user.name or "", licence=_LICENCE, licence_url=_LICENCE_URL,
            width=file.width, height=file.height, media_type=file.file_type or "",
        )  # fmt: skip
