"""Bing: pictures of the whole web, read from the pages for people."""

import asyncio
from collections.abc import AsyncIterator
from typing import Final

import msgspec

from swather.builtin.media.sources.answer import (
    Address,
    Text,
    no_results_page,
    page_numbers,
    usable,
)
from swather.builtin.media.sources.source import (
    ALL_LICENCES,
    Found,
    Params,
    Source,
    SourceWeb,
    Wanted,
)
from swather.net.page import Page

_PAGE_SIZE: Final = 35
_LICENCES: Final = {
    "reuse": "+filterui:license-L2_L3_L4_L5_L6_L7",
    "commercial": "+filterui:license-L2_L3_L4",
    "public_domain": "+filterui:license-L1",
}
_NOTHING_FOUND: Final = "no results for"


class Picture(msgspec.Struct):
    murl: Address
    purl: Text = None
    t: Text = None
    md5: Text = None


class BingImages(Source):
    name = "bing_images"
    base_url = "https://www.bing.com"
    licences = ALL_LICENCES

    async def find(self, web: SourceWeb, wanted: Wanted) -> AsyncIterator[Found]:
        params: Params = {"q": wanted.query, "async": 1, "count": _PAGE_SIZE, "setlang": "en"}
        if filters := _filters(wanted):
            params["qft"] = filters
        seen: set[str] = set()
        for number in page_numbers(wanted, _PAGE_SIZE):
            address = f"{self.base_url}/images/async"
            first = 1 + (number - 1) * _PAGE_SIZE
            page = await web.get(address, params={**params, "first": first})
            # In a thread: such a page takes a while to parse.
            entries = await asyncio.to_thread(_entries, page)
            if not entries and not seen and _NOTHING_FOUND not in page.text.lower():
                raise no_results_page(self, page)
            # After the last page, Bing repeats it.
            new = [entry for entry in dict.fromkeys(entries) if entry not in seen]
            if not new:
                return
            seen.update(new)
            for picture in usable(self, web, [_json(entry) for entry in new], Picture):
                yield self._found(picture)

    def _found(self, picture: Picture) -> Found:
        return Found(
            url=picture.murl, kind="image", source=self.name, id=picture.md5 or "",
            page_url=picture.purl or "", title=picture.t or "",
        )  # fmt: skip


def _filters(wanted: Wanted) -> str:
    filters = _LICENCES.get(wanted.licence, "")
    if wanted.min_width or wanted.min_height:
        filters += f"+filterui:imagesize-custom_{wanted.min_width}_{wanted.min_height}"
    return filters


def _entries(page: Page) -> list[str]:
    return [node.attributes.get("m") or "" for node in page.css("a.iusc")]


def _json(text: str) -> object:
    try:
        return msgspec.json.decode(text)
    except msgspec.DecodeError:
        return None
