"""The downloads of one attempt: files that are removed with its end, unless they are saved."""

import asyncio
import hashlib
import os
from collections.abc import Callable
from concurrent.futures import Executor
from pathlib import Path
from typing import IO, Any, Final, NamedTuple, Protocol

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
    def is_changed(self) -> bool:
        """Not of one that was moved away."""
        try:
            return _stamp_of(self.path.lstat()) != self.stamp
        except FileNotFoundError:
            return False


def _stamp_of(found: os.stat_result) -> tuple[int, int]:
    return found.st_size, found.st_mtime_ns


class Place(Protocol):
    """Where files can land."""

    def new_path(self) -> Path:
        """Of a file that does not exist yet."""
        ...

    def open_new(self, path: Path) -> IO[bytes]:
        """Open such a file for writing."""
        ...


class Landing:
    """See swather.net.body.Sink. The disk is written to by threads of the executor."""

    def __init__(self, place: Place, executor: Executor | None) -> None:
        self._place = place
        self._path = place.new_path()
        self._is_discarded = False
        self._executor = executor
        self._waiting = bytearray()
        self._head = b""
        self._digest = hashlib.sha256()
        self._size = 0
        self._stamp = 0, 0
        self.landed: Landed | None = None

    async def write(self, piece: bytes | memoryview) -> None:
        self._waiting += piece
        if len(self._waiting) >= SPOOL_BYTES:
            await self._on_disk(self._flush)

    async def land(self, page: Page) -> Download:
        """The body is complete."""
        self.landed = landed = await self._on_disk(self._land)
        return Download(
            url=page.url,
            status=page.status,
            raw_headers=list(page.raw_headers),
            location=str(landed.path),
            size_bytes=landed.size_bytes,
            sha256=landed.sha256,
            media_type=media_type_of(self._head),
        )

    def discard(self) -> None:
        """Remove the file. A thread that still writes to it removes it again."""
        self._is_discarded = True
        self._path.unlink(missing_ok=True)

    async def _on_disk(self, work: Callable[[], Any]) -> Any:
        return await asyncio.get_running_loop().run_in_executor(self._executor, work)

    def _land(self) -> Landed:
        self._flush()
        return Landed(self._path, self._digest.hexdigest(), self._size, self._stamp)

    def _flush(self) -> None:
        waiting, self._waiting = self._waiting, bytearray()
        if not self._size:
            self._head = bytes(waiting[:HEAD_BYTES])
        with self._path.open("ab") if self._size else self._place.open_new(self._path) as file:
            file.write(waiting)
            file.flush()
            self._stamp = _stamp_of(os.fstat(file.fileno()))
        self._digest.update(waiting)
        self._size += len(waiting)
        if self._is_discarded:
            self._path.unlink(missing_ok=True)


class Downloads:
    """All of them, by where they are."""

    def __init__(self, place: Place, executor: Executor | None) -> None:
        self._place = place
        self._executor = executor
        self._unsaved: set[Landing] = set()
        self._landed: dict[str, Landing] = {}

    async def take(self, fetch: Callable[[Landing], Any]) -> Download:
        """What `fetch` writes to its landing, as a file; no file if it fails."""
        landing = Landing(self._place, self._executor)
        self._unsaved.add(landing)
        try:
            download = await landing.land(await fetch(landing))
        except BaseException:
            self._unsaved.discard(landing)
            landing.discard()
            raise
        self._landed[download.location] = landing
        return download

    def landed(self, download: Download) -> Landed:
        """The file of a download of this attempt."""
        found = self._landed.get(download.location)
        if found is None or found.landed is None:
            raise InputError(
                f"{download.url} was not downloaded by this attempt; a download ends with the "
                "attempt that made it"
            )
        return found.landed

    def saved(self, download: Download) -> None:
        """The file has been moved to where it stays."""
        self._unsaved.discard(self._landed[download.location])

    def discard(self) -> None:
        """Remove what was not saved."""
        while self._unsaved:
            self._unsaved.pop().discard()
