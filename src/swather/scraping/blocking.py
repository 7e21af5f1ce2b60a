"""The context and the web of plain functions: the same names, each verb blocking, one
implementation.
"""

from collections.abc import Collection, Coroutine, Iterable, Mapping
from datetime import datetime
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from swather.model.outcome import File
from swather.model.source import SourceState
from swather.net.download import Download
from swather.net.page import Page
from swather.net.request import Request
from swather.scraping.arguments import Fields, Headers, Value
from swather.scraping.attempt import Collected, Content, RunCoroutine, RunInfo, TaskInfo, TaskLog
from swather.scraping.blocking_page import BlockingVisit
from swather.scraping.login import Check, Turn, checked, form_on, is_logged_in
from swather.scraping.rendering import StorageState, WaitUntil

if TYPE_CHECKING:
    from swather.scraping.context import Context
    from swather.scraping.web import Web


class SyncWeb:
    """The web as the setup() of a plain class sees it; `run` runs a coroutine where the web lives
    and returns its result.
    """

    __slots__ = ("_run", "_web")

    def __init__(self, web: "Web", run: RunCoroutine) -> None:
        self._web = web
        self._run = run

    @property
    def params(self) -> Any:
        return self._web.params

    @property
    def run(self) -> RunInfo:
        return self._web.run

    @property
    def page(self) -> Page | None:
        return self._web.page

    @property
    def log(self) -> TaskLog:
        return self._web.log

    def get(
        self,
        url: str | None = None,
        *,
        headers: Headers = None,
        params: Fields = None,
        timeout: float | None = None,
        check: bool = True,
        proxy: str | None = None,
        profile: str | None = None,
        etag: str | None = None,
        last_modified: str | datetime | None = None,
        trust_redirects: bool = False,
        max_wait: float | None = None,
    ) -> Page:
        request = self._web._request(  # noqa: SLF001 - so that hooks run in the scraper's thread
            "GET", url, headers=headers, params=params, timeout=timeout, proxy=proxy,
            profile=profile, etag=etag, last_modified=last_modified,
            trust_redirects=trust_redirects, max_wait=max_wait,
        )  # fmt: skip
        return self._send(request, check=check)

    def post(
        self,
        url: str | None = None,
        *,
        data: bytes | str | Fields = None,
        json: Any = None,
        headers: Headers = None,
        params: Fields = None,
        timeout: float | None = None,
        check: bool = True,
        proxy: str | None = None,
        profile: str | None = None,
        trust_redirects: bool = False,
        max_wait: float | None = None,
    ) -> Page:
        request = self._web._request(  # noqa: SLF001 - so that hooks run in the scraper's thread
            "POST", url, data=data, json=json, headers=headers, params=params, timeout=timeout,
            proxy=proxy, profile=profile, trust_redirects=trust_redirects, max_wait=max_wait,
        )  # fmt: skip
        return self._send(request, check=check)

    def download(
        self,
        url: str | None = None,
        *,
        headers: Headers = None,
        params: Fields = None,
        timeout: float | None = None,
        max_bytes: int | None = None,
        check: bool = True,
        proxy: str | None = None,
        profile: str | None = None,
        trust_redirects: bool = False,
        max_wait: float | None = None,
    ) -> Download:
        """See Web.download."""
        request = self._web._request(  # noqa: SLF001 - so that hooks run in the scraper's thread
            "GET", url, headers=headers, params=params, timeout=timeout, proxy=proxy,
            profile=profile, trust_redirects=trust_redirects, max_wait=max_wait,
        )  # fmt: skip
        download: Download = self._wait_for(
            self._web._download(request, max_bytes, check=check)  # noqa: SLF001 - its twin
        )
        return download

    def login(
        self,
        url: str,
        fields: Mapping[str, Value],
        *,
        form: str | None = None,
        check: Check = None,
    ) -> Page:
        """See Web.login. What is the scraper's own, hooks and `check`, runs in its thread."""
        web = self._web
        first = web._login_page(url)  # noqa: SLF001 - its twin
        with Turn(first.session).taken(self._wait_for):
            page: Page = self._wait_for(web._login_step(first))  # noqa: SLF001 - its twin
            if is_logged_in(page, check):
                return page
            found = form_on(page, form)
            request = web._login_form(found, fields)  # noqa: SLF001 - its twin
            answer: Page = self._wait_for(web._login_step(request))  # noqa: SLF001 - its twin
            return checked(answer, check, found, fields)

    def new_identity(self) -> None:
        """See Web.new_identity."""
        self._wait_for(self._web.new_identity())

    def _send(self, request: Request, *, check: bool) -> Page:
        page: Page = self._wait_for(self._web._send(request, check=check))  # noqa: SLF001 - its twin
        return page

    def _wait_for(self, coroutine: Coroutine[Any, Any, Any]) -> Any:
        """Its result. In a forked process nothing would ever run it."""
        try:
            self._web._check_usable()  # noqa: SLF001 - its twin
        except BaseException:
            coroutine.close()
            raise
        return self._run(coroutine)


