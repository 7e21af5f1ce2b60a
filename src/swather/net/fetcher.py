"""Fetches pages, hop by hop, with an HTTP client."""

import asyncio
import time
from collections.abc import Awaitable, Callable, Coroutine
from pathlib import Path
from typing import Any, Final, Protocol

from swather.errors import FetchError
from swather.masking import shown_url
from swather.net.body import (
    ACCEPTED,
    MAX_BYTES,
    MAX_DOWNLOAD_BYTES,
    MAX_RATIO,
    Caps,
    Sink,
    copy_body,
    read_body,
)
from swather.net.client import Client, ClientName, ClientOptions, Hop, Response, new_client
from swather.net.cookies import CookieJars
from swather.net.errors import FetchTimeout, Refused, TooManyRedirects, retry_after_seconds
from swather.net.fetch_policy import ANYWHERE, FetchPolicy
from swather.net.guard import CheckedOrigin, Guard, Resolve
from swather.net.page import Headers, Page, reread
from swather.net.redirects import REDIRECTS, check_encrypted, location_in, redirected
from swather.net.request import Request
from swather.version import __version__

USER_AGENT: Final = f"swather/{__version__}"
CONNECT_SECONDS: Final = 10.0
READ_SECONDS: Final = 30.0
TIMEOUT_SECONDS: Final = 30.0
MAX_REDIRECTS: Final = 10
# The body of a redirect is read up to here, so that its connection can be used again.
_DRAINED_BYTES: Final = 64 << 10

# Takes the body of an answer from a URL; its content, unless that went elsewhere.
Take = Callable[[Response, str], Awaitable[bytes]]


class Fetcher(Protocol):
    """Turns a request into a page. It raises only Swather's errors."""

    async def fetch(self, request: Request, policy: FetchPolicy = ANYWHERE) -> Page:
        """The page, whatever its status; redirects are followed as far as the policy allows."""
        ...

    def forget(self, run_id: int) -> None:
        """Drop what is cached for a run that has ended."""
        ...

    async def close(self) -> None: ...


