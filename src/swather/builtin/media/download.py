"""Downloads one file, and checks that it is the picture or video it is said to be."""

import asyncio
import hashlib
import os
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import msgspec

from swather.builtin.media.containers import BrokenFile, check_mp4, check_ogg, check_webm
from swather.builtin.media.file_types import (
    HEAD_BYTES,
    MKV,
    MOV,
    MP4,
    OGG,
    WEBM,
    FileType,
    file_type,
    is_as_announced,
    shown,
)
from swather.builtin.media.params import Limits
from swather.builtin.media.pictures import Size, check_picture
from swather.builtin.media.source_web import DeadlineWeb
from swather.builtin.media.sources.source import Found, Wanted
from swather.scraping.context import Context

_CONTAINERS: Final[dict[FileType, Callable[[Path], None]]] = {
    MP4: check_mp4,
    MOV: check_mp4,
    WEBM: check_webm,
    MKV: check_webm,
    OGG: check_ogg,
}


class Unusable(Exception):
    """A file that is not kept; `why` names it in a word, for the statistics."""

    def __init__(self, why: str, message: str) -> None:
        super().__init__(message)
        self.why = why


class Fetched(msgspec.Struct, frozen=True, kw_only=True):
    """A file that was downloaded and checked, and is not published yet."""

    found: Found
    type: FileType
    path: Path
    sha256: str
    size_bytes: int
    width: int | None
    height: int | None
    seconds: float

    def discard(self) -> None:
        self.path.unlink(missing_ok=True)


class Downloads:
    """Downloads files of one source."""

    def __init__(
        self,
        ctx: Context,
        web: DeadlineWeb,
        limits: Limits,
        wanted: Wanted,
        max_bytes: int,
    ) -> None:
        self._ctx = ctx
        self._web = web
        self._limits = limits
        self._wanted = wanted
        self._max_bytes = max_bytes

    async def fetch(self, found: Found) -> Fetched:
        """Unusable if it is not what is wanted, FetchError if it does not come."""
        if found.size_bytes is not None and found.size_bytes > self._max_bytes:
            raise self._too_large(found.size_bytes)
        began = time.monotonic()

        async def request() -> Any:
            return await self._ctx.get(
                found.url,
                headers=found.headers or None,
                timeout=self._web.within(self._limits.file_seconds),
                max_wait=self._web.max_wait,
            )

        page = await self._web.retried(request)
        if len(page.content) > self._max_bytes:
            raise self._too_large(len(page.content))
        path = await asyncio.to_thread(_written, page.content)
        try:
            announced = page.headers.get("content-type", "")
            kind, size = await asyncio.to_thread(self._checked, path, announced)
        except BaseException:
            path.unlink(missing_ok=True)
            raise
        return Fetched(
            found=found,
            type=kind,
            path=path,
            sha256=hashlib.sha256(page.content).hexdigest(),
            size_bytes=len(page.content),
            width=found.width if size is None else size.width,
            height=found.height if size is None else size.height,
            seconds=time.monotonic() - began,
        )

    def _checked(self, path: Path, announced: str) -> tuple[FileType, Size | None]:
        with path.open("rb") as file:
            head = file.read(HEAD_BYTES)
        kind = file_type(head)
        if kind is None:
            raise Unusable(
                "not_media", f"it is {shown(head)}, announced as {announced or 'nothing'}"
            )
        if not is_as_announced(kind, announced):
            raise Unusable("wrong_type", f"it is {kind.media_type}, announced as {announced}")
        if kind.kind not in self._wanted.kinds:
            raise Unusable("wrong_type", f"it is {kind.media_type}, no {self._wanted_words()}")
        if self._wanted.types and kind.name not in self._wanted.types:
            raise Unusable("wrong_type", f"it is {kind.media_type}")
        try:
            size = check_picture(path) if kind.kind == "image" else None
            if size is None:
                _CONTAINERS[kind](path)
        except BrokenFile as error:
            raise Unusable("broken", str(error)) from error
        wanted = self._wanted
        if size is not None and (size.width < wanted.min_width or size.height < wanted.min_height):
            raise Unusable("too_small", f"it has {size.width} x {size.height} pixels")
        return kind, size

    def _wanted_words(self) -> str:
        return " or ".join(sorted(self._wanted.kinds))

    def _too_large(self, size: int) -> Unusable:
        return Unusable("too_large", f"it has {size:,} bytes; --max-file-bytes raises the limit")


def _written(content: bytes) -> Path:
    opened, name = tempfile.mkstemp(prefix="swather-media-")
    with os.fdopen(opened, "wb") as file:
        file.write(content)
    return Path(name)
