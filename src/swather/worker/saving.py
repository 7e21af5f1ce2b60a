"""Files on their way to this machine's disk, and what happens when it is full."""

import asyncio
import errno
import logging
from concurrent.futures import Executor
from pathlib import Path
from time import monotonic
from typing import Final

from swather.model.outcome import File
from swather.scraping.files import FileStore

FULL: Final = frozenset({errno.ENOSPC, errno.EDQUOT})
# How long a worker on a full disk claims nothing.
FULL_SECONDS: Final = 30.0

_log = logging.getLogger(__name__)


class DiskFull(OSError):
    """No file can be saved on this machine now. That is not the target's fault, nor its site's."""


class Saving:
    """Saves what scrapers give to `ctx.save`. Belongs to the loop's thread."""

    def __init__(self, files: FileStore, executor: Executor) -> None:
        self._files = files
        self._executor = executor
        self._full_until = 0.0

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
                self._executor, self._files.keep, content, name, media_type
            )
        except OSError as error:
            if error.errno not in FULL:
                raise
            raise self._full() from error
        self._full_until = 0.0
        return file

    def _full(self) -> DiskFull:
        if not self.is_full:
            self._full_until = monotonic() + FULL_SECONDS
            _log.error("%s; this worker waits %.0f s", self.trouble, FULL_SECONDS)
        return DiskFull(errno.ENOSPC, self.trouble)
