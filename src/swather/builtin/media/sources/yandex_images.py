"""Yandex: pictures of the whole web, read from the JSON in its pages. It often shows a captcha."""

import asyncio
from collections.abc import AsyncIterator
from typing import Annotated, Any, Final

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

_PAGE_SIZE: Final = 30
_TYPES: Final = {"jpeg": "jpg", "png": "png", "gif": "gifan"}


class State(msgspec.Struct, rename="camel"):
    initial_state: "InitialState"


class InitialState(msgspec.Struct, rename="camel"):
    serp_list: "SerpList"


class SerpList(msgspec.Struct):
    items: "Items"


class Items(msgspec.Struct):
    entities: dict[str, Any] = {}


class Version(msgspec.Struct, rename="camel"):
    url: Address
    w: int | None = None
    h: int | None = None
    file_size_in_bytes: int | None = None


class Snippet(msgspec.Struct, frozen=True):
    url: Text = None
    title: Text = None


class Viewer(msgspec.Struct):
    dups: Annotated[list[Version], msgspec.Meta(min_length=1)]
    snippet: Snippet = Snippet()


class Picture(msgspec.Struct, rename="camel"):
    viewer_data: Viewer
    id: Text = None


class YandexImages(Source):
    name = "yandex_images"
    base_url = "https://yandex.com"
    experimental = True

    async def find(self, web: SourceWeb, wanted: Wanted) -> AsyncIterator[Found]:
        params: Params = {"text": wanted.query}
        if len(wanted.types) == 1 and (kind := _TYPES.get(*wanted.types)):
            params["itype"] = kind
        seen: set[str] = set()
        for number in page_numbers(wanted, _PAGE_SIZE):
            address = f"{self.base_url}/images/search"
            page = await web.get(address, params={**params, "p": number - 1})
            # In a thread: such a page takes a while to parse.
            entities = await asyncio.to_thread(_entities, page)
            if entities is None:
                raise no_results_page(self, page)
            pictures = usable(self, web, entities, Picture)
            new = [picture for picture in pictures if picture.viewer_data.dups[0].url not in seen]
            for picture in new:
                seen.add(picture.viewer_data.dups[0].url)
                yield self._found(picture)
            if not new:
                return

    def _found(self, picture: Picture) -> Found:
        best, about = picture.viewer_data.dups[0], picture.viewer_data.snippet
        return Found(
            url=best.url, kind="image", source=self.name, id=picture.id or "",
            page_url=about.url or "", title=about.title or "", width=best.w, height=best.h,
            size_bytes=best.file_size_in_bytes,
        )  # fmt: skip


def _entities(page: Page) -> list[Any] | None:
    """None if the page has no list of results, not even an empty one."""
    for node in page.css("[data-state]"):
        try:
            state = msgspec.json.decode(node.attributes.get("data-state") or "", type=State)
        except msgspec.DecodeError:
            continue
        return list(state.initial_state.serp_list.items.entities.values())
    return None
