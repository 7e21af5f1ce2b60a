"""Google: pictures of the whole web, read from the pages for people. They change often."""

import asyncio
from collections.abc import AsyncIterator
from typing import Any, Final
from urllib.parse import parse_qs, urlsplit

import msgspec

from swather.builtin.media.sources.answer import (
    Address,
    Text,
    no_results_page,
    page_numbers,
    usable,
)
from swather.builtin.media.sources.source import Found, Params, Source, SourceWeb, Wanted
from swather.net.page import Page

_PAGE_SIZE: Final = 20
_NOTHING_FOUND: Final = "did not match any"
# 'Larger than', by the pixels of its name.
_LARGER_THAN: Final = {
    "qsvga": 400 * 300, "vga": 640 * 480, "svga": 800 * 600, "xga": 1024 * 768,
    "2mp": 1600 * 1200, "4mp": 2272 * 1704, "8mp": 3264 * 2448,
}  # fmt: skip


class Picture(msgspec.Struct):
    imgurl: Address
    imgrefurl: Text = None
    tbnid: Text = None
    w: int | None = None
    h: int | None = None


class GoogleImages(Source):
    name = "google_images"
    base_url = "https://www.google.com"
    experimental = True
    licences = frozenset({"any", "reuse"})

    async def find(self, web: SourceWeb, wanted: Wanted) -> AsyncIterator[Found]:
        params: Params = {"q": wanted.query, "tbm": "isch", "hl": "en"}
        if filters := _filters(wanted):
            params["tbs"] = filters
        for number in page_numbers(wanted, _PAGE_SIZE):
            start = (number - 1) * _PAGE_SIZE
            page = await web.get(f"{self.base_url}/search", params={**params, "start": start})
            # In a thread: such a page takes a while to parse.
            links = await asyncio.to_thread(_links, page)
            if not links and not start and _NOTHING_FOUND not in page.text:
                raise no_results_page(self, page)
            for picture in usable(self, web, links, Picture):
                yield self._found(picture)
            if len(links) < _PAGE_SIZE:
                return

    def _found(self, picture: Picture) -> Found:
        return Found(
            url=picture.imgurl, kind="image", source=self.name, id=picture.tbnid or "",
            page_url=picture.imgrefurl or "", width=picture.w, height=picture.h,
        )  # fmt: skip


def _filters(wanted: Wanted) -> str:
    filters = ["il:cl"] if wanted.licence == "reuse" else []
    if len(wanted.types) == 1:
        filters += [f"ift:{kind}".replace("jpeg", "jpg") for kind in wanted.types]
    pixels = wanted.min_width * wanted.min_height
    names = [name for name, least in _LARGER_THAN.items() if least <= pixels]
    if names:
        filters += ["isz:lt", f"islt:{names[-1]}"]
    return ",".join(filters)


def _links(page: Page) -> list[dict[str, Any]]:
    return [_query(node.attributes.get("href")) for node in page.css('a[href*="/imgres?"]')]


def _query(link: str | None) -> dict[str, Any]:
    try:
        fields = parse_qs(urlsplit(link or "").query)
    except ValueError:
        return {}
    return {name: values[0] for name, values in fields.items()}
