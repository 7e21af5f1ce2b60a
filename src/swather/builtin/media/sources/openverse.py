"""Openverse: openly licensed pictures of many museums and archives."""

from collections.abc import AsyncIterator
from typing import Any, Final

import msgspec

from swather.builtin.media.sources.answer import Address, Text, page_numbers, read, usable
from swather.builtin.media.sources.source import (
    ALL_LICENCES,
    Found,
    Params,
    Source,
    SourceWeb,
    Wanted,
)

# All that is shown without an account.
_PAGE_SIZE: Final = 20
_LAST_PAGE: Final = 12
_LICENCES: Final = {
    "commercial": {"license_type": "commercial"},
    "public_domain": {"license": "cc0,pdm"},
}
# Pixels of the smallest picture that Openverse calls so.
_MEDIUM: Final = 640 * 480
_LARGE: Final = 1600 * 1200


class Answer(msgspec.Struct):
    results: list[Any]
    page_count: int = 1


class Picture(msgspec.Struct):
    id: str
    url: Address
    title: Text = None
    foreign_landing_url: Text = None
    creator: Text = None
    license: Text = None
    license_version: Text = None
    license_url: Text = None
    width: int | None = None
    height: int | None = None
    filesize: int | None = None
    filetype: Text = None


class Openverse(Source):
    name = "openverse"
    base_url = "https://api.openverse.org"
    licences = ALL_LICENCES

    async def find(self, web: SourceWeb, wanted: Wanted) -> AsyncIterator[Found]:
        params: Params = {"q": wanted.query, "page_size": _PAGE_SIZE, **_filters(wanted)}
        for number in page_numbers(wanted, _PAGE_SIZE)[:_LAST_PAGE]:
            page = await web.get(f"{self.base_url}/v1/images/", params={**params, "page": number})
            answer = read(self, page, Answer)
            for picture in usable(self, web, answer.results, Picture):
                yield self._found(picture)
            if not answer.results or number >= answer.page_count:
                return

    def _found(self, picture: Picture) -> Found:
        licence = f"{picture.license or ''} {picture.license_version or ''}".strip()
        kind = (picture.filetype or "").lower().replace("jpg", "jpeg")
        return Found(
            url=picture.url, kind="image", source=self.name, id=picture.id,
            page_url=picture.foreign_landing_url or "", title=picture.title or "",
            author=picture.creator or "", licence=licence, licence_url=picture.license_url or "",
            width=picture.width, height=picture.height, size_bytes=picture.filesize,
            media_type=f"image/{kind}" if kind else "",
        )  # fmt: skip


def _filters(wanted: Wanted) -> dict[str, str]:
    filters = dict(_LICENCES.get(wanted.licence, {}))
    if wanted.types:
        filters["extension"] = ",".join(sorted(wanted.types)).replace("jpeg", "jpg")
    pixels = wanted.min_width * wanted.min_height
    if pixels >= _MEDIUM:
        filters["size"] = "large" if pixels >= _LARGE else "medium,large"
    return filters
