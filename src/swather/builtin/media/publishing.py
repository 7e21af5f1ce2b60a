"""Publishes files: those that are new get a name and an item, and are remembered."""

import asyncio
import re
from collections.abc import Sequence
from typing import Any, Final, NamedTuple
from urllib.parse import unquote, urlsplit

from swather.builtin.media.asking import Unused
from swather.builtin.media.direct import NAME as DIRECT
from swather.builtin.media.download import Fetched, saved_or_permanent
from swather.builtin.media.memory import Memory
from swather.builtin.media.query import Query
from swather.model.payload import storable
from swather.scraping.context import Context

_MAX_STEM_CHARACTERS: Final = 60
_MAX_TEXT_CHARACTERS: Final = 1_000
_UNFIT: Final = re.compile(r"[^\w-]+")


class Published(NamedTuple):
    """Files with their names and items, and those that were there before."""

    files: list[tuple[str, Fetched]]
    items: list[dict[str, Any]]
    duplicates: list[Unused]


class Publisher:
    """Of one job. What it publishes is committed with the next checkpoint."""

    def __init__(self, ctx: Context, query: Query, memory: Memory) -> None:
        self._ctx = ctx
        self._query = query
        self._memory = memory
        self._hashes: set[str] = set()

    async def publish(self, files: Sequence[Fetched]) -> Published:
        named, duplicates = await self._without_duplicates(files)
        items = [_item_of(file, self._query.text, name) for name, file in named]
        await asyncio.gather(*(self._save(name, file) for name, file in named))
        for (name, file), item in zip(named, items, strict=True):
            self._ctx.emit(item)
            self._memory.add_file(file.sha256, name)
        return Published(named, items, duplicates)

    async def _save(self, name: str, file: Fetched) -> None:
        with saved_or_permanent(self._ctx):
            await self._ctx.save(file.download, name=name, media_type=file.type.media_type)

    async def _without_duplicates(
        self, files: Sequence[Fetched]
    ) -> tuple[list[tuple[str, Fetched]], list[Unused]]:
        """Those that are new, with their names, and those that were published before, by this job
        or another.
        """
        folder = self._query.folder
        if self._query.params.duplicates == "keep":
            return [(_name_of(file, folder), file) for file in files], []
        known = await self._memory.published(files)
        named, again = [], []
        # Without a pause from the answer to the claims: another job may have the same files.
        for file in files:
            if file.sha256 in known or file.sha256 in self._hashes:
                same = known.get(file.sha256, "another file of this job")
                again.append(Unused(file.found.url, "duplicate", f"it is the same as {same}"))
            else:
                name = _name_of(file, folder)
                self._hashes.add(file.sha256)
                self._memory.claim(file.sha256, name)
                named.append((name, file))
        return named, again


def _name_of(file: Fetched, folder: str) -> str:
    """'cats/openverse/a-cat-3f9a1c2b.jpg': no other content has this name."""
    found = file.found
    last = unquote(urlsplit(found.url).path).rpartition("/")[2].rpartition(".")[0]
    for text in (found.title.removesuffix(file.type.extension), last, found.id):
        stem = _UNFIT.sub("-", text)[:_MAX_STEM_CHARACTERS].strip("-_")
        if stem:
            break
    else:
        stem = file.type.kind
    folders = found.source if found.source == DIRECT else f"{folder}/{found.source}"
    return f"{folders}/{stem}-{file.sha256[:8]}{file.type.extension}"


def _item_of(file: Fetched, query: str, name: str) -> dict[str, Any]:
    found = file.found
    return {
        "type": "file",
        "query": query,
        "source": found.source,
        "kind": file.type.kind,
        "file": name,
        "url": _text(found.url),
        "page_url": _text(found.page_url),
        "title": _text(found.title),
        "author": _text(found.author),
        "licence": _text(found.licence),
        "licence_url": _text(found.licence_url),
        "id": _text(found.id),
        "width": file.width,
        "height": file.height,
        "media_type": file.type.media_type,
        "size_bytes": file.size_bytes,
        "sha256": file.sha256,
    }


def _text(text: str) -> str:
    """What a site says, as every database can keep it."""
    return storable(text)[:_MAX_TEXT_CHARACTERS]
