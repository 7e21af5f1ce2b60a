"""The aiohttp client: HTTP/1.1 and HTTP proxies, where wreq is not available."""

import os
import socket
import ssl
from collections import OrderedDict
from collections.abc import AsyncGenerator
from typing import Any, Final

import aiohttp
from aiohttp.abc import AbstractResolver, ResolveResult
from yarl import URL

from swather.errors import InputError, SwatherError
from swather.masking import shown_url
from swather.model.private_addresses import IPAddress
from swather.net.client import MAX_HEADER_BYTES, MAX_HEADERS, METHODS, ClientOptions, Hop
from swather.net.errors import ConnectionFailed, FetchTimeout, ProxyFailed, TooLarge
from swather.net.guard import MAX_HOSTS

_MAX_FIELD_BYTES: Final = 32 << 10
_AUTOMATIC: Final = ("User-Agent", "Accept", "Accept-Encoding", "Content-Type")
_WITHOUT_BODY: Final = frozenset({204, 304})
# Including Python's own, which it raises for values it cannot use.
_ERRORS: Final = (aiohttp.ClientError, OSError, ValueError, TypeError, RuntimeError)
# The first match counts.
_KINDS: Final[tuple[tuple[Any, type[SwatherError], str], ...]] = (
    (TimeoutError, FetchTimeout, "no complete answer from {url} in time"),
    (aiohttp.ClientProxyConnectionError, ProxyFailed, "the proxy for {url} failed"),
    (aiohttp.ClientHttpProxyError, ProxyFailed, "the proxy for {url} failed"),
    (aiohttp.InvalidURL, InputError, "{url!r} cannot be requested"),
    ((aiohttp.ClientError, OSError), ConnectionFailed, "the connection to {url} failed"),
)
_CAUSES: Final = (
    (aiohttp.ClientConnectorCertificateError, "its certificate is not valid"),
    (aiohttp.ServerDisconnectedError, "it was closed before the answer"),
    (aiohttp.ClientPayloadError, "it was closed in the middle of the answer"),
    (aiohttp.ClientHttpProxyError, "it refused the connection"),
    (aiohttp.ClientResponseError, "it does not speak HTTP"),
)
_TOO_LARGE: Final = ("Got more than", "Too many headers")


class AiohttpClient:
    """One session for all hosts. It knows a host by its pin, so that a connection to a name's
    former addresses is not reused for its present ones.
    """

    def __init__(self, options: ClientOptions) -> None:
        self._options = options
        self._names = _GivenAddresses()
        self._session: aiohttp.ClientSession | None = None
        self._is_closed = False

    async def send(self, hop: Hop) -> "AiohttpResponse":
        _check(hop)
        session = self._opened()
        url, headers, name = URL(hop.url, encoded=True), hop.headers, None
        if hop.pin not in {"", hop.host}:
            name, headers = hop.host, {"Host": url.host_port_subcomponent or "", **hop.headers}
            url = url.with_host(self._names.give(hop.pin, hop.addresses))
        try:
            response = await session.request(
                hop.method,
                url,
                headers=headers,
                data=hop.body,
                proxy=hop.egress.proxy_url,
                server_hostname=name,
                allow_redirects=False,
                timeout=aiohttp.ClientTimeout(
                    total=max(hop.seconds, 0.001),
                    sock_connect=self._options.connect_seconds,
                    sock_read=self._options.read_seconds,
                ),
            )
        except _ERRORS as error:
            raise _translated(error, hop.url) from None
        return AiohttpResponse(hop.url, response)

    async def close(self) -> None:
        self._is_closed = True
        if self._session is not None:
            await self._session.close()

    def _opened(self) -> aiohttp.ClientSession:
        """Opened by the first request, because it belongs to the running loop."""
        if self._is_closed:
            raise ConnectionFailed("the fetcher is closed")
        if self._session is None:
            self._session = aiohttp.ClientSession(
                connector=aiohttp.TCPConnector(
                    limit=0,
                    resolver=self._names,
                    use_dns_cache=False,
                    ssl=ssl.create_default_context(cafile=self._options.ca_file),
                ),
                headers=self._options.headers,
                skip_auto_headers=_AUTOMATIC,
                cookie_jar=aiohttp.DummyCookieJar(),
                auto_decompress=False,
                max_line_size=_MAX_FIELD_BYTES,
                max_field_size=_MAX_FIELD_BYTES,
                max_headers=MAX_HEADERS,
            )
        return self._session


