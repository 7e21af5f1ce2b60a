"""The verbs of a context, in memory."""

import asyncio
import hashlib
import tempfile
from collections.abc import Collection, Mapping
from contextlib import AbstractAsyncContextManager
from pathlib import Path
from secrets import token_hex
from typing import IO, TYPE_CHECKING, Any, Final

from msgspec.structs import replace

from swather.errors import InputError
from swather.model.outcome import File, Item
from swather.model.payload import decode
from swather.model.source import SourceState
from swather.net.download import Download, download
from swather.net.egress import DIRECT, Egress
from swather.net.fetch_policy import ANYWHERE, FetchPolicy
from swather.net.fetcher import Fetcher
from swather.net.page import Page
from swather.net.request import Request
from swather.net.stored_page import as_rendered
from swather.net.tor.circuits import other_circuit
from swather.scraping.arguments import OwnHeaders
from swather.scraping.attempt import Collected, Content
from swather.scraping.downloads import Downloads, Landing
from swather.scraping.notes import Notes
from swather.scraping.rendering import Browsing, Rendered, Rendering
from swather.testing.browser import RealBrowser

if TYPE_CHECKING:
    from swather.model.task import Target
    from swather.net.browser import Tab

_NO_HEADERS: Final = OwnHeaders(None, None)
# Some pages never stop requesting.
SETTLE_SECONDS: Final = 5.0


class MemoryVerbs:
    """See swather.scraping.context.Verbs. Records what it gets, and allows everything."""

    def __init__(
        self,
        fetcher: Fetcher,
        policy: FetchPolicy = ANYWHERE,
        own_headers: OwnHeaders = _NO_HEADERS,
        known: Mapping[str, Any] | None = None,
        open_sources: Collection[str] = (),
        browser: RealBrowser | None = None,
        timeout: float = 60.0,
        egress: Egress = DIRECT,
    ) -> None:
        self._open_sources = open_sources
        self._known = dict(known or {})
        self._fetcher = fetcher
        self._own_headers = own_headers
        self._egress = egress
        self._policy = policy
        self._folder: tempfile.TemporaryDirectory[str] | None = None
        self._downloads = Downloads(self, None)
        self._browser = browser
        self._tabs = None if browser is None else browser.tabs(policy, own_headers, timeout)
        self.notes = Notes()
        self.items: list[Item] = []
        self.children: list[Target] = []
        self.files: list[File] = []
        self.rejected: dict[str, int] = {}
        self.contents: dict[str, bytes] = {}
        self.remembered: dict[str, Any] = {}
        self.cursors: list[Any] = []
        self.progress_reports: list[Any] = []

    def browse(self, browsing: Browsing) -> AbstractAsyncContextManager["Tab"]:
        if self._tabs is None:
            raise InputError(
                "ctx.browser() needs a browser: run_scraper(…, browser=True) starts one; the pages "
                "of a test are for ctx.render()"
            )
        return self._tabs.browse(self._leaving(browsing))

    async def render(self, rendering: Rendering) -> Rendered:
        """Without a browser the page that the test gives, which is to be as scripts leave it."""
        rendering = replace(rendering, browsing=self._leaving(rendering.browsing))
        if self._browser is None or self._tabs is None:
            request = self._own_headers.added_to(rendering.browsing.request)
            return Rendered(await self._fetcher.fetch(as_rendered(request), self._policy))
        return await self._browser.render(self._tabs, rendering)

    async def fetch(self, request: Request) -> Page:
        if self._browser is not None and self._browser.instead_of_get and request.method == "GET":
            # ctx.get() cannot say what to wait for.
            rendering = Rendering(browsing=Browsing(request=request), settle_seconds=SETTLE_SECONDS)
            return (await self.render(rendering)).page
        return await self._fetcher.fetch(self._sent(request), self._policy)

    def _sent(self, request: Request) -> Request:
        """With what the scraper says of all its requests."""
        return self._own_headers.added_to(self._through(request))

    def _through(self, request: Request) -> Request:
        return replace(request, egress=self._egress) if request.egress.is_direct else request

    def _leaving(self, browsing: Browsing) -> Browsing:
        return replace(browsing, request=self._through(browsing.request))

    async def close(self) -> None:
        if self._browser is not None:
            await self._browser.close()
        if self._folder is not None:
            self._folder.cleanup()
        await self._fetcher.close()

    async def new_identity(self) -> None:
        if self._egress.is_tor:
            self._egress = other_circuit(self._egress)

    async def checkpoint(self, cursor: Any, collected: Collected) -> None:
        self.cursors.append(cursor)
        self.keep(collected)

    def keep(self, collected: Collected) -> None:
        """What a checkpoint or the end of the task commits."""
        self.items += collected.items
        self.children += collected.children
        self.files += collected.files
        for reason, count in collected.rejected.items():
            self.rejected[reason] = self.rejected.get(reason, 0) + count
        self.remembered |= {
            memory.key: decode(bytes(memory.value)) for memory in collected.memories
        }

    async def files_named(self, names: Collection[str]) -> set[str]:
        """All of them: a test has no folder that somebody could remove them from."""
        return set(names)

    async def ask_source(self, name: str) -> SourceState:
        return SourceState(is_open=name in self._open_sources)

    async def recall(self, keys: Collection[str], max_age_seconds: float | None) -> dict[str, Any]:
        del max_age_seconds  # all of it is new
        known = self._known | self.remembered
        return {key: known[key] for key in keys if key in known}

    async def progress(self, data: Any) -> None:
        self.progress_reports.append(data)

    async def download(self, request: Request, max_bytes: int | None) -> Download:
        request = self._sent(request)

        async def fetch(landing: Landing) -> Page:
            return await download(self._fetcher, request, self._policy, landing, max_bytes)

        return await self._downloads.take(fetch)

    async def save(self, content: Content, name: str | None, media_type: str) -> File:
        if isinstance(content, Download):
            media_type = media_type or content.media_type or content.announced_type
            content = await asyncio.to_thread(self._taken_in, content)
        data = (
            content if isinstance(content, bytes) else await asyncio.to_thread(content.read_bytes)
        )
        sha256 = hashlib.sha256(data).hexdigest()
        self.contents[sha256] = data
        return File(
            name=name or sha256[:16], sha256=sha256, size_bytes=len(data), media_type=media_type
        )

    def _taken_in(self, download: Download) -> bytes:
        """Its content; the file is moved away, as in a run."""
        landed = self._downloads.landed(download)
        if not landed.path.exists():
            return self.contents[landed.sha256]
        content = landed.path.read_bytes()
        landed.path.unlink()
        return content

    def new_path(self) -> Path:
        """See swather.scraping.downloads.Place; on the loop, as all verbs are."""
        if self._folder is None:
            self._folder = tempfile.TemporaryDirectory(prefix="swather-")
        return Path(self._folder.name) / token_hex(16)

    def open_new(self, path: Path) -> IO[bytes]:
        return path.open("xb")
