"""The only way out of the browser: a proxy of ours on loopback.

It asks the guard about every host, whatever in a page wants it: a script, an iframe, a WebSocket, a
redirect. It connects to the address that was checked, or through the egress, and to nothing else.
Each context of the browser logs in with a password of its own; nobody else can use the proxy.

What cannot be had is a refused tunnel to the browser, or a connection that ends without an answer:
a page never sees an answer that its site did not give.
"""

import asyncio
import base64
import re
import secrets
from collections.abc import AsyncIterator, Coroutine
from contextlib import AbstractAsyncContextManager, asynccontextmanager, suppress
from typing import Any, Final, NamedTuple, Protocol

from swather.errors import FetchError, SwatherError
from swather.masking import shown_url
from swather.net.browser import upstream
from swather.net.browser.upstream import MAX_HEAD_BYTES, Connection, read_head
from swather.net.egress import Egress
from swather.net.errors import BadResponse, ConnectionFailed, ProxyFailed
from swather.net.guard import CheckedOrigin
from swather.net.request import path_and_query, split_url

# How long a connection of the browser may take for its request.
HEAD_SECONDS: Final = 300.0
_CHUNK_BYTES: Final = 64 << 10
_PLACE: Final = re.compile(r"(?:\[[0-9a-fA-F:.]+\]|[^\s\[\]:/@?#\\]+):[0-9]{1,5}")
_NAME: Final = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
# Between us and the browser, or for nobody but us.
_OURS: Final = frozenset(
    {"connection", "host", "keep-alive", "proxy-authenticate", "proxy-authorization",
     "proxy-connection", "te", "trailer", "upgrade"}
)  # fmt: skip
_AUTHENTICATE: Final = (
    b"HTTP/1.1 407 Proxy Authentication Required\r\n"
    b'Proxy-Authenticate: Basic realm="swather"\r\nContent-Length: 0\r\n\r\n'
)
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


class Credentials(NamedTuple):
    user: str
    password: str


class _Head(NamedTuple):
    method: str
    target: str
    headers: list[tuple[str, str]]

    def values(self, name: str) -> list[str]:
        return [value for known, value in self.headers if known.lower() == name]


class GuardProxy:
    """Belongs to the thread of its loop."""

    def __init__(self) -> None:
        self._server: asyncio.Server | None = None
        self._doors: dict[str, Door] = {}
        self._serving: dict[asyncio.Task[None], str] = {}
        self.url = ""

    async def start(self) -> None:
        self._server = await asyncio.start_server(self._serve, "127.0.0.1", 0, limit=MAX_HEAD_BYTES)
        self.url = f"http://127.0.0.1:{self._server.sockets[0].getsockname()[1]}"

    async def close(self) -> None:
        if self._server is not None:
            self._server.close()
        serving = list(self._serving)
        for task in serving:
            task.cancel()
        await asyncio.gather(*serving, return_exceptions=True)

    def register(self, door: Door) -> Credentials:
        """The name and password with which a context comes through this door."""
        credentials = Credentials(secrets.token_hex(8), secrets.token_hex(24))
        self._doors[_authorization(credentials)] = door
        return credentials

    def forget(self, credentials: Credentials) -> None:
        """Nobody comes through this door any more, and who is outside is cut off."""
        key = _authorization(credentials)
        self._doors.pop(key, None)
        for task, used in list(self._serving.items()):
            if used == key:
                task.cancel()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._serving[task] = ""
        try:
            await self._answer(task, Connection(reader, writer))
        except (OSError, ValueError, EOFError, SwatherError, _NotReached, asyncio.CancelledError):
            # The end of the connection is all that the browser is told.
            pass
        finally:
            del self._serving[task]
            writer.transport.abort()

    async def _answer(self, task: asyncio.Task[None], browser: Connection) -> None:
        async with asyncio.timeout(HEAD_SECONDS):
            head = await _request_head(browser.reader)
            while head is not None and (door := self._door_of(task, head)) is None:
                browser.writer.write(_AUTHENTICATE)
                head = await _request_head(browser.reader)
        if head is None:
            return
        assert door is not None
        if head.method == "CONNECT":
            await _tunnel(door, head, browser)
        else:
            await _forward(door, head, browser)

    def _door_of(self, task: asyncio.Task[None], head: _Head) -> Door | None:
        given = head.values("proxy-authorization")
        # The keys are too long to be guessed by the time that a lookup takes.
        if len(given) != 1 or (door := self._doors.get(given[0])) is None:
            return None
        self._serving[task] = given[0]
        return door


