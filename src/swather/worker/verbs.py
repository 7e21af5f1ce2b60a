"""What a context asks for, done on the worker's loop and fenced by the attempt's lease."""

import asyncio
from collections.abc import Collection, Coroutine, Iterator
from concurrent.futures import Executor
from contextlib import AbstractAsyncContextManager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from swather.errors import NotStored, Postponed
from swather.masking import shown_url
from swather.model.outcome import File, Verdict
from swather.model.source import SourceState
from swather.net.download import Download, download
from swather.net.page import Page
from swather.net.request import Request
from swather.scraping.attempt import Collected, Content
from swather.scraping.downloads import Landing
from swather.scraping.notes import Notes
from swather.scraping.rendering import Browsing, Rendered, Rendering
from swather.store.writer import Writer
from swather.worker.access.access import Access
from swather.worker.access.attempt_access import AttemptFetch
from swather.worker.attempt import Attempt, Cut, lease_lost
from swather.worker.messages import Mailbox
from swather.worker.saving import CannotSave, Saving
from swather.worker.stored_pages import PageStore, StoredPages
from swather.worker.upkeep import Upkeep
from swather.worker.visits import Visits

if TYPE_CHECKING:
    from swather.net.browser import Tab


@dataclass(frozen=True, slots=True)
class Services:
    """What the attempts of one worker share.

    folder   where child processes start, as the worker did
    database the worker's own, by its URL
    replay   in a replay: where all pages come from
    """

    loop: asyncio.AbstractEventLoop
    mailbox: Mailbox
    writer: Writer
    upkeep: Upkeep
    access: Access
    saving: Saving
    pages: PageStore
    replay: StoredPages | None
    visits: Visits
    disk: Executor
    folder: Path
    database: str

    async def close(self) -> None:
        await self.visits.close()
        await self.access.close()
        if self.replay is not None:
            await self.replay.close()


class LoopVerbs:
    """See swather.scraping.context.Verbs."""

    __slots__ = ("_attempt", "_services")

    def __init__(self, attempt: Attempt, services: Services) -> None:
        self._attempt = attempt
        self._services = services

    @property
    def notes(self) -> Notes:
        return self._attempt.notes

    def fetch(self, request: Request) -> Coroutine[Any, Any, Page]:
        attempt, services = self._attempt, self._services
        attempt.check()
        if services.replay is not None:
            return services.replay.fetch(attempt, request)
        access = attempt.access or attempt.visit(services.access)
        request = attempt.job.own_headers.added_to(request)
        if access.egresses is not None and request.egress.is_direct:
            fetching = access.fetch_through(request, services.access.fetcher.fetch)
        else:
            policy = AttemptFetch(access, request.max_wait)
            fetching = services.access.fetcher.fetch(request, policy)
        return self._fetch_and_store(request, fetching) if attempt.job.keeps_pages else fetching

    def browse(self, browsing: Browsing) -> AbstractAsyncContextManager["Tab"]:
        return self._services.visits.browse(self._attempt, browsing)

    async def render(self, rendering: Rendering) -> Rendered:
        return await self._services.visits.render(self._attempt, rendering)

    async def new_identity(self) -> None:
        attempt, services = self._attempt, self._services
        attempt.check()
        if services.replay is not None:
            return  # nothing leaves
        egresses = (attempt.access or attempt.visit(services.access)).egresses
        assert egresses is not None
        await egresses.source.renew(egresses)

    async def checkpoint(self, cursor: Any, collected: Collected) -> None:
        self._attempt.check()
        sources = self._attempt.take_sources()
        try:
            verdict = await asyncio.wrap_future(
                self._services.writer.checkpoint(
                    self._attempt.fence,
                    part=collected.part,
                    cursor=cursor,
                    items=collected.items,
                    children=collected.children,
                    files=collected.files,
                    memories=self._attempt.memories_of(collected),
                    sources=sources,
                    rejected=collected.rejected,
                )
            )
        except Exception:
            # Not when we are cancelled: then it is committed all the same.
            self.notes.give_back_sources(sources)
            raise
        self._heed(verdict)
        if collected.files:
            part = self._attempt.lease.task_id, collected.part
            folder = str(self._attempt.job.files.location)
            self._services.saving.link(folder, part, collected.files)
        if collected.children:
            self._services.upkeep.send_hint()

    async def progress(self, data: Any) -> None:
        self._attempt.check()
        self._heed(
            await asyncio.wrap_future(self._services.writer.progress(self._attempt.fence, data))
        )

    async def ask_source(self, name: str) -> SourceState:
        self._attempt.check()
        if self._services.replay is not None:
            return SourceState()
        scraper = self._attempt.job.run.scraper
        return await asyncio.wrap_future(
            self._services.writer.ask_source(self._attempt.fence, scraper, name)
        )

    async def recall(self, keys: Collection[str], max_age_seconds: float | None) -> dict[str, Any]:
        self._attempt.check()
        if self._services.replay is not None:
            return {}
        scraper = self._attempt.job.run.scraper
        return await asyncio.wrap_future(
            self._services.writer.recall(scraper, keys, max_age_seconds)
        )

    async def save(self, content: Content, name: str | None, media_type: str) -> File:
        self._attempt.check()
        if isinstance(content, Path):
            content = Path.cwd() / content  # by now; the disk's thread may come to it later
        with self._postponing():
            if isinstance(content, Download):
                return await self._save_download(content, name, media_type)
            return await self._services.saving.keep(self._attempt, content, name, media_type)

    async def files_named(self, names: Collection[str]) -> set[str]:
        self._attempt.check()
        with self._postponing():
            return await self._services.saving.files_named(self._attempt, names)

    async def download(self, request: Request, max_bytes: int | None) -> Download:
        attempt, services = self._attempt, self._services
        attempt.check()
        if services.replay is not None:
            raise NotStored(
                f"{shown_url(request.url)} was downloaded as a file, and those are not stored for "
                "a replay"
            )
        access = attempt.access or attempt.visit(services.access)
        request = attempt.job.own_headers.added_to(request)

        async def fetch(landing: Landing) -> Page:
            fetcher = services.access.fetcher
            if access.egresses is not None and request.egress.is_direct:
                page = await access.fetch_through(
                    request,
                    lambda leaving, policy: download(fetcher, leaving, policy, landing, max_bytes),
                )
            else:
                policy = AttemptFetch(access, request.max_wait)
                page = await download(fetcher, request, policy, landing, max_bytes)
            attempt.check()
            return page

        with self._postponing(), services.saving.noticing(attempt.job.files):
            return await attempt.take_down(services.disk).take(fetch)

    async def _save_download(self, content: Download, name: str | None, media_type: str) -> File:
        attempt = self._attempt
        downloads = attempt.take_down(self._services.disk)
        landed = downloads.landed(content)
        media_type = media_type or content.media_type or content.announced_type
        file = await self._services.saving.keep(attempt, landed, name, media_type)
        downloads.saved(content)
        return file

    @contextmanager
    def _postponing(self) -> Iterator[None]:
        """A full disk, or a storage that is away, is not the target's fault: it is tried again
        later.
        """
        try:
            yield
        except CannotSave as error:
            self._attempt.postpone(error.after_seconds)
            raise Postponed(f"{error.strerror}; the target will be tried again later") from error

    async def _fetch_and_store(self, request: Request, fetching: Coroutine[Any, Any, Page]) -> Page:
        page = await fetching
        self._services.pages.store(self._attempt, request, page)
        return page

    def _heed(self, verdict: Verdict) -> None:
        if verdict is Verdict.STALE:
            self._attempt.cut_off(Cut.LOST)
            raise lease_lost(self._attempt)
