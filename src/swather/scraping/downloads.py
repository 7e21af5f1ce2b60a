"""The downloads of one attempt: files that are removed with its end, unless they are saved."""

import asyncio
import hashlib
from collections.abc import Callable
from concurrent.futures import Executor
from pathlib import Path
from typing import Any, Final, NamedTuple

from swather import permissions
from swather.errors import InputError
from swather.net.download import Download
from swather.net.magic import HEAD_BYTES, media_type_of
from swather.net.page import Page

# What is kept in memory of a body before it goes to the disk.
SPOOL_BYTES: Final = 256 << 10


class Landed(NamedTuple):
    """A file that is complete; `stamp` changes when somebody writes to it."""

    path: Path
    sha256: str
    size_bytes: int
    stamp: tuple[int, int]

    @property
    def is_unchanged(self) -> bool:
        return stamp_of(self.path) == self.stamp


def stamp_of(path: Path) -> tuple[int, int]:
    found = path.lstat()
    return found.st_size, found.st_mtime_ns


class Landing:
    """See swather.net.body.Sink. The disk is written to by threads of the executor."""

    def __init__(self, path: Path, executor: Executor | None) -> None:
        self._path = path
        self._executor = executor
        self._waiting = bytearray()
        self._head = b""
        self._digest = hashlib.sha256()
        self._size = 0

    async def write(self, piece: bytes | memoryview) -> None:
        self._waiting += piece
        if len(self._waiting) >= SPOOL_BYTES:
            await self._on_disk(self._flush)

    async def land(self, page: Page) -> tuple[Download, Landed]:
        """The body is complete."""
        landed = await self._on_disk(self._land)
        download = Download(
            url=page.url,
            status=page.status,
            raw_headers=list(page.raw_headers),
            location=str(landed.path),
            size_bytes=landed.size_bytes,
            sha256=landed.sha256,
            media_type=media_type_of(self._head),
        )
        return download, landed

    async def _on_disk(self, work: Callable[[], Any]) -> Any:
        return await asyncio.get_running_loop().run_in_executor(self._executor, work)

    def _land(self) -> Landed:
        self._flush()
        return Landed(self._path, self._digest.hexdigest(), self._size, stamp_of(self._path))

    def _flush(self) -> None:
        waiting, self._waiting = self._waiting, bytearray()
        if not self._size:
            self._head = bytes(waiting[:HEAD_BYTES])
        with open(self._path, "ab" if self._size else "xb", opener=permissions.opener) as file:
            file.write(waiting)
        self._digest.update(waiting)
        self._size += len(waiting)


class Downloads:
    """`new_path` gives the path of a file that does not exist yet."""

    def __init__(self, new_path: Callable[[], Path], executor: Executor | None) -> None:
        self._new_path = new_path
        self._executor = executor
        self._unsaved: set[Path] = set()
        self._landed: dict[str, Landed] = {}

    async def take(self, fetch: Callable[[Landing], Any]) -> Download:
        """What `fetch` writes to its landing, as a file; no file if it fails."""
        loop = asyncio.get_running_loop()
        path = await loop.run_in_executor(self._executor, self._new_path)
        landing = Landing(path, self._executor)
        self._unsaved.add(path)
        try:
            download, landed = await landing.land(await fetch(landing))
        except BaseException:
            self._drop(path)
            raise
        self._landed[download.location] = landed
        return download

    def landed(self, download: Download) -> Landed:
        """The file of a download of this attempt."""
        found = self._landed.get(download.location)
        if found is None:
            raise InputError(
                f"{download.url} was not downloaded by this attempt; a download ends with the "
                "attempt that made it"
            )
        return found

    def saved(self, landed: Landed) -> None:
        """The file has been moved to where it stays."""
        self._unsaved.discard(landed.path)

    def discard(self) -> None:
        """Remove what was not saved."""
        for path in list(self._unsaved):
            self._drop(path)

    def _drop(self, path: Path) -> None:
        self._unsaved.discard(path)
        path.unlink(missing_ok=True)
