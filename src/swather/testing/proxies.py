"""Proxies on loopback: real HTTP and SOCKS5 proxies that die, ban and come back when they are told.

with LocalProxies(3, hosts={"shop.example": site.url}) as proxies:
    proxies[0].die()
    proxies[1].ban("shop.example", status=429)
    … fetch http://shop.example/ through proxies[2].url …
assert [one.host for one in proxies[2].log] == ["shop.example"]
"""

import asyncio
import threading
import time
from base64 import b64encode
from collections.abc import Coroutine, Iterator, Mapping, Sequence
from contextlib import suppress
from http import HTTPStatus
from types import TracebackType
from typing import Any, Final, NamedTuple, Self, overload
from urllib.parse import urlsplit

_CLOSED: Final = (asyncio.IncompleteReadError, OSError, TimeoutError, ValueError)
_CHUNK_BYTES: Final = 1 << 16
_SOCKS5: Final = 5
# What a proxy passes on says which one it was; what a site gets without it came directly.
VIA: Final = "via"


class Passed(NamedTuple):
    """A request that reached a proxy, `at` on the monotonic clock. `verdict`: what it did with it:
    'passed', 'banned', 'no login' or 'unreachable'.
    """

    at: float
    host: str
    path: str
    verdict: str


class _Ban(NamedTuple):
    status: int
    retry_after_seconds: float | None
    until: float


