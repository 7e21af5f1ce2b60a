"""Connections to sites as an egress makes them: directly, or through a proxy of any kind.

A direct one goes to an address that the guard has checked; a proxy is given the name.
"""

import asyncio
import base64
import ssl
from collections.abc import Awaitable, Callable
from functools import lru_cache
from ipaddress import IPv4Address, ip_address
from typing import Final, NamedTuple
from urllib.parse import unquote_to_bytes, urlsplit

from swather.model.private_addresses import IPAddress
from swather.net.egress import Egress
from swather.net.errors import ConnectionFailed, FetchError, ProxyFailed
from swather.net.guard import CheckedOrigin

CONNECT_SECONDS: Final = 15.0
MAX_HEAD_BYTES: Final = 256 << 10
_ADDRESSES: Final = 4
_PORTS: Final = {"http": 80, "https": 443}
_SOCKS_PORT: Final = 1080
_SOCKS5_REPLIES: Final = {
    1: "it failed",
    2: "it is not allowed to",
    3: "the network is unreachable",
    4: "the host is unreachable",
    5: "the connection was refused",
    6: "it took too long",
    7: "it does not know the command",
    8: "it does not know this kind of address",
}


class Connection(NamedTuple):
    reader: asyncio.StreamReader
    writer: asyncio.StreamWriter


class _Proxy(NamedTuple):
    scheme: str
    host: str
    port: int
    user: bytes
    password: bytes

    @property
    def authorization(self) -> str:
        """The header line for an HTTP proxy, '' if it needs none."""
        if not self.user and not self.password:
            return ""
        pair = base64.b64encode(self.user + b":" + self.password).decode()
        return f"Proxy-Authorization: Basic {pair}\r\n"


async def connect(checked: CheckedOrigin, egress: Egress) -> Connection:
    """A connection to an origin on which TLS or a request may begin."""
    origin = checked.origin
    if egress.is_direct:
        return await _in_time(_directly(checked), ConnectionFailed, f"{origin.authority} did not")
    proxy = _proxy_of(egress.proxy_url or "")
    if proxy.scheme in {"http", "https"}:
        opening = _through_http(proxy, origin.host, origin.port)
    elif proxy.scheme.startswith("socks5"):
        opening = _through_socks5(proxy, origin.host, origin.port)
    else:
        opening = _through_socks4(proxy, origin.host, origin.port)
    return await _in_time(opening, ProxyFailed, f"the proxy {egress} did not")


async def connect_for_requests(
    checked: CheckedOrigin, egress: Egress
) -> tuple[Connection, str | None]:
    """A connection for one plain request. An HTTP proxy takes that itself, with the whole URL and
    these header lines; None if the request goes to the site as it is.
    """
    if not egress.is_direct:
        proxy = _proxy_of(egress.proxy_url or "")
        if proxy.scheme in {"http", "https"}:
            opening = _to_proxy(proxy)
            connection = await _in_time(opening, ProxyFailed, f"the proxy {egress} did not")
            return connection, proxy.authorization
    return await connect(checked, egress), None


async def read_head(reader: asyncio.StreamReader) -> bytes:
    """Up to and with the empty line; b"" if nothing came. ValueError if it is cut or too long."""
    try:
        return await reader.readuntil(b"\r\n\r\n")
    except asyncio.IncompleteReadError as error:
        if not error.partial:
            return b""
        raise ValueError("the headers are cut") from None
    except asyncio.LimitOverrunError:
        raise ValueError("the headers are too long") from None


@lru_cache(maxsize=1024)
def _proxy_of(url: str) -> _Proxy:
    parts = urlsplit(url)
    scheme = parts.scheme.lower()
    assert parts.hostname is not None  # Egress accepts no other
    user, _, password = parts.netloc.rpartition("@")[0].partition(":")
    return _Proxy(
        scheme,
        parts.hostname,
        parts.port or _PORTS.get(scheme, _SOCKS_PORT),
        unquote_to_bytes(user),
        unquote_to_bytes(password),
    )


async def _in_time(opening: Awaitable[Connection], kind: type[FetchError], what: str) -> Connection:
    try:
        async with asyncio.timeout(CONNECT_SECONDS):
            return await opening
    except TimeoutError:
        raise kind(f"{what} answer within {CONNECT_SECONDS:g} s") from None


async def _directly(checked: CheckedOrigin) -> Connection:
    origin = checked.origin
    reason = "it has no address"
    for address in checked.addresses[:_ADDRESSES]:
        try:
            return await _open(str(address), origin.port)
        except OSError as error:
            reason = _reason(error)
    raise ConnectionFailed(f"{origin.authority} cannot be reached: {reason}")


