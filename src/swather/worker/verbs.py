"""What a context asks for, done on the worker's loop and fenced by the attempt's lease."""

import asyncio
import logging
from collections.abc import Callable, Sequence
from concurrent.futures import Executor
from pathlib import Path
from typing import Any, Final

from swather.errors import LeaseLost
from swather.model.outcome import File, Item, Verdict
from swather.model.task import Target
from swather.net.fetcher import Fetcher
from swather.net.page import Page
from swather.net.request import Request
from swather.scraping.files import FileStore
from swather.store.writer import Writer
from swather.worker.attempt import Attempt, Cut

_ASK_AGAIN_SECONDS: Final = 1.0

_log = logging.getLogger(__name__)


class Services:
    """What the attempts of one worker share."""

    def __init__(
        self,
        writer: Writer,
        files: FileStore,
        disk: Executor,
        new_fetcher: Callable[[], Fetcher],
        on_children: Callable[[], None],
    ) -> None:
        self.writer = writer
        self.files = files
        self.disk = disk
        self.on_children = on_children
        self._new_fetcher = new_fetcher
        self._fetcher: Fetcher | None = None

    @property
    def fetcher(self) -> Fetcher:
        if self._fetcher is None:
            self._fetcher = self._new_fetcher()
        return self._fetcher

    def link(self, files: Sequence[File]) -> None:
        """Give committed files their names; the rows say where they are even if that fails."""
        self.disk.submit(self._link, list(files))

    def _link(self, files: list[File]) -> None:
        for file in files:
            try:
                self.files.link_name(file.sha256, file.name, file.media_type)
            except OSError:
                _log.exception("file %s was stored but could not be named", file.name)

    async def close(self) -> None:
        if self._fetcher is not None:
            await self._fetcher.close()


class LoopVerbs:
    """See swather.scraping.context.Verbs."""

    __slots__ = ("_attempt", "_services")

    def __init__(self, attempt: Attempt, services: Services) -> None:
        self._attempt = attempt
        self._services = services

    async def fetch(self, request: Request) -> Page:
        self._check()
        return await self._services.fetcher.fetch(request)

    async def permits(self, lane: str, count: int) -> None:
        while True:
            self._check()
            permits = await asyncio.wrap_future(
                self._services.writer.permits(self._attempt.fence, lane, count)
            )
            count -= permits.granted
            if count <= 0:
                return
            wait = permits.retry_after_seconds
            await asyncio.sleep(_ASK_AGAIN_SECONDS if wait is None else wait)

    async def checkpoint(
        self,
        part: int,
        cursor: Any,
        items: Sequence[Item],
        children: Sequence[Target],
        files: Sequence[File],
    ) -> None:
        self._check()
        self._keep(
            await asyncio.wrap_future(
                self._services.writer.checkpoint(
                    self._attempt.fence,
                    part=part,
                    cursor=cursor,
                    items=items,
                    children=children,
                    files=files,
                )
            )
        )
        if files:
            self._services.link(files)
        if children:
            self._services.on_children()

    async def progress(self, data: Any) -> None:
        self._check()
        self._keep(
            await asyncio.wrap_future(self._services.writer.progress(self._attempt.fence, data))
        )

    async def save(self, content: bytes | Path, name: str | None, media_type: str) -> File:
        self._check()
        services = self._services
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(
            services.disk, services.files.keep, content, name, media_type
        )

    def _check(self) -> None:
        if self._attempt.cut is not None or self._attempt.ended:
            raise LeaseLost("this attempt was cut; nothing it does will be kept")

    def _keep(self, verdict: Verdict) -> None:
        if verdict is Verdict.STALE:
            self._attempt.cut = self._attempt.cut or Cut.LOST
            raise LeaseLost("the lease of this attempt is gone; nothing it does will be kept")
