"""What happens to the requests of one visit, and why some were not made."""

import asyncio
from functools import lru_cache
from typing import TYPE_CHECKING, Final
from urllib.parse import urldefrag

from swather.errors import SwatherError
from swather.net.browser.visit import Visit
from swather.net.errors import UnusableURL
from swather.net.request import is_http, parse_origin, split_url

if TYPE_CHECKING:
    from playwright.async_api import Page as BrowserPage
    from playwright.async_api import Response

_MAX_ERRORS: Final = 1_000
_KINDS: Final = {
    "images": "image",
    "fonts": "font",
    "media": "media",
    "stylesheets": "stylesheet",
}


class VisitTraffic:
    """What happens to the requests of one visit. `response` is the last answer for the page itself,
    `documents` are the origins of the pages and frames that were opened. `errors` say why a URL or
    a host was not reached, `failure` why the page itself was not.
    """

    def __init__(self, visit: Visit, page: "BrowserPage") -> None:
        self.visit = visit
        self.page = page
        self.response: Response | None = None
        self.documents: set[str] = set()
        self.errors: dict[str, SwatherError] = {}
        self.failure: SwatherError | None = None
        self.late: set[asyncio.Task[None]] = set()
        self.blocked = frozenset(_KINDS.get(each, each) for each in visit.block)
        self.size = 0

    def forget_errors(self) -> None:
        """Another page is opened."""
        self.errors.clear()
        self.failure = None

    async def settled(self) -> None:
        """Until redirects have been admitted; what refuses one is raised."""
        while self.late:
            await asyncio.wait(self.late)
        if self.failure is not None:
            raise self.failure

    def note(self, url: str, error: SwatherError) -> None:
        if len(self.errors) < _MAX_ERRORS:
            self.errors[urldefrag(url)[0]] = error

    def error_of(self, url: str) -> SwatherError | None:
        """Why this URL was not reached, as far as we know it better than the browser."""
        if not is_http(url):
            return None
        return self.errors.get(urldefrag(url)[0]) or self.errors.get(tunnel_to(url))


def tunnel_to(url: str) -> str:
    """'example.com:443': of a tunnel the browser names no more."""
    end = url.find("/", len("https://"))
    return _host_and_port(url if end < 0 else url[:end])


@lru_cache(maxsize=4096)
def _host_and_port(beginning: str) -> str:
    try:
        origin = parse_origin(split_url(beginning)[0])
    except UnusableURL:
        return beginning
    return f"{origin.host}:{origin.port}"
