"""Saves the files of attempts, waits for a storage that is away, and names what is committed."""

import asyncio
import errno
import logging
import threading
from collections import defaultdict
from collections.abc import Callable, Collection, Iterator, Sequence
from concurrent.futures import Executor
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from time import monotonic
from typing import Final, TypeVar

from swather.model.outcome import File
from swather.model.results import Part
from swather.net.bucket import BucketUnavailable
from swather.scraping.downloads import Landed
from swather.scraping.file_folders import FileFolders
from swather.scraping.files import FileStore
from swather.worker.attempt import Attempt

FULL: Final = frozenset({errno.ENOSPC, errno.EDQUOT})
# How long a worker on a full disk claims nothing.
FULL_SECONDS: Final = 30.0
# How often a bucket that cannot be used is tried again, and how long an attempt waits for it.
AWAY_SECONDS: Final = 2.0
AWAY_PATIENCE_SECONDS: Final = 900.0

_STORAGE: Final = "the storage for files"

_log = logging.getLogger(__name__)

T = TypeVar("T")


class CannotSave(OSError):
    """No file can be saved now, but perhaps after a while. That is not the target's fault, nor its
    site's.
    """

    def __init__(self, number: int, trouble: str, after_seconds: float) -> None:
        super().__init__(number, trouble)
        self.after_seconds = after_seconds


class Saving:
    """Saves what scrapers give to `ctx.save`, and names it once it is committed. Belongs to the
    loop's thread.
    """

    def __init__(self, folders: FileFolders, executor: Executor) -> None:
        self._folders = folders
        self._executor = executor
        self._hold_until = 0.0
        self._trouble = ""
        self._linking = threading.Lock()
        self._is_linking = False
        self._to_link: list[tuple[FileStore, Part, Sequence[File]]] = []
        self._linked: list[Part] = []
        self._is_unnamed = False

    @property
    def is_held(self) -> bool:
        """Whether a worker shall claim nothing: it could save nothing."""
        return monotonic() < self._hold_until

    @property
    def trouble(self) -> str:
        """For people to read; '' while there is none."""
        return self._trouble

    async def keep(
        self, attempt: Attempt, content: bytes | Path | Landed, name: str | None, media_type: str
    ) -> File:
        files = attempt.job.files
        with self.noticing(files):
            file = await self._done(attempt, partial(files.save_file, content, name, media_type))
        if self._trouble:
            _log.warning("files can be saved again in %s", files.location)
        self._trouble, self._hold_until = "", 0.0
        return file

    async def files_named(self, attempt: Attempt, names: Collection[str]) -> set[str]:
        """Those of the names that files of its run have."""
        return await self._done(attempt, partial(attempt.job.files.files_named, names))

    @contextmanager
    def noticing(self, files: FileStore) -> Iterator[None]:
        """CannotSave if what is done here fills the disk."""
        try:
            yield
        except OSError as error:
            if error.errno not in FULL:
                raise
            trouble = f"no space left for files in {files.location}"
            self._hold(trouble, FULL_SECONDS)
            raise CannotSave(errno.ENOSPC, trouble, FULL_SECONDS) from error

    def link(self, folder: str, part: Part, files: Sequence[File]) -> None:
        """Give committed files, which were saved in this folder, their names. What is committed
        while others get theirs is named together, so that a folder is synced once for all of it.
        """
        with self._linking:
            self._to_link.append((self._folders.at(folder), part, files))
            if self._is_linking:
                return
            self._is_linking = True
        self._executor.submit(self._link_waiting)

    def take_linked(self) -> list[Part]:
        """The parts whose files have got their names since this was last asked."""
        with self._linking:
            linked, self._linked = self._linked, []
        return linked

    def take_unnamed(self) -> bool:
        """Whether, since this was last asked, a storage was away when names were due."""
        with self._linking:
            is_unnamed, self._is_unnamed = self._is_unnamed, False
        return is_unnamed

    async def _done(self, attempt: Attempt, work: Callable[[], T]) -> T:
        """What `work` returns on a thread of the executor, once the storage is there. The time that
        a shared one takes is not the attempt's: its page is fetched, so waiting costs no site.
        """
        if not attempt.job.files.is_shared:
            return await asyncio.get_running_loop().run_in_executor(self._executor, work)
        attempt.stop_clock(_STORAGE)
        try:
            return await self._done_at_last(attempt, work)
        finally:
            attempt.start_clock(_STORAGE)

    async def _done_at_last(self, attempt: Attempt, work: Callable[[], T]) -> T:
        until = monotonic() + AWAY_PATIENCE_SECONDS
        while True:
            try:
                return await asyncio.get_running_loop().run_in_executor(self._executor, work)
            except BucketUnavailable as error:
                self._hold(str(error), 2 * AWAY_SECONDS)
                if monotonic() > until:
                    raise CannotSave(errno.EAGAIN, str(error), FULL_SECONDS) from error
            await asyncio.sleep(AWAY_SECONDS)
            attempt.check()

    def _hold(self, trouble: str, seconds: float) -> None:
        if trouble != self._trouble:
            _log.error("%s; retrying every %.0f s", trouble, seconds)
        self._trouble, self._hold_until = trouble, monotonic() + seconds

    def _link_waiting(self) -> None:
        """On a thread of the executor, one at a time."""
        while waiting := self._take_waiting():
            by_folder: dict[FileStore, dict[Part, Sequence[File]]] = defaultdict(dict)
            for saved, part, files in waiting:
                by_folder[saved][part] = files
            for saved, parts in by_folder.items():
                self._link_in(saved, parts)

    def _link_in(self, saved: FileStore, parts: dict[Part, Sequence[File]]) -> None:
        try:
            linked = saved.link_parts(parts)
        except BucketUnavailable:
            with self._linking:
                self._is_unnamed = True
            return
        with self._linking:
            self._linked += linked

    def _take_waiting(self) -> list[tuple[FileStore, Part, Sequence[File]]]:
        with self._linking:
            waiting, self._to_link = self._to_link, []
            self._is_linking = bool(waiting)
        return waiting
