"""A tab: what a scraper has of the browser during a visit."""

import asyncio
import inspect
from collections.abc import Awaitable, Callable
from contextlib import suppress
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING, Any, Final, Literal, NamedTuple, TypeVar

from swather.masking import shown_url
from swather.net.body import MAX_BYTES
from swather.net.browser import failures
from swather.net.browser.room import CLEAN_SECONDS, OpenPage
from swather.net.browser.visit import Visit
from swather.net.browser.visit_traffic import VisitTraffic
from swather.net.errors import BadResponse, BrowserFailed, FetchTimeout, TooLarge, UnusableURL
from swather.net.page import Page
from swather.net.request import Request, is_http

if TYPE_CHECKING:
    from playwright.async_api import Download, Response
    from playwright.async_api import Page as BrowserPage

WaitUntil = Literal["load", "domcontentloaded", "networkidle"]
T = TypeVar("T")

# How long an element is waited for on a page with an error status.
ERROR_PAGE_SECONDS: Final = 5.0
_SCROLL_WAIT_SECONDS: Final = 0.5
# What describes the body as it was sent, not the document as scripts have left it.
_OF_THE_BODY: Final = frozenset(
    {"content-encoding", "content-length", "content-type", "transfer-encoding"}
)
# As Playwright's content(), unless that is too much to hand over.
_HTML: Final = """most => {
    const kind = document.doctype ? new XMLSerializer().serializeToString(document.doctype) : "";
    const html = document.documentElement ? document.documentElement.outerHTML : "";
    return html.length > most ? null : kind + html;
}"""
_TO_THE_END: Final = (
    "() => { const at = document.scrollingElement || document.documentElement;"
    " window.scrollTo(0, at.scrollHeight); return at.scrollHeight }"
)
# What leaves nothing in a page that the next target could meet.
_TIDY: Final = frozenset(
    {
        "bring_to_front", "check", "click", "content", "dblclick", "dispatch_event",
        "drag_and_drop", "eval_on_selector", "eval_on_selector_all", "evaluate", "evaluate_handle",
        "expect_download", "expect_event", "expect_navigation", "expect_popup", "expect_request",
        "expect_response",
        "fill", "focus", "frame", "frame_locator", "frames", "get_attribute", "get_by_alt_text",
        "get_by_label", "get_by_placeholder", "get_by_role", "get_by_test_id", "get_by_text",
        "get_by_title", "go_back", "go_forward", "goto", "hover", "inner_html", "inner_text",
        "input_value", "is_checked", "is_closed", "is_disabled", "is_editable", "is_enabled",
        "is_hidden", "is_visible", "keyboard", "locator", "main_frame", "mouse", "pdf", "press",
        "query_selector", "query_selector_all", "reload", "screenshot", "select_option",
        "set_checked", "set_input_files", "tap", "text_content", "title", "touchscreen", "type",
        "uncheck", "url", "viewport_size", "wait_for_function", "wait_for_load_state",
        "wait_for_selector", "wait_for_timeout", "wait_for_url", "workers",
    }
)  # fmt: skip


class Downloaded(NamedTuple):
    """A finished download, there until the visit ends; `name` is what its site suggests."""

    path: Path
    name: str