async def _open(host: str, port: int, tls: ssl.SSLContext | None = None) -> Connection:
    reader, writer = await asyncio.open_connection(host, port, ssl=tls, limit=MAX_HEAD_BYTES)
    return Connection(reader, writer)


async def _to_proxy(proxy: _Proxy) -> Connection:
    try:
        tls = _tls() if proxy.scheme == "https" else None
        return await _open(proxy.host, proxy.port, tls)
    except OSError as error:
        raise ProxyFailed(
            f"the proxy {_shown(proxy)} cannot be reached: {_reason(error)}"
        ) from None


async def _opened(proxy: _Proxy, greet: Callable[[Connection], Awaitable[None]]) -> Connection:
    connection = await _to_proxy(proxy)
    try:
        await greet(connection)
    except (OSError, EOFError, ValueError, IndexError) as error:
        connection.writer.transport.abort()
        raise ProxyFailed(
            f"the proxy {_shown(proxy)} broke off or answered nonsense: {_reason(error)}"
        ) from None
    except BaseException:
        connection.writer.transport.abort()
        raise
    return connection


async def _through_http(proxy: _Proxy, host: str, port: int) -> Connection:
    place = f"[{host}]:{port}" if ":" in host else f"{host}:{port}"

    async def greet(connection: Connection) -> None:
        connection.writer.write(
            f"CONNECT {place} HTTP/1.1\r\nHost: {place}\r\n{proxy.authorization}\r\n".encode()
        )
        head = await read_head(connection.reader)
        status = int(head.split(None, 2)[1]) if head else 0
        if not 200 <= status < 300:
            said = f"with HTTP {status}" if status else "without a word"
            raise ProxyFailed(f"the proxy {_shown(proxy)} refused a tunnel to {place} {said}")

    return await _opened(proxy, greet)


async def _through_socks5(proxy: _Proxy, host: str, port: int) -> Connection:
    async def greet(connection: Connection) -> None:
        reader, writer = connection
        has_user = bool(proxy.user or proxy.password)
        writer.write(b"\x05\x02\x00\x02" if has_user else b"\x05\x01\x00")
        version, method = await reader.readexactly(2)
        if version != 5:
            raise ValueError("it is no SOCKS 5 proxy")
        if method == 2 and has_user:
            user, password = proxy.user[:255], proxy.password[:255]
            writer.write(b"\x01" + bytes([len(user)]) + user + bytes([len(password)]) + password)
            if (await reader.readexactly(2))[1] != 0:
                raise ProxyFailed(f"the proxy {_shown(proxy)} refused our user or password")
        elif method != 0:
            raise ProxyFailed(f"the proxy {_shown(proxy)} refused us: it wants a user and password")
        writer.write(b"\x05\x01\x00" + _socks5_address(host) + port.to_bytes(2, "big"))
        _, reply, _, kind = await reader.readexactly(4)
        if reply != 0:
            why = _SOCKS5_REPLIES.get(reply, f"code {reply}")
            raise ProxyFailed(f"the proxy {_shown(proxy)} made no connection to {host}: {why}")
        length = {1: 4, 4: 16}.get(kind)
        if length is None:
            length = (await reader.readexactly(1))[0]
        await reader.readexactly(length + 2)

    return await _opened(proxy, greet)


async def _through_socks4(proxy: _Proxy, host: str, port: int) -> Connection:
    """With the name, as SOCKS 4a has it: it is for the proxy to look up."""

    async def greet(connection: Connection) -> None:
        reader, writer = connection
        address = _address_in(host)
        if isinstance(address, IPv4Address):
            place, name = address.packed, b""
        else:
            place, name = b"\x00\x00\x00\x01", host.encode() + b"\x00"
        user = proxy.user.replace(b"\x00", b"")
        writer.write(b"\x04\x01" + port.to_bytes(2, "big") + place + user + b"\x00" + name)
        reply = await reader.readexactly(8)
        if reply[1] != 90:
            raise ProxyFailed(
                f"the proxy {_shown(proxy)} made no connection to {host}: code {reply[1]}"
            )

    return await _opened(proxy, greet)


def _socks5_address(host: str) -> bytes:
    address = _address_in(host)
    if address is None:
        name = host.encode("ascii")
        return b"\x03" + bytes([len(name)]) + name
    return (b"\x01" if isinstance(address, IPv4Address) else b"\x04") + address.packed


def _address_in(host: str) -> IPAddress | None:
    try:
        return ip_address(host)
    except ValueError:
        return None


def _shown(proxy: _Proxy) -> str:
    return f"{proxy.scheme}://{proxy.host}:{proxy.port}"


def _reason(error: Exception) -> str:
    if isinstance(error, OSError) and error.strerror:
        return error.strerror
    return str(error) or type(error).__name__


@lru_cache(maxsize=1)
def _tls() -> ssl.SSLContext:
    return ssl.create_default_context()
