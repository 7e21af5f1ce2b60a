"""Pages that are stored as they come, and given again in a replay."""

import asyncio
import logging
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor

from swather.errors import Closed, NotStored
from swather.masking import shown_url
from swather.model.retry import ErrorClass
from swather.model.stored_page import StoredPage
from swather.net.page import Page
from swather.net.request import Request
from swather.net.stored_page import as_rendered, stored_page_key, without_password, without_secrets
from swather.scraping.classify import meaning_of_status
from swather.store.ports import Store
from swather.store.writer import Writer
from swather.worker.attempt import Attempt

_NOT_MODIFIED = 304

_log = logging.getLogger(__name__)


class PageStore:
    """Hands pages to the writer before their scraper sees them, and waits for nothing: they are
    committed before the outcome of their attempt.
    """

    def __init__(self, writer: Writer) -> None:
        self._writer = writer
        self._has_failed = False

    def store(self, attempt: Attempt, request: Request, page: Page) -> None:
        if not is_worth_storing(page.status):
            return
        kept = StoredPage(
            task_id=attempt.lease.task_id,
            request_key=stored_page_key(request),
            method=request.method.upper(),
            url=without_password(page.url),
            status=page.status,
            headers=without_secrets(page.raw_headers),
            content=page.content,
        )
        try:
            future = self._writer.store_pages(attempt.job.run.name, [kept])
        except Closed:
            return
        future.add_done_callback(self._done)

    def store_rendered(self, attempt: Attempt, request: Request, page: Page) -> None:
        """As its scripts have left it; apart from the page that a fetch of the same URL brings."""
        self.store(attempt, as_rendered(request), page)

    def _done(self, future: Future[None]) -> None:
        """On the writer's thread. A page that cannot be kept must not fail its target."""
        error = future.exception()
        if error is not None and not self._has_failed:
            self._has_failed = True
            _log.warning("a page could not be stored (further failures are not logged): %s", error)


class StoredPages:
    """Answers requests with the pages that the run has stored, and with no others."""

    def __init__(self, new_store: Callable[[], Store]) -> None:
        self._new_store = new_store
        self._store: Store | None = None
        # One thread, as the connection belongs to it.
        self._thread = ThreadPoolExecutor(1, "swather-pages")

    async def fetch(self, attempt: Attempt, request: Request) -> Page:
        found = await asyncio.get_running_loop().run_in_executor(
            self._thread,
            self._get,
            attempt.job.run.name,
            attempt.lease.task_id,
            stored_page_key(request),
        )
        if found is None:
            raise NotStored(f"no page is stored for {request.method} {shown_url(request.full_url)}")
        return Page(
            url=found.url,
            status=found.status,
            raw_headers=[(name, value) for name, value in found.headers],
            content=found.content,
        )

    async def rendered(self, attempt: Attempt, request: Request) -> Page:
        return await self.fetch(attempt, as_rendered(request))

    async def close(self) -> None:
        await asyncio.get_running_loop().run_in_executor(self._thread, self._close)
        self._thread.shutdown(wait=False)

    def _get(self, run: str, task_id: int, key: bytes) -> StoredPage | None:
        if self._store is None:
            self._store = self._new_store()
        pages = self._store.pages
        # What a class fetches in its setup() is stored with whichever task that was for.
        return pages.get(run, task_id, key) or pages.latest(key, run=run)

    def _close(self) -> None:
        if self._store is not None:
            self._store.close()


def is_worth_storing(status: int) -> bool:
    """Not what another attempt may find otherwise: the site was busy, down, or refused us."""
    if status < 400:
        return status != _NOT_MODIFIED
    return meaning_of_status(status).error_class is ErrorClass.PERMANENT
