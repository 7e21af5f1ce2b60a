"""Downloads one file, and checks that it is the picture or video it is said to be."""

import asyncio
import errno
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

import msgspec

from swather.builtin.media.containers import BrokenFile, check_mp4, check_ogg, check_webm
from swather.builtin.media.file_types import (
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
from swather.errors import Permanent
from swather.net.download import Download
from swather.net.errors import TooLarge
from swather.scraping.context import Context

_UNWRITABLE: Final = frozenset(
    {errno.EACCES, errno.EPERM, errno.EROFS, errno.ENOTDIR, errno.EEXIST}
)
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


@contextmanager
def saved_or_permanent(ctx: Context) -> Iterator[None]:
    """Around what writes a file: in a folder that cannot be written nothing else will do better."""
    try:
        yield
    except OSError as error:
        if error.errno not in _UNWRITABLE:
            raise
        raise Permanent(
            f"no files can be saved in {ctx.run.files_folder or error.filename}: {error.strerror}",
            reason="unwritable_folder",
        ) from error


class Fetched(msgspec.Struct, frozen=True, kw_only=True):
    """A file that was downloaded and checked, and is not published yet."""

    found: Found
    type: FileType
    download: Download
    width: int | None
    height: int | None
    seconds: float

    @property
    def sha256(self) -> str:
        return self.download.sha256

    @property
    def size_bytes(self) -> int:
        return self.download.size_bytes


class Downloads:
    """Downloads files of one source."""

    def __init__(
        self, ctx: Context, web: DeadlineWeb, limits: Limits, wanted: Wanted, max_bytes: int
    ) -> None:
        self._ctx = ctx
        self._web = web
        self._limits = limits
        self._wanted = wanted
        self._max_bytes = max_bytes

    async def fetch(self, found: Found) -> Fetched:
        """Unusable if it is not what is wanted, FetchError if it does not come."""
        if found.size_bytes is not None and found.size_bytes > self._max_bytes:
            raise self._too_large(f"it has {found.size_bytes:,} bytes")
        began = time.monotonic()
        try:
            download = await self._web.retried(lambda: self._request(found))
        except TooLarge as error:
            raise self._too_large(str(error)) from error
        try:
            kind, size = await asyncio.to_thread(self._checked, download)
        except Unusable:
            # Now, and not with the job: a source may have many of them.
            await asyncio.to_thread(download.path.unlink, missing_ok=True)
            raise
        return Fetched(
            found=found,
            type=kind,
            download=download,
            width=found.width if size is None else size.width,
            height=found.height if size is None else size.height,
            seconds=time.monotonic() - began,
        )

    async def _request(self, found: Found) -> Download:
        with saved_or_permanent(self._ctx):
            return await self._ctx.download(
                found.url,
                headers=found.headers or None,
                timeout=self._web.within(self._limits.file_seconds),
                max_bytes=self._max_bytes,
                max_wait=self._web.max_wait,
            )

    def _checked(self, download: Download) -> tuple[FileType, Size | None]:
        """It blocks: a picture is decoded."""
        kind = file_type(download.media_type)
        announced = download.announced_type
        if kind is None:
            is_what = shown(download.media_type)
            raise Unusable("not_media", f"it is {is_what}, announced as {announced or 'nothing'}")
        if not is_as_announced(kind, announced):
            raise Unusable("wrong_type", f"it is {kind.media_type}, announced as {announced}")
        wanted = self._wanted
        if kind.kind not in wanted.kinds or (wanted.types and kind.name not in wanted.types):
            raise Unusable("unwanted", f"it is {kind.media_type}")
        try:
            size = check_picture(download.path) if kind.kind == "image" else None
            if size is None:
                _CONTAINERS[kind](download.path)
        except BrokenFile as error:
            raise Unusable("broken", str(error)) from error
        if size is not None and (size.width < wanted.min_width or size.height < wanted.min_height):
            raise Unusable("too_small", f"it has {size.width} x {size.height} pixels")
        return kind, size

    def _too_large(self, said: str) -> Unusable:
        return Unusable("too_large", f"{said}; --max-file-bytes raises the limit")
