"""Fetchers for fixtures: one that records pages, one that replays them."""

from collections import defaultdict, deque

from swather.errors import InputError
from swather.masking import shown_url
from swather.net.fetch_policy import ANYWHERE, FetchPolicy
from swather.net.fetcher import Fetcher
from swather.net.page import Page
from swather.net.request import Request
from swather.net.stored_page import stored_page_url
from swather.testing.fixture import Fixture, RecordedPage, body_hash, record_page


class Recorder:
    """Fetches with another fetcher and records the pages in order."""

    def __init__(self, fetcher: Fetcher) -> None:
        self._fetcher = fetcher
        self.pages: list[RecordedPage] = []

    async def fetch(self, request: Request, policy: FetchPolicy = ANYWHERE) -> Page:
        page = await self._fetcher.fetch(request, policy)
        self.record(request, page)
        return page

    def record(self, request: Request, page: Page) -> None:
        """A page that came another way, from a browser."""
        self.pages.append(record_page(request, page))

    def forget(self, run_id: int) -> None:
        self._fetcher.forget(run_id)

    async def close(self) -> None:
        await self._fetcher.close()


class FixtureFetcher:
    """Answers requests with the pages of a fixture and nothing else.

    A repeated request gets one page after the other, then the last one again. A form with other
    values (another password, say) gets any page that its URL gave.
    """

    def __init__(self, fixture: Fixture, name: str) -> None:
        self._name = name
        self._urls = list(dict.fromkeys(page.url for page in fixture.pages))
        self._exact: dict[object, deque[RecordedPage]] = defaultdict(deque)
        self._like: dict[object, deque[RecordedPage]] = defaultdict(deque)
        for page in fixture.pages:
            self._exact[page.method, page.url, page.body_sha256].append(page)
            self._like[page.method, page.url].append(page)
        self.requests: list[Request] = []

    async def fetch(self, request: Request, policy: FetchPolicy = ANYWHERE) -> Page:  # noqa: ARG002
        self.requests.append(request)
        method, url = request.method.upper(), stored_page_url(request)
        found = self._exact.get((method, url, body_hash(request))) or self._like.get((method, url))
        if not found:
            raise InputError(
                f"the fixture {self._name} has no page for {method} {shown_url(url)}; "
                f"it has {', '.join(self._urls) or 'none'}"
            )
        return (found.popleft() if len(found) > 1 else found[0]).page

    def forget(self, run_id: int) -> None:
        pass

    async def close(self) -> None:
        pass