class WebFetcher:
    """Fetches from the web over pooled connections.

    `timeout_seconds` is for a whole fetch, redirects and body included, without the time that its
    policy makes it wait; `read_seconds` is the longest silence.
    """

    def __init__(
        self,
        client: ClientName = "wreq",
        *,
        user_agent: str = USER_AGENT,
        connect_seconds: float = CONNECT_SECONDS,
        read_seconds: float = READ_SECONDS,
        timeout_seconds: float = TIMEOUT_SECONDS,
        max_bytes: int = MAX_BYTES,
        max_download_bytes: int = MAX_DOWNLOAD_BYTES,
        max_ratio: float = MAX_RATIO,
        max_redirects: int = MAX_REDIRECTS,
        ca_file: Path | None = None,
        resolve: Resolve | None = None,
    ) -> None:
        self._connect_seconds = connect_seconds
        self._timeout_seconds = timeout_seconds
        self._max_redirects = max_redirects
        self._caps = Caps(max_bytes, max_ratio)
        self._max_download_bytes = max_download_bytes
        self._guard = Guard(resolve)
        self.sessions = CookieJars()
        self._client: Client = new_client(
            client,
            ClientOptions(
                headers={"User-Agent": user_agent, "Accept": "*/*", "Accept-Encoding": ACCEPTED},
                connect_seconds=connect_seconds,
                read_seconds=read_seconds,
                timeout_seconds=timeout_seconds,
                ca_file=ca_file,
            ),
        )

    def fetch(self, request: Request, policy: FetchPolicy = ANYWHERE) -> Coroutine[Any, Any, Page]:
        return self._fetch(request, policy, self._read)

    async def download(
        self, request: Request, policy: FetchPolicy, sink: Sink, max_bytes: int | None
    ) -> Page:
        """See swather.net.download.Downloading. What a site says with an error is cut like a
        page.
        """
        most = self._max_download_bytes if max_bytes is None else max_bytes

        async def copy(response: Response, url: str) -> bytes:
            caps = self._caps._replace(max_bytes=most) if response.status < 400 else self._caps
            await copy_body(response, url, caps, sink)
            return b""

        return await self._fetch(request, policy, copy)

    def _read(self, response: Response, url: str) -> Coroutine[Any, Any, bytes]:
        return read_body(response, url, self._caps)

    async def _fetch(self, request: Request, policy: FetchPolicy, take: Take) -> Page:
        try:
            left = seconds = request.timeout or self._timeout_seconds
            first = url = request.full_url
            redirects = request.max_redirects or self._max_redirects
            for _ in range(redirects + 1):
                if request.https_only:
                    check_encrypted(url)
                found = self._guard.known(url, request.egress)
                if found is None:
                    began = time.monotonic()
                    found = await self._look(url, request, policy, left)
                    left -= time.monotonic() - began
                url, checked = found
                if not self._guard.is_allowed(checked, policy):
                    await self._guard.check(checked, policy)
                if (turn := policy.admit(url, checked.origin, request.egress)) is not None:
                    await turn
                began = time.monotonic()
                try:
                    page, leads_to = await self._ask(request, url, checked, policy, left, take)
                except Refused:
                    raise
                except FetchError as error:
                    took = time.monotonic() - began
                    if isinstance(error, FetchTimeout) and took >= left:
                        error = _too_slow(first, seconds)
                    policy.failed(url, error, took)
                    raise error from None
                if leads_to is None:
                    return page
                left -= time.monotonic() - began
                request = redirected(request, page.status, leads_to, checked.origin)
                url = leads_to
            raise TooManyRedirects(f"{shown_url(first)} redirects more than {redirects} times")
        finally:
            policy.end()

    def forget(self, run_id: int) -> None:
        self.sessions.forget(run_id)

    async def close(self) -> None:
        self._guard.close()
        await self._client.close()

    async def _look(
        self, url: str, request: Request, policy: FetchPolicy, left: float
    ) -> tuple[str, CheckedOrigin]:
        began = time.monotonic()
        try:
            async with asyncio.timeout(min(left, self._connect_seconds)):
                return await self._guard.resolve(url, request.egress)
        except Refused:
            raise
        except (TimeoutError, FetchError) as error:
            failure = error
            if not isinstance(failure, FetchError):
                failure = FetchTimeout(f"the host of {shown_url(url)} was not found in time")
            policy.failed(url, failure, time.monotonic() - began)
            raise failure from None

    async def _ask(
        self,
        request: Request,
        url: str,
        checked: CheckedOrigin,
        policy: FetchPolicy,
        left: float,
        take: Take,
    ) -> tuple[Page, str | None]:
        """One hop: the page, and where it leads if it is a redirect."""
        began = time.monotonic()
        origin, method = checked.origin, request.method.upper()
        response = await self._client.send(
            Hop(
                method,
                url,
                origin.host,
                checked.pin,
                checked.addresses,
                left,
                self._headers(request, url, origin.authorization),
                request.body,
                request.egress,
                request.profile,
            )
        )
        try:
            status = response.status
            wait = retry_after_seconds(Headers(response.headers)) if status >= 400 else None
            policy.answered(url, status, wait, time.monotonic() - began)
            if request.session and (cookies := response.values("set-cookie")):
                # Clients send text as UTF-8, and a cookie must go back as the same bytes.
                self.sessions.remember(request.session, url, map(reread, cookies))
            if status in REDIRECTS and (leads_to := location_in(response, url)) is not None:
                await _drain(response)
                return Page(url=url, status=status, raw_headers=response.headers), leads_to
            if method == "HEAD":
                content = await response.read()
            else:
                content = await take(response, url)
        except BaseException:
            await response.drop()
            raise
        return Page(url=url, status=status, raw_headers=response.headers, content=content), None

    def _headers(self, request: Request, url: str, authorization: str) -> dict[str, str]:
        if not (request.headers or request.session or authorization):
            return {}
        headers = {
            name: value
            for name, value in request.headers.items()
            if name.lower() != "proxy-authorization"
        }
        names = {name.lower(): name for name in headers}
        if authorization and "authorization" not in names:
            headers["Authorization"] = authorization
        if request.session and (cookies := self.sessions.header_for(request.session, url)):
            own = headers.pop(names["cookie"]) if "cookie" in names else ""
            headers["Cookie"] = f"{cookies}; {own}" if own else cookies
        return headers


def _too_slow(url: str, seconds: float) -> FetchTimeout:
    return FetchTimeout(f"no complete answer from {shown_url(url)} within {seconds:g} s")


async def _drain(response: Response) -> None:
    """Read the rest if it is short, so that the connection can be used again."""
    if response.announced is not None and response.announced <= _DRAINED_BYTES:
        await response.read()
    else:
        await response.drop()