class SyncContext(SyncWeb):
    """One attempt on one target, as a plain function sees it."""

    __slots__ = ("_context",)

    def __init__(self, context: "Context", run: RunCoroutine) -> None:
        super().__init__(context, run)
        self._context = context

    @property
    def target(self) -> Any:
        return self._context.target

    @property
    def url(self) -> str:
        return self._context.url

    @property
    def task(self) -> TaskInfo:
        return self._context.task

    @property
    def attempt(self) -> int:
        return self._context.attempt

    @property
    def cursor(self) -> Any:
        return self._context.cursor

    def follow(
        self, url: str | None, *, priority: int | None = None, key: str | None = None
    ) -> bool:
        return self._context.follow(url, priority=priority, key=key)

    def add(
        self,
        target: Any,
        *,
        key: str | None = None,
        priority: int | None = None,
        lane: str | None = None,
        partition: str | None = None,
        due_in_seconds: float = 0.0,
    ) -> None:
        self._context.add(
            target, key=key, priority=priority, lane=lane, partition=partition,
            due_in_seconds=due_in_seconds,
        )  # fmt: skip

    def emit(self, item: Any, key: str | None = None) -> None:
        self._context.emit(item, key)

    def reject(self, reason: str, count: int = 1) -> None:
        self._context.reject(reason, count)

    def skip(self, count: int = 1) -> None:
        self._context.skip(count)

    def save(self, content: Content, name: str | None = None, media_type: str = "") -> File:
        file: File = self._wait_for(self._context.save(content, name, media_type))
        return file

    def browser(
        self,
        *,
        block: Collection[str] | None = None,
        storage_state: StorageState = None,
        headers: Headers = None,
        proxy: str | None = None,
    ) -> BlockingVisit:
        """See BrowsingWeb.browser: `with ctx.browser() as page`."""
        visit = self._context.browser(
            block=block, storage_state=storage_state, headers=headers, proxy=proxy
        )
        return BlockingVisit(visit, self._wait_for)

    def render(
        self,
        url: str | None = None,
        *,
        wait_for: str | None = None,
        wait_until: WaitUntil = "load",
        scroll: int = 0,
        timeout: float | None = None,
        check: bool = True,
        block: Collection[str] | None = None,
        screenshot: str | None = None,
        storage_state: StorageState = None,
        headers: Headers = None,
        params: Fields = None,
        proxy: str | None = None,
    ) -> Page:
        """See BrowsingWeb.render."""
        rendering = self._context._rendering(  # noqa: SLF001 - so that hooks run in the scraper's thread
            url, wait_for=wait_for, wait_until=wait_until, scroll=scroll, timeout=timeout,
            block=block, screenshot=screenshot, storage_state=storage_state, headers=headers,
            params=params, proxy=proxy,
        )  # fmt: skip
        page: Page = self._wait_for(
            self._context._render(rendering, screenshot, check=check)  # noqa: SLF001 - its twin
        )
        return page

    def remember(self, key: str, value: Any = None) -> None:
        self._context.remember(key, value)

    def files_named(self, names: Iterable[str]) -> set[str]:
        found: set[str] = self._wait_for(self._context.files_named(names))
        return found

    def recall(self, keys: Iterable[str], *, max_age: float | None = None) -> dict[str, Any]:
        found: dict[str, Any] = self._wait_for(self._context.recall(keys, max_age=max_age))
        return found

    def ask_source(self, name: str) -> SourceState:
        state: SourceState = self._wait_for(self._context.ask_source(name))
        return state

    def note_source(
        self,
        name: str,
        *,
        ok: bool,
        seconds: float,
        error: str = "",
        counts: Mapping[str, int] = MappingProxyType({}),
    ) -> None:
        self._context.note_source(name, ok=ok, seconds=seconds, error=error, counts=counts)

    def checkpoint(self, cursor: Any) -> None:
        self._wait_for(self._context.checkpoint(cursor))

    def progress(
        self,
        done: float | None = None,
        total: float | None = None,
        note: str = "",
        *,
        sources: Mapping[str, Mapping[str, Any]] | None = None,
    ) -> None:
        self._wait_for(self._context.progress(done, total, note, sources=sources))

    def sleep(self, seconds: float) -> None:
        self._wait_for(self._context.sleep(seconds))

    def collected(self) -> Collected:
        return self._context.collected()

    def _end(self) -> None:
        self._context._end()  # noqa: SLF001 - its twin
