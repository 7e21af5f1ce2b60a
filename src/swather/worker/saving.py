"""Files on their way to this machine's disk, from their first byte to their friendly name."""

import asyncio
import errno
import logging
from collections.abc import Sequence
from concurrent.futures import Executor
from pathlib import Path
from time import monotonic
from typing import Final

from swather.errors import InputError
from swather.model.outcome import File
from swather.model.results import Part
from swather.scraping.files import FileStore
from swather.store.ports import Results

FULL: Final = frozenset({errno.ENOSPC, errno.EDQUOT})
# How long a worker on a full disk claims nothing.
FULL_SECONDS: Final = 30.0

_log = logging.getLogger(__name__)


class DiskFull(OSError):
    """No file can be saved on this machine now. That is not the target's fault, nor its site's."""


class Saving:
    """Saves what scrapers give to `ctx.save`, and names it once it is committed. Belongs to the
    loop's thread.
    """

    def __init__(self, files: FileStore, executor: Executor) -> None:
        self._files = files
        self._executor = executor
        self._full_until = 0.0
        self._linked: list[Part] = []

    @property
    def is_full(self) -> bool:
        return monotonic() < self._full_until

    @property
    def trouble(self) -> str:
        """For people to read; '' while all is well."""
        return f"no space left for files in {self._files.folder}" if self._full_until else ""

    async def keep(self, content: bytes | Path, name: str | None, media_type: str) -> File:
        loop = asyncio.get_running_loop()
        try:
            file = await loop.run_in_executor(
                self._executor, self._files.save_file, content, name, media_type
            )
        except OSError as error:
            if error.errno not in FULL:
                raise
            raise self._full() from error
        self._full_until = 0.0
        return file

    def link(self, part: Part, files: Sequence[File]) -> None:
        """Give committed files their names."""
        self._executor.submit(self._link, part, list(files))

    def take_linked(self) -> list[Part]:
        """The parts whose files have got their names since this was last asked."""
        linked, self._linked = self._linked, []
        return linked

    def _link(self, part: Part, files: list[File]) -> None:
        """On a thread of the executor."""
        if link_names(self._files, files):
            self._linked.append(part)

    def _full(self) -> DiskFull:
        if not self.is_full:
            self._full_until = monotonic() + FULL_SECONDS
            _log.error("%s; this worker waits %.0f s", self.trouble, FULL_SECONDS)
        return DiskFull(errno.ENOSPC, self.trouble)


def link_missing(results: Results, files: FileStore) -> None:
    """Name what was committed by workers that died before they could. Content that is not here is
    on the machine of its worker.
    """
    after: Part = (0, 0)
    while parts := results.unlinked(after=after):
        after = max(parts)
        here = {part: found for part, found in parts.items() if files.has_all(found)}
        results.mark_linked([part for part, found in here.items() if link_names(files, found)])


def link_names(store: FileStore, files: Sequence[File]) -> bool:
    """Whether all of them have their names now; the rows say where they are even if not."""
    linked = 0
    for file in files:
        try:
            store.link_name(file.sha256, file.name, file.media_type)
        except (OSError, InputError):
            _log.exception("file %s was stored but could not be named", file.name)
        else:
            linked += 1
    return linked == len(files)
