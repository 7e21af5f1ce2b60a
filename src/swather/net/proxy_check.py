"""Measures proxies: whether a page comes through, how fast, and from which address."""

import asyncio
import json
import os
import time
from collections.abc import AsyncGenerator, Awaitable, Callable, Iterable
from contextlib import suppress
from ipaddress import ip_address
from typing import Any, Final, TypeVar
from urllib.parse import urlsplit

import msgspec

from swather.errors import FetchError
from swather.masking import shown_url
from swather.net.egress import Egress
from swather.net.fetch_policy import ANYWHERE
from swather.net.fetcher import Fetcher
from swather.net.request import Request

_DEFAULT_PORTS: Final = {"http": 80, "https": 443}
_SOCKS_PORT: Final = 1080
# The site, or the proxy itself, does not serve this address. Any other status came through.
_REFUSALS: Final = frozenset({403, 407, 429, 451})
# Names under which pages tell the address that they were asked from.
_ADDRESS_NAMES: Final = ("ip", "origin", "query", "address", "ip_address", "client_ip")
_MAX_ADDRESS_PAGE_BYTES: Final = 10_000

Proxy = TypeVar("Proxy")


class Measured(msgspec.Struct, frozen=True, kw_only=True):
    """What came of one check. `seconds` is None if nothing was measured; `exit_address` is the one
    that the page was asked from, if the page tells it.
    """

    ok: bool
    status: int | None = None
    seconds: float | None = None
    exit_address: str = ""
    error: str = ""


async def fetch_through(
    fetcher: Fetcher, egress: Egress, url: str, timeout_seconds: float
) -> Measured:
    """Fetch a page through a proxy; private addresses are allowed, since a person names the URL."""
    began = time.monotonic()
    request = Request(url=url, egress=egress, timeout=timeout_seconds)
    try:
        page = await fetcher.fetch(request, ANYWHERE)
    except FetchError as error:
        # The page is the same for all.
        return Measured(ok=False, error=str(error).replace(f" for {shown_url(url)}", ""))
    seconds = time.monotonic() - began
    if page.status in _REFUSALS or page.status >= 500:
        return Measured(ok=False, status=page.status, seconds=seconds, error=f"HTTP {page.status}")
    return Measured(
        ok=True, status=page.status, seconds=seconds, exit_address=exit_address(page.content)
    )


async def connect_to(egress: Egress, timeout_seconds: float) -> Measured:
    """Only connect to a proxy, which shows that it is there and not that it works."""
    assert egress.proxy_url is not None
    parts = urlsplit(egress.proxy_url)
    port = parts.port or _DEFAULT_PORTS.get(parts.scheme.lower(), _SOCKS_PORT)
    began = time.monotonic()
    try:
        async with asyncio.timeout(timeout_seconds):
            _, writer = await asyncio.open_connection(parts.hostname, port)
    except TimeoutError:
        return Measured(ok=False, error=f"no connection within {timeout_seconds:g} s")
    except (OSError, UnicodeError) as error:
        number = getattr(error, "errno", None)
        why = os.strerror(number) if number and number > 0 else str(error)
        return Measured(ok=False, error=f"no connection: {why}")
    seconds = time.monotonic() - began
    writer.close()
    with suppress(OSError):
        await writer.wait_closed()
    return Measured(ok=True, seconds=seconds)


async def check_all(
    proxies: Iterable[Proxy], check: Callable[[Proxy], Awaitable[Measured]], *, at_once: int
) -> AsyncGenerator[tuple[Proxy, Measured]]:
    """Every proxy with its measurement, in the order in which they are ready."""
    turn = asyncio.Semaphore(at_once)

    async def checked(proxy: Proxy) -> tuple[Proxy, Measured]:
        async with turn:
            return proxy, await check(proxy)

    tasks = [asyncio.create_task(checked(proxy)) for proxy in proxies]
    try:
        for done in asyncio.as_completed(tasks):
            yield await done
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


def exit_address(content: bytes) -> str:
    """The address that a page such as https://api.ipify.org says it was asked from; '' if it says
    none.
    """
    if len(content) > _MAX_ADDRESS_PAGE_BYTES:
        return ""
    text = content.decode(errors="replace").strip()
    try:
        said: Any = json.loads(text)
    except ValueError:
        said = text
    if isinstance(said, dict):
        said = next((said[name] for name in _ADDRESS_NAMES if name in said), "")
    # A proxy may add its own to those of others: "10.0.0.1, 198.51.100.7".
    last = str(said).rpartition(",")[2].strip() if isinstance(said, str) else ""
    try:
        return str(ip_address(last))
    except ValueError:
        return ""
