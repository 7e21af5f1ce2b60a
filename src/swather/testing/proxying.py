"""What HTTP and SOCKS5 proxies do, over one connection."""

import asyncio
from base64 import b64decode
from collections.abc import Mapping
from contextlib import suppress
from http import HTTPStatus
from typing import Final, NamedTuple, Protocol
from urllib.parse import urlsplit

Streams = tuple[asyncio.StreamReader, asyncio.StreamWriter]

CLOSED: Final = (asyncio.IncompleteReadError, OSError, TimeoutError, ValueError)
_CHUNK_BYTES: Final = 1 << 16
# What a proxy passes on says which one it was; what a site gets without it came directly.
VIA: Final = "via"


class Ban(NamedTuple):
    """What a site answers, until a time on the monotonic clock."""

    status: int
    retry_after_seconds: float | None
    until: float


class Conduct(Protocol):
    """How a proxy behaves; see LocalProxy."""

    name: str
    delay_seconds: float

    def allows(self, login: str) -> bool: ...
    def ban_on(self, host: str) -> Ban | None: ...
    def note(self, host: str, path: str, verdict: str) -> None: ...
    async def connect(self, host: str, port: int) -> Streams: ...


class SocksProxying:
    """RFC 1928 and 1929: one CONNECT, by name or IPv4 address. The first byte was read."""

    def __init__(
        self, proxy: Conduct, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        self._proxy = proxy
        self._reader = reader
        self._writer = writer

    async def serve(self) -> None:
        await self._counted()
        if not await self._logged_in():
            self._proxy.note("", "", "no login")
            return
        *_, kind = await self._reader.readexactly(4)
        if kind == 3:
            host = (await self._counted()).decode()
        else:
            host = ".".join(str(byte) for byte in await self._reader.readexactly(4))
        port = int.from_bytes(await self._reader.readexactly(2), "big")
        try:
            upstream = await self._proxy.connect(host, port)
        except OSError:
            self._proxy.note(host, "", "unreachable")
            self._writer.write(b"\x05\x05\x00\x01" + bytes(6))
            return
        self._proxy.note(host, "", "passed")
        self._writer.write(b"\x05\x00\x00\x01" + bytes(6))
        await _join((self._reader, self._writer), upstream)

    async def _logged_in(self) -> bool:
        if self._proxy.allows(""):
            self._writer.write(b"\x05\x00")
            return True
        self._writer.write(b"\x05\x02")
        await self._reader.readexactly(1)
        user, password = await self._counted(), await self._counted()
        is_allowed = self._proxy.allows(f"{user.decode()}:{password.decode()}")
        self._writer.write(b"\x01\x00" if is_allowed else b"\x01\x01")
        return is_allowed

    async def _counted(self) -> bytes:
        """As many bytes as the next one says."""
        return await self._reader.readexactly((await self._reader.readexactly(1))[0])


class HttpProxying:
    """What is asked of an HTTP proxy over one connection: CONNECT, or requests to pass on."""

    def __init__(
        self, proxy: Conduct, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        self._proxy = proxy
        self._reader = reader
        self._writer = writer
        self._upstream: Streams | None = None
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
        if not proxy.allows(_login_in(headers)):
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

    async def _connected(self, host: str, port: int) -> Streams:
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


def _login_in(headers: Mapping[str, str]) -> str:
    """'user:password', or '' if there is none that can be read."""
    scheme, _, encoded = headers.get("proxy-authorization", "").partition(" ")
    try:
        return b64decode(encoded).decode() if scheme == "Basic" else ""
    except ValueError:
        return ""


def _halves(line: str) -> tuple[str, str, str]:
    return line.partition(":")


async def _join(one: Streams, other: Streams) -> None:
    """A tunnel, until both sides have closed it."""
    try:
        await asyncio.gather(_copy(one[0], other[1]), _copy(other[0], one[1]))
    finally:
        other[1].close()


async def _copy(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    with suppress(*CLOSED):
        while piece := await reader.read(_CHUNK_BYTES):
            writer.write(piece)
            await writer.drain()
    with suppress(*CLOSED):
        writer.write_eof()