class LocalProxy:
    """One of LocalProxies; see there. Its `log` has every request that reached it."""

    def __init__(self, proxies: "LocalProxies", name: str, scheme: str, login: str) -> None:
        self.name = name
        self.log: list[Passed] = []
        self.delay_seconds = 0.0
        self._proxies = proxies
        self._scheme = scheme
        self._login = login
        self._bans: dict[str, _Ban] = {}
        self._port = 0
        self._server: asyncio.Server | None = None
        self._serving: set[asyncio.Task[None]] = set()

    @property
    def url(self) -> str:
        login = f"{self._login}@" if self._login else ""
        return f"{self._scheme}://{login}127.0.0.1:{self._port}"

    def die(self) -> None:
        """Refuse all connections, and drop those there are."""
        self._proxies.wait_for(self._stop())

    def revive(self) -> None:
        self._proxies.wait_for(self._start())

    def ban(
        self,
        host: str = "",
        *,
        status: int = 429,
        retry_after_seconds: float | None = None,
        seconds: float = float("inf"),
    ) -> None:
        """From now on and for `seconds`, sites answer with this status to what goes through it: one
        host, or all. That needs http; what is encrypted is passed on as it is.
        """
        self._bans[host] = _Ban(status, retry_after_seconds, time.monotonic() + seconds)

    def unban(self, host: str = "") -> None:
        self._bans.pop(host, None)

    async def _start(self) -> None:
        if self._server is None:
            self._server = await asyncio.start_server(
                self._serve, "127.0.0.1", self._port, backlog=512
            )
            self._port = self._server.sockets[0].getsockname()[1]

    async def _stop(self) -> None:
        if self._server is not None:
            self._server.close()
            self._server = None
        serving = list(self._serving)
        for task in serving:
            task.cancel()
        await asyncio.gather(*serving, return_exceptions=True)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._serving.add(task)
        try:
            first = await reader.readexactly(1)
            if first[0] == _SOCKS5:
                await self._serve_socks(reader, writer)
            else:
                await _HttpProxying(self, reader, writer).serve(first)
        except asyncio.CancelledError:
            writer.transport.abort()
        except _CLOSED:
            pass
        finally:
            self._serving.discard(task)
            writer.close()

    async def _serve_socks(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        """RFC 1928 and 1929: one CONNECT, by name or address."""
        await reader.readexactly((await reader.readexactly(1))[0])
        if self._login:
            writer.write(b"\x05\x02")
            await reader.readexactly(1)
            user = await reader.readexactly((await reader.readexactly(1))[0])
            password = await reader.readexactly((await reader.readexactly(1))[0])
            if f"{user.decode()}:{password.decode()}" != self._login:
                self.note("", "", "no login")
                writer.write(b"\x01\x01")
                return
            writer.write(b"\x01\x00")
        else:
            writer.write(b"\x05\x00")
        *_, kind = await reader.readexactly(4)
        if kind == 3:
            host = (await reader.readexactly((await reader.readexactly(1))[0])).decode()
        else:
            host = ".".join(str(byte) for byte in await reader.readexactly(4))
        port = int.from_bytes(await reader.readexactly(2), "big")
        try:
            upstream = await self.connect(host, port)
        except OSError:
            self.note(host, "", "unreachable")
            writer.write(b"\x05\x05\x00\x01" + bytes(6))
            return
        self.note(host, "", "passed")
        writer.write(b"\x05\x00\x00\x01" + bytes(6))
        await _join((reader, writer), upstream)

    def allows(self, headers: Mapping[str, str]) -> bool:
        expected = f"Basic {b64encode(self._login.encode()).decode()}"
        return not self._login or headers.get("proxy-authorization") == expected

    def ban_on(self, host: str) -> _Ban | None:
        for banned in (self._bans.get(host), self._bans.get("")):
            if banned is not None and banned.until > time.monotonic():
                return banned
        return None

    def note(self, host: str, path: str, verdict: str) -> None:
        self.log.append(Passed(time.monotonic(), host, path, verdict))

    async def connect(
        self, host: str, port: int
    ) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        if self.delay_seconds:
            await asyncio.sleep(self.delay_seconds)
        return await asyncio.open_connection(*self._proxies.address_of(host, port))


class _HttpProxying:
    """What is asked of an HTTP proxy over one connection: CONNECT, or requests to pass on."""

    def __init__(
        self, proxy: LocalProxy, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        self._proxy = proxy
        self._reader = reader
        self._writer = writer
        self._upstream: tuple[asyncio.StreamReader, asyncio.StreamWriter] | None = None
        self._upstream_place = ("", 0)

    async def serve(self, beginning: bytes) -> None:
        try:
            while await self._serve_one(beginning):
                beginning = b""
        finally:
            self._hang_up()

    async def _serve_one(self, beginning: bytes) -> bool:
        """Whether the connection can be used again."""
        proxy = self._proxy
        head = (beginning + await self._reader.readuntil(b"\r\n\r\n")).decode("latin-1")
        first, *lines = head.rstrip().split("\r\n")
        method, address, _version = first.split(" ")
        headers = {name.lower(): value.strip() for name, _, value in map(_halves, lines)}
        target = urlsplit(f"//{address}" if method == "CONNECT" else address)
        host, port = target.hostname or "", target.port or 80
        path = f"{target.path or '/'}{target.query and '?'}{target.query}"
        body = await self._reader.readexactly(int(headers.get("content-length", 0)))
        if not proxy.allows(headers):
            proxy.note(host, path, "no login")
            return await self._say(407, {"Proxy-Authenticate": 'Basic realm="proxy"'})
        if method != "CONNECT" and (ban := proxy.ban_on(host)) is not None:
            proxy.note(host, path, "banned")
            wait = ban.retry_after_seconds
            return await self._say(
                ban.status, {} if wait is None else {"Retry-After": f"{wait:.0f}"}
            )
        try:
            upstream = await self._connected(host, port)
        except OSError:
            proxy.note(host, path, "unreachable")
            return await self._say(502)
        proxy.note(host, path, "passed")
        if method == "CONNECT":
            self._writer.write(b"HTTP/1.1 200 Connection established\r\n\r\n")
            self._upstream = None
            await _join((self._reader, self._writer), upstream)
            return False
        kept = [line for line in lines if not line.lower().startswith("proxy-")]
        sent = "\r\n".join([f"{method} {path} HTTP/1.1", *kept, f"{VIA}: 1.1 {proxy.name}"])
        upstream[1].write(f"{sent}\r\n\r\n".encode("latin-1") + body)
        return await self._pass_back(method, upstream[0])

    async def _connected(
        self, host: str, port: int
    ) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        if self._upstream is None or self._upstream_place != (host, port):
            self._hang_up()
            self._upstream = await self._proxy.connect(host, port)
            self._upstream_place = (host, port)
        elif self._proxy.delay_seconds:
            await asyncio.sleep(self._proxy.delay_seconds)
        return self._upstream

    async def _pass_back(self, method: str, upstream: asyncio.StreamReader) -> bool:
        head = await upstream.readuntil(b"\r\n\r\n")
        status = int(head.split(b" ", 2)[1])
        lines = head.decode("latin-1").lower().split("\r\n")
        headers = {name: value.strip() for name, _, value in map(_halves, lines[1:])}
        self._writer.write(head)
        has_body = method != "HEAD" and status >= 200 and status not in (204, 304)
        is_framed = True
        if has_body and "content-length" in headers:
            self._writer.write(await upstream.readexactly(int(headers["content-length"])))
        elif has_body and "chunked" in headers.get("transfer-encoding", ""):
            await self._pass_chunks(upstream)
        elif has_body:
            is_framed = False
            while piece := await upstream.read(_CHUNK_BYTES):
                self._writer.write(piece)
        await self._writer.drain()
        return is_framed and headers.get("connection") != "close"

    async def _pass_chunks(self, upstream: asyncio.StreamReader) -> None:
        size = -1
        while size:
            line = await upstream.readuntil(b"\r\n")
            size = int(line.split(b";")[0], 16)
            self._writer.write(line + await upstream.readexactly(size + 2))
            await self._writer.drain()

    async def _say(self, status: int, headers: Mapping[str, str] | None = None) -> bool:
        lines = [f"HTTP/1.1 {status} {HTTPStatus(status).phrase}", "Content-Length: 0"]
        lines += [f"{name}: {value}" for name, value in (headers or {}).items()]
        self._writer.write("\r\n".join(lines).encode("latin-1") + b"\r\n\r\n")
        await self._writer.drain()
        return True

    def _hang_up(self) -> None:
        if self._upstream is not None:
            self._upstream[1].close()
            self._upstream = None


class LocalProxies(Sequence[LocalProxy]):
    """Proxies in a thread of their own, for the length of a `with` block.

    Every one of them speaks HTTP (requests to pass on, CONNECT) and SOCKS5 on its port; `scheme` is
    that of their URLs. With a `login`, 'user:password', they ask for it. `hosts` has the real
    address (a URL) of names that exist for these proxies alone, so that a request that does not go
    through one of them fails. They add the header Via, with their name, to what they pass on.
    """

    def __init__(
        self,
        count: int,
        *,
        hosts: Mapping[str, str] | None = None,
        scheme: str = "http",
        login: str = "",
    ) -> None:
        self._places = {
            name: (address.hostname or "", address.port or 80)
            for name, address in ((name, urlsplit(url)) for name, url in (hosts or {}).items())
        }
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(
            target=self._loop.run_forever, name="local proxies", daemon=True
        )
        self._proxies = [
            LocalProxy(self, f"proxy-{number}", scheme, login) for number in range(count)
        ]

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.stop()

    def start(self) -> None:
        self._thread.start()
        for proxy in self._proxies:
            proxy.revive()

    def stop(self) -> None:
        """Close all connections."""
        for proxy in self._proxies:
            proxy.die()
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()

    @property
    def urls(self) -> list[str]:
        return [proxy.url for proxy in self._proxies]

    @overload
    def __getitem__(self, index: int) -> LocalProxy: ...
    @overload
    def __getitem__(self, index: slice) -> list[LocalProxy]: ...
    def __getitem__(self, index: int | slice) -> LocalProxy | list[LocalProxy]:
        return self._proxies[index]

    def __len__(self) -> int:
        return len(self._proxies)

    def __iter__(self) -> Iterator[LocalProxy]:
        return iter(self._proxies)

    def wait_for(self, coroutine: Coroutine[Any, Any, None]) -> None:
        """Done in the thread of the proxies."""
        asyncio.run_coroutine_threadsafe(coroutine, self._loop).result()

    def address_of(self, host: str, port: int) -> tuple[str, int]:
        """Where a host really is."""
        return self._places.get(host, (host, port))


def _halves(line: str) -> tuple[str, str, str]:
    return line.partition(":")


async def _join(
    one: tuple[asyncio.StreamReader, asyncio.StreamWriter],
    other: tuple[asyncio.StreamReader, asyncio.StreamWriter],
) -> None:
    """A tunnel, until both sides have closed it."""
    try:
        await asyncio.gather(_copy(one[0], other[1]), _copy(other[0], one[1]))
    finally:
        other[1].close()


async def _copy(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    with suppress(*_CLOSED):
        while piece := await reader.read(_CHUNK_BYTES):
            writer.write(piece)
            await writer.drain()
    with suppress(*_CLOSED):
        writer.write_eof()
