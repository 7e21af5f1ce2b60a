"""Fetches pages: the protocol, and the client that does it."""

import importlib
import re
from datetime import timedelta
from typing import Any, Final, Protocol

from swather.errors import InputError, SwatherError
from swather.net.errors import (
    BadResponse,
    ConnectionFailed,
    FetchTimeout,
    ProxyFailed,
    TooLarge,
    TooManyRedirects,
)
from swather.net.page import Page
from swather.net.request import Request, shown_url
from swather.version import __version__

USER_AGENT: Final = f"swather/{__version__}"
MAX_BYTES: Final = 32 << 20
MAX_REDIRECTS: Final = 10
TIMEOUT_SECONDS: Final = 30.0
_REDIRECTS: Final = frozenset({301, 302, 303, 307, 308})
_MESSAGE: Final = re.compile(r'message: "([^"]+)"|source: (?:Kind\()?(\w+)\)? }$')
_KINDS: Final[dict[str, tuple[type[SwatherError], str]]] = {
    "RedirectError": (TooManyRedirects, "{url} leads from one redirect to another"),
    "ProxyConnectionError": (ProxyFailed, "the proxy for {url} failed"),
    "DecodingError": (BadResponse, "the answer of {url} cannot be decoded"),
    "BuilderError": (InputError, "{url!r} cannot be requested"),
}
_CAUSES: Final = {
    "dns error": "its name cannot be found",
    "IncompleteMessage": "it was closed before the answer",
    "IncompleteBody": "it was closed in the middle of the answer",
    "netty::Error(Parse": "it does not speak HTTP",
}


class Fetcher(Protocol):
    """Whatever turns a request into a page. It raises errors of ours and no others."""

    async def fetch(self, request: Request) -> Page:
        """The page, whatever its status; redirects are followed."""
        ...

    async def close(self) -> None: ...


class WreqFetcher:
    """Fetches with wreq; connections are kept and shared by all who fetch with it."""

    def __init__(
        self,
        *,
        user_agent: str = USER_AGENT,
        timeout_seconds: float = TIMEOUT_SECONDS,
        max_bytes: int = MAX_BYTES,
        max_redirects: int = MAX_REDIRECTS,
    ) -> None:
        self._wreq = importlib.import_module("wreq")
        self._timeout_seconds = timeout_seconds
        self._max_bytes = max_bytes
        self._client: Any = self._wreq.Client(
            user_agent=user_agent,
            redirect=self._wreq.redirect.Policy.limited(max_redirects),
            gzip=True,
            brotli=True,
            deflate=True,
            zstd=True,
        )

    async def fetch(self, request: Request) -> Page:
        seconds = request.timeout or self._timeout_seconds
        url = request.full_url
        try:
            async with await self._send(request, url, seconds) as response:
                page = Page(
                    url=response.url,
                    status=response.status.as_int(),
                    raw_headers=_headers_of(response),
                    content=await self._read(response),
                )
        except SwatherError:
            raise
        except Exception as error:
            raise _told(error, url, seconds) from error
        if page.status in _REDIRECTS and "location" in page.headers:
            to = shown_url(page.headers["location"])
            raise BadResponse(f"{shown_url(url)} leads to {to!r}, which is no web page")
        return page

    async def close(self) -> None:
        self._client.close()

    def _send(self, request: Request, url: str, seconds: float) -> Any:
        method = getattr(self._wreq.Method, request.method.upper(), None)
        if method is None:
            raise InputError(f"there is no HTTP method {request.method!r}")
        options: dict[str, Any] = {"timeout": timedelta(seconds=seconds)}
        if request.headers:
            options["headers"] = request.headers
        if request.body is not None:
            options["body"] = request.body
        return self._client.request(method, url, **options)

    async def _read(self, response: Any) -> bytes:
        """The body, as far as it is not too large: counted as it is unpacked, not as announced."""
        announced = response.content_length
        if announced is not None and announced <= self._max_bytes:
            return bytes(await response.bytes())
        content = bytearray()
        async with response.stream() as chunks:
            async for chunk in chunks:
                content += chunk
                if len(content) > self._max_bytes:
                    raise TooLarge(
                        f"{shown_url(response.url)} has more than {self._max_bytes:,} bytes"
                    )
        return bytes(content)


def _headers_of(response: Any) -> list[tuple[str, str]]:
    return [(str(name, "latin-1"), str(value, "latin-1")) for name, value in response.headers]


def _told(error: Exception, url: str, seconds: float) -> SwatherError:
    """One of our errors for one of wreq's, which are known by their names and debug texts."""
    text = str(error)
    if "TimedOut" in text:
        return FetchTimeout(f"no complete answer from {shown_url(url)} within {seconds:g} s")
    name = "" if "IncompleteBody" in text else type(error).__name__
    kind, message = _KINDS.get(name, (ConnectionFailed, "the connection to {url} failed"))
    return kind(message.format(url=shown_url(url)) + _cause_in(text))


def _cause_in(text: str) -> str:
    for pattern, cause in _CAUSES.items():
        if pattern in text:
            return f": {cause}"
    told = _MESSAGE.search(text)
    return f": {told[1] or told[2]}" if told else ""