class AiohttpResponse:
    """See swather.net.client.Response."""

    __slots__ = ("_response", "_url", "announced", "headers", "status")

    def __init__(self, url: str, response: aiohttp.ClientResponse) -> None:
        self._url = url
        self._response = response
        self.status = response.status
        self.headers = [
            (name.decode("latin-1").lower(), value.decode("latin-1"))
            for name, value in response.raw_headers
        ]
        # Their length is that of the page they are about.
        self.announced = 0 if response.status in _WITHOUT_BODY else response.content_length

    def values(self, name: str) -> list[str]:
        return [value for known, value in self.headers if known == name]

    async def read(self) -> bytes:
        try:
            return await self._response.read()
        except _ERRORS as error:
            raise _translated(error, self._url) from None

    async def chunks(self) -> AsyncGenerator[bytes | memoryview]:
        try:
            async for chunk in self._response.content.iter_any():
                yield chunk
        except _ERRORS as error:
            raise _translated(error, self._url) from None

    async def drop(self) -> None:
        self._response.close()


class _GivenAddresses(AbstractResolver):
    """Resolves pins, which are names here, to their addresses. Other names are those of proxies,
    which the user chose: the system resolves them.
    """

    def __init__(self) -> None:
        self._given: OrderedDict[str, tuple[IPAddress, ...]] = OrderedDict()
        self._system: aiohttp.ThreadedResolver | None = None

    def give(self, pin: str, addresses: tuple[IPAddress, ...]) -> str:
        """The name for a pin; its comma sets it apart, since no host has one."""
        name = pin.replace(" ", ",").replace(":", "-")
        self._given[name] = addresses
        self._given.move_to_end(name)
        if len(self._given) > MAX_HOSTS:
            self._given.popitem(last=False)
        return name

    async def resolve(
        self, host: str, port: int = 0, family: socket.AddressFamily = socket.AF_INET
    ) -> list[ResolveResult]:
        if host not in self._given:
            self._system = self._system or aiohttp.ThreadedResolver()
            return await self._system.resolve(host, port, family)
        return [
            ResolveResult(
                hostname=host,
                host=str(address),
                port=port,
                family=socket.AF_INET if address.version == 4 else socket.AF_INET6,
                proto=0,
                flags=socket.AI_NUMERICHOST,
            )
            for address in self._given[host]
        ]

    async def close(self) -> None:
        pass


def _check(hop: Hop) -> None:
    if hop.method not in METHODS:
        raise InputError(f"{hop.method!r} is not an HTTP method")
    if hop.profile is not None:
        raise InputError("browser profiles need the setting http_client = wreq")
    proxy = hop.egress.proxy_url
    if proxy is not None and not proxy.lower().startswith(("http://", "https://")):
        raise InputError("proxies other than HTTP ones need the setting http_client = wreq")


def _translated(error: Exception, url: str) -> SwatherError:
    """Aiohttp's error as one of ours."""
    shown = shown_url(url)
    text = getattr(error, "message", "")
    if isinstance(error, aiohttp.ClientResponseError) and text.startswith(_TOO_LARGE):
        return TooLarge(f"the headers of {shown} are larger than {MAX_HEADER_BYTES:,} bytes")
    for foreign, kind, message in _KINDS:
        if isinstance(error, foreign):
            return kind(message.format(url=shown) + _cause_of(error))
    return InputError(f"{shown!r} cannot be requested: {error}")


def _cause_of(error: Exception) -> str:
    for kind, cause in _CAUSES:
        if isinstance(error, kind):
            return f": {cause}"
    number = getattr(error, "errno", None)
    return f": {os.strerror(number)}" if number and number > 0 else ""
