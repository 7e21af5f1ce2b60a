"""Unsplash: photographs that may be used freely; the site wants to be told of each download."""

from collections.abc import AsyncIterator
from typing import Any, Final

import msgspec

from swather.builtin.media.sources.answer import (
    Address,
    Text,
    invalid_key,
    page_numbers,
    read,
    usable,
)
from swather.builtin.media.sources.source import (
    Found,
    Params,
    Source,
    SourceFailed,
    SourceWeb,
    Wanted,
)
from swather.net.request import is_http, origin_of

_PAGE_SIZE: Final = 30


class Answer(msgspec.Struct):
    results: list[Any]
    total_pages: int = 1


class Urls(msgspec.Struct):
    full: Address


class Links(msgspec.Struct, frozen=True):
    html: str = ""
    download_location: str = ""


class User(msgspec.Struct, frozen=True):
    name: Text = None


class Photo(msgspec.Struct):
    id: str
    urls: Urls
    links: Links = Links()
    user: User = User()
    description: Text = None
    alt_description: Text = None
    width: int | None = None
    height: int | None = None


class Unsplash(Source):
    name = "unsplash"
    base_url = "https://api.unsplash.com"
    key_name = "UNSPLASH_ACCESS_KEY"
    licences = frozenset({"any", "reuse", "commercial"})

    async def find(self, web: SourceWeb, wanted: Wanted) -> AsyncIterator[Found]:
        size = min(wanted.limit, _PAGE_SIZE)
        params: Params = {"query": wanted.query, "per_page": size}
        for number in page_numbers(wanted, size):
            page = await web.get(
                f"{self.base_url}/search/photos",
                params={**params, "page": number},
                headers=self._headers,
                accept={401, 403},
            )
            if page.status == 401:
                raise invalid_key(self)
            if page.status == 403:
                raise SourceFailed("unsplash allows no more requests in this hour", "blocked")
            answer = read(self, page, Answer)
            for photo in usable(self, web, answer.results, Photo):
                yield self._found(photo)
            if not answer.results or number >= answer.total_pages:
                return

    async def downloaded(self, web: SourceWeb, found: Found) -> None:
        # The address comes from an answer: the key goes nowhere but to the site itself.
        url = found.announce_url
        if is_http(url) and origin_of(url) == origin_of(self.base_url):
            await web.get(url, headers=self._headers)

    @property
    def _headers(self) -> dict[str, str]:
        return {"Authorization": f"Client-ID {self.key}", "Accept-Version": "v1"}

    def _found(self, photo: Photo) -> Found:
        return Found(
            url=photo.urls.full, kind="image", source=self.name, id=photo.id,
            page_url=photo.links.html, title=photo.description or photo.alt_description or "",
            author=photo.user.name or "", licence="Unsplash License",
            licence_url="https://unsplash.com/license", width=photo.width, height=photo.height,
            media_type="image/jpeg", announce_url=photo.links.download_location,
        )  # fmt: skip
