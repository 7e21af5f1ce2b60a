"""The two ways through the guard proxy: a tunnel, and one request in plain HTTP."""

import asyncio
import re
from collections.abc import AsyncIterator, Coroutine
from contextlib import AbstractAsyncContextManager, asynccontextmanager, suppress
from typing import Any, Final, Protocol

from swather.errors import FetchError, SwatherError
from swather.masking import shown_url
from swather.net.browser import upstream
from swather.net.browser.proxy_heads import OURS, Head, body_length, headers_in, written
from swather.net.browser.upstream import Connection, read_head
from swather.net.egress import Egress
from swather.net.errors import BadResponse, ConnectionFailed, ProxyFailed
from swather.net.guard import CheckedOrigin
from swather.net.request import path_and_query, split_url

_CHUNK_BYTES: Final = 64 << 10
_PLACE: Final = re.compile(r"(?:\[[0-9a-fA-F:.]+\]|[^\s\[\]:/@?#\\]+):[0-9]{1,5}")
_ESTABLISHED: Final = b"HTTP/1.1 200 Connection established\r\n\r\n"


class Door(Protocol):
    """Who lets the connections of one context out, and hears what became of them."""

    @property
    def egress(self) -> Egress: ...

    def pass_through(
        self, url: str, *, is_tunnel: bool
    ) -> AbstractAsyncContextManager[CheckedOrigin]:
        """The checked origin of a URL for as long as the connection lasts; SwatherError if it may
        not be reached. Of a tunnel only the origin is known.
        """
        ...

    def failed(self, url: str, error: SwatherError) -> None:
        """What was let out was not reached."""
        ...

    def count(self, size: int) -> None:
        """So many bytes have arrived; SwatherError if there are too many of them."""
        ...


async def tunnel(door: Door, head: Head, browser: Connection) -> None:
    """A WebSocket comes this way, too, with or without TLS."""
    if _PLACE.fullmatch(head.target) is None:
        raise ValueError("this is not a host and port")
    url = f"https://{head.target}"
    try:
        async with _let_out(door, url, is_tunnel=True) as checked:
            connection = await upstream.connect(checked, door.egress)
            try:
                browser.writer.write(_ESTABLISHED)
                await _pump_both(door, browser, connection)
            finally:
                connection.writer.transport.abort()
    except NotReachedError as refused:
        status = "403 Forbidden" if refused.is_forbidden else "502 Bad Gateway"
        answer = f"HTTP/1.1 {status}\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
        browser.writer.write(answer.encode())
        await browser.writer.drain()
        browser.writer.close()
        with suppress(OSError):
            await browser.writer.wait_closed()


async def forward(door: Door, head: Head, browser: Connection) -> None:
    """One request in plain HTTP. Its connection takes no second one, so that nothing can follow it
    to the same host unseen.
    """
    url = head.target
    if not url.lower().startswith("http://"):
        raise ValueError("only plain HTTP comes without a tunnel")
    length = body_length(head)
    async with _let_out(door, url, is_tunnel=False) as checked:
        connection, of_proxy = await upstream.connect_for_requests(checked, door.egress)
        try:
            target = url if of_proxy is not None else path_and_query(split_url(url)[1])
            authority = checked.origin.authority
            connection.writer.write(written(head, target, authority, of_proxy or ""))
            await _copy(browser.reader, connection.writer, length)
            answering = _answer_with(door, url, browser, connection, is_proxy=of_proxy is not None)
            await _while_connected(browser.reader, answering)
        finally:
            connection.writer.transport.abort()


async def _answer_with(
    door: Door, url: str, browser: Connection, connection: Connection, *, is_proxy: bool
) -> None:
    shown = shown_url(url)
    while True:
        try:
            head = await read_head(connection.reader)
            if not head:
                raise ConnectionResetError
            first, *lines = head[:-4].decode("latin-1").split("\r\n")
            status = int(first.split(" ", 2)[1])
            headers = headers_in(lines)
        except (ValueError, IndexError):
            raise BadResponse(f"the answer from {shown} is not HTTP") from None
        except OSError:
            raise ConnectionFailed(f"the connection for {shown} broke") from None
        if status == 407 and is_proxy:
            raise ProxyFailed(f"the proxy {door.egress} refused us with HTTP 407")
        if status in {101, 407}:
            raise BadResponse(f"{shown} answered with HTTP {status}")
        if status >= 200:
            break
    kept = [f"{name}: {value}\r\n" for name, value in headers if name.lower() not in OURS]
    answer = f"{first}\r\n{''.join(kept)}Connection: close\r\n\r\n"
    browser.writer.write(answer.encode("latin-1"))
    await _pump(door, connection.reader, browser.writer)
    browser.writer.close()
    with suppress(OSError):
        await browser.writer.wait_closed()


async def _while_connected(
    reader: asyncio.StreamReader, answering: Coroutine[Any, Any, None]
) -> None:
    """A browser that has closed its connection wants no answer any more."""
    answer = asyncio.create_task(answering)
    gone = asyncio.create_task(reader.read(1))
    try:
        await asyncio.wait((answer, gone), return_when=asyncio.FIRST_COMPLETED)
        if answer.done():
            await answer
    finally:
        answer.cancel()
        gone.cancel()
        await asyncio.gather(answer, gone, return_exceptions=True)


class NotReachedError(Exception):
    """What was wanted could not be had; the door knows why."""

    def __init__(self, *, is_forbidden: bool) -> None:
        super().__init__()
        self.is_forbidden = is_forbidden


@asynccontextmanager
async def _let_out(door: Door, url: str, *, is_tunnel: bool) -> AsyncIterator[CheckedOrigin]:
    try:
        async with door.pass_through(url, is_tunnel=is_tunnel) as checked:
            try:
                yield checked
            except FetchError as error:
                door.failed(url, error)
                raise NotReachedError(is_forbidden=False) from None
    except SwatherError as error:
        door.failed(url, error)
        raise NotReachedError(is_forbidden=True) from None


async def _copy(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, length: int) -> None:
    while length > 0:
        chunk = await reader.read(min(length, _CHUNK_BYTES))
        if not chunk:
            raise EOFError
        length -= len(chunk)
        writer.write(chunk)
        await writer.drain()


async def _pump_both(door: Door, browser: Connection, connection: Connection) -> None:
    """Until either side ends."""
    up = asyncio.create_task(_pump(None, browser.reader, connection.writer))
    down = asyncio.create_task(_pump(door, connection.reader, browser.writer))
    try:
        await asyncio.wait((up, down), return_when=asyncio.FIRST_COMPLETED)
        if down.done():
            await browser.writer.drain()
    finally:
        for task in (up, down):
            task.cancel()
        await asyncio.gather(up, down, return_exceptions=True)


async def _pump(
    door: Door | None, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
) -> None:
    while chunk := await reader.read(_CHUNK_BYTES):
        if door is not None:
            door.count(len(chunk))
        writer.write(chunk)
        await writer.drain()