def _authorization(credentials: Credentials) -> str:
    pair = f"{credentials.user}:{credentials.password}".encode()
    return f"Basic {base64.b64encode(pair).decode()}"


async def _request_head(reader: asyncio.StreamReader) -> _Head | None:
    head = await read_head(reader)
    if not head:
        return None
    first, *lines = head[:-4].decode("latin-1").split("\r\n")
    method, target, version = first.split(" ")
    if version != "HTTP/1.1" or _NAME.fullmatch(method) is None:
        raise ValueError("this is not HTTP/1.1")
    return _Head(method, target, _headers_in(lines))


def _headers_in(lines: list[str]) -> list[tuple[str, str]]:
    """Strictly: what two sides read differently could hide a second request in the first."""
    headers = []
    for line in lines:
        name, colon, value = line.partition(":")
        if not colon or _NAME.fullmatch(name) is None or "\n" in value or "\r" in value:
            raise ValueError("a header is malformed")
        headers.append((name, value.strip(" \t")))
    return headers


async def _tunnel(door: Door, head: _Head, browser: Connection) -> None:
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
    except _NotReached as refused:
        status = "403 Forbidden" if refused.is_forbidden else "502 Bad Gateway"
        answer = f"HTTP/1.1 {status}\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
        browser.writer.write(answer.encode())
        await browser.writer.drain()
        browser.writer.close()
        with suppress(OSError):
            await browser.writer.wait_closed()


async def _forward(door: Door, head: _Head, browser: Connection) -> None:
    """One request in plain HTTP. Its connection takes no second one, so that nothing can follow it
    to the same host unseen.
    """
    url = head.target
    if not url.lower().startswith("http://"):
        raise ValueError("only plain HTTP comes without a tunnel")
    length = _body_length(head)
    async with _let_out(door, url, is_tunnel=False) as checked:
        connection, of_proxy = await upstream.connect_for_requests(checked, door.egress)
        try:
            target = url if of_proxy is not None else path_and_query(split_url(url)[1])
            authority = checked.origin.authority
            connection.writer.write(_request(head, target, authority, of_proxy or ""))
            await _copy(browser.reader, connection.writer, length)
            answering = _answer_with(door, url, browser, connection, is_proxy=of_proxy is not None)
            await _while_connected(browser.reader, answering)
        finally:
            connection.writer.transport.abort()


def _request(head: _Head, target: str, host: str, of_proxy: str) -> bytes:
    named = {
        name.strip().lower() for value in head.values("connection") for name in value.split(",")
    }
    kept = [
        f"{name}: {value}\r\n"
        for name, value in head.headers
        if name.lower() not in _OURS and name.lower() not in named
    ]
    lines = [
        f"{head.method} {target} HTTP/1.1\r\n",
        f"Host: {host}\r\n",
        *kept,
        of_proxy,
        "Connection: close\r\n\r\n",
    ]
    return "".join(lines).encode("latin-1")


def _body_length(head: _Head) -> int:
    if head.values("transfer-encoding"):
        raise ValueError("a request's body has no length")
    lengths = head.values("content-length")
    if not lengths:
        return 0
    if len(lengths) > 1 or not re.fullmatch(r"[0-9]{1,18}", lengths[0]):
        raise ValueError("a request's length is malformed")
    return int(lengths[0])


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
            headers = _headers_in(lines)
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
    kept = [f"{name}: {value}\r\n" for name, value in headers if name.lower() not in _OURS]
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


class _NotReached(Exception):
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
                raise _NotReached(is_forbidden=False) from None
    except SwatherError as error:
        door.failed(url, error)
        raise _NotReached(is_forbidden=True) from None


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