class Tab:
    """The names of Playwright's Page work on a tab, each call bounded by the visit's deadline and
    with Swather's errors: `await tab.click(…)`. `page` is that Page itself.

    `is_tidy` while nothing was done that another target could notice in the same page; `is_late`
    when a call has not ended by the deadline.
    """

    def __init__(
        self,
        opened: OpenPage,
        visit: Visit,
        traffic: VisitTraffic,
        is_over: Callable[[], bool],
    ) -> None:
        self._opened = opened
        self._visit = visit
        self._traffic = traffic
        self._is_over = is_over
        self._downloads: list[Download] = []
        self._begun: list[Download] = []
        self._finished: list[Downloaded] = []
        self._goal = "about:blank"
        self._empty: Response | None = None
        self.is_tidy = True
        self.is_late = False
        opened.page.on("download", self._begin_download)

    @property
    def page(self) -> "BrowserPage":
        # Whatever is done with it, a listener or a script may stay.
        self.is_tidy = False
        return self._opened.page

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        found = getattr(self._opened.page, name)
        if name not in _TIDY:
            self.is_tidy = False
        if not inspect.iscoroutinefunction(found):
            return found

        def call(*args: Any, **kwargs: Any) -> Awaitable[Any]:
            return self._bounded(found(*args, **kwargs))

        return call

    async def goto(self, url: str, **options: Any) -> Any:
        """As Playwright's, for http and https."""
        if not is_http(url) and url != "about:blank":
            raise UnusableURL(f"only http and https URLs can be opened, got {shown_url(url)!r}")
        self._traffic.forget_errors()
        self._goal = url
        response = await self._bounded(self._answer_to(url, options), url)
        await self._bounded(self._traffic.settled(), url)
        return response

    async def _answer_to(self, url: str, options: dict[str, Any]) -> Any:
        try:
            return await self._opened.page.goto(url, **options)
        except Exception as error:
            if self._traffic.response is not None and failures.is_empty_answer(error):
                self._empty = self._traffic.response
                return self._empty
            raise

    async def render(
        self,
        url: str,
        *,
        wait_for: str | None = None,
        wait_until: WaitUntil = "load",
        scroll: int = 0,
        settle_seconds: float = 0.0,
        timeout: float | None = None,  # noqa: ASYNC109 - the user's word for it, as in ctx.get
    ) -> Page:
        """Open a URL and return the document after its scripts have run. `wait_for` is a CSS
        selector to wait for, `scroll` how often to scroll to the end, `timeout` in seconds.
        `settle_seconds` is how long it may take until nothing is requested any more.
        """
        Request(url=url, timeout=timeout)
        try:
            async with asyncio.timeout(timeout):
                await self.goto(url, wait_until=wait_until)
                if settle_seconds:
                    await self._settle(settle_seconds)
                if wait_for is not None:
                    await self._wait_for(wait_for, url)
                if scroll:
                    await self.scroll_to_end(max_scrolls=scroll)
                return await self.read()
        except TimeoutError:
            raise FetchTimeout(f"{shown_url(url)} was not ready within {timeout:g} s") from None

    async def _settle(self, seconds: float) -> None:
        """Some pages never do, and are read as they are."""
        with suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await self._bounded(self._opened.page.wait_for_load_state("networkidle"))

    async def _wait_for(self, selector: str, url: str) -> None:
        """Most error pages never have the element: the answer is their status. A few check the
        browser by a script and open the real page then.
        """
        page = self._opened.page
        if self._is_empty():
            return
        if self._is_error():
            with suppress(TimeoutError):
                async with asyncio.timeout(ERROR_PAGE_SECONDS):
                    await self._bounded(page.wait_for_selector(selector, state="attached"), url)
            if self._is_error():
                return
        await self._bounded(page.wait_for_selector(selector, state="attached"), url)

    def _is_error(self) -> bool:
        response = self._traffic.response
        return response is not None and response.status >= 400

    def _is_empty(self) -> bool:
        """An error status without a body. Chromium shows a page of its own for it, in a moment,
        unless it is the one without windows.
        """
        response = self._traffic.response
        if self._empty is not None and self._empty is response:
            return True
        if response is None or not self._is_error():
            return False
        has_none = response.headers.get("content-length") == "0"
        return has_none or self._opened.page.url.startswith("chrome-error:")

    async def read(self) -> Page:
        """The document as it is now, with the status and headers of its last answer."""
        page, response = self._opened.page, self._traffic.response
        await self._bounded(self._traffic.settled())
        if response is None:
            raise BadResponse(f"{shown_url(page.url)} has not answered")
        is_empty = self._is_empty()
        return Page(
            url=response.url if is_empty else page.url,
            status=response.status,
            raw_headers=_in_utf8(response.headers),
            content=b"" if is_empty else (await self.html()).encode("utf-8", "replace"),
        )

    async def scroll_to_end(
        self, *, max_scrolls: int = 20, wait_seconds: float = _SCROLL_WAIT_SECONDS
    ) -> int:
        """Scroll down until the page grows no more; how often it did."""
        height = 0
        for count in range(max_scrolls):
            now = await self._bounded(self._opened.page.evaluate(_TO_THE_END))
            if now == height:
                return count
            height = now
            await asyncio.sleep(wait_seconds)
        return max_scrolls

    async def html(self) -> str:
        """The document as it is now; TooLarge if that is too much to hand over."""
        page = self._opened.page
        html: str | None = await self._bounded(page.evaluate(_HTML, MAX_BYTES))
        if html is None:
            raise TooLarge(f"{shown_url(page.url)} has more than {MAX_BYTES >> 20} MB of HTML")
        return html

    async def screenshot_bytes(self, *, full_page: bool = True) -> bytes:
        """A PNG of the page."""
        return await self._bounded(self._opened.page.screenshot(full_page=full_page))

    async def storage_state(self) -> dict[str, Any]:
        """Cookies and local storage, for a later visit's `storage_state`."""
        return dict(await self._bounded(self._opened.page.context.storage_state()))

    @property
    def downloads(self) -> list[Downloaded]:
        """Those that have finished and were asked for by `finished_downloads`."""
        return list(self._finished)

    async def finished_downloads(self) -> list[Downloaded]:
        """All that the page has begun to download, once they are complete."""
        while self._downloads:
            download = self._downloads.pop(0)
            path = await self._bounded(download.path(), download.url)
            self._finished.append(Downloaded(Path(path), download.suggested_filename))
        return self.downloads

    def _begin_download(self, download: "Download") -> None:
        self._downloads.append(download)
        self._begun.append(download)

    async def end(self) -> None:
        """The visit is over; its downloads are removed."""
        self._opened.page.remove_listener("download", self._begin_download)
        if self._begun and not self.is_late:
            with suppress(Exception):
                async with asyncio.timeout(CLEAN_SECONDS):
                    await asyncio.gather(*(download.cancel() for download in self._begun))
                    await asyncio.gather(*(download.delete() for download in self._begun))

    def failure_of(self, error: Exception, url: str | None = None) -> Exception:
        """An error of Playwright's as Swather's; any other as it is."""
        if not failures.is_of_playwright(error):
            return error
        at = url or self._opened.page.url
        if self.is_late:
            return self._too_late()
        text = str(error)
        is_timeout = failures.is_timeout(error)
        if self._traffic.failure is not None and (is_timeout or "net::" in text):
            return self._traffic.failure
        if self._is_over() or failures.is_gone(error):
            return BrowserFailed(f"the browser has crashed or was ended at {shown_url(at)}")
        if is_timeout:
            return FetchTimeout(f"{shown_url(at)}: {text.splitlines()[0]}")
        return failures.by_message(text, at) or error

    async def _bounded(self, call: Awaitable[T], url: str | None = None) -> T:
        """The result of a call to the browser, which ends by the deadline."""
        task = asyncio.ensure_future(call)
        try:
            while not task.done():
                await asyncio.wait((task,), timeout=self._seconds_left())
            return task.result()
        except Exception as error:
            failure = self.failure_of(error, url)
            if failure is error:
                raise
            raise failure from None
        finally:
            task.cancel()

    def _seconds_left(self) -> float:
        left = self._visit.deadline() - monotonic()
        if left <= 0:
            self.is_late = True
            raise self._too_late()
        return left

    def _too_late(self) -> FetchTimeout:
        url = self._opened.page.url
        shown = shown_url(url if is_http(url) else self._goal)
        return FetchTimeout(f"{shown} has taken too long in the browser")


def _in_utf8(headers: dict[str, str]) -> list[tuple[str, str]]:
    """The headers of a document that is UTF-8 now, whatever it was sent in."""
    kind = headers.get("content-type", "text/html").partition(";")[0].strip()
    kept = [(name, value) for name, value in headers.items() if name not in _OF_THE_BODY]
    return [*kept, ("content-type", f"{kind}; charset=utf-8")]
