"""The wreq client: HTTP/1.1 and 2, browser profiles, every kind of proxy."""

import re
from collections import OrderedDict
from collections.abc import AsyncGenerator, Sequence
from datetime import timedelta
from functools import lru_cache
from typing import Any, Final, overload

import wreq

from swather.errors import InputError, SwatherError
from swather.masking import shown_url
from swather.net.client import MAX_HEADER_BYTES, MAX_HEADERS, METHODS, ClientOptions, Hop
from swather.net.egress import Egress
from swather.net.errors import (
    BadResponse,
    ConnectionFailed,
    FetchTimeout,
    ProxyFailed,
    TooLarge,
)

# Each has its own pool of connections, and takes about 60 KB.
MAX_CLIENTS: Final = 256
# How long Tor tries to build circuits; the timeout of the request may end it sooner.
_TOR_CONNECT_SECONDS: Final = 120.0
_SOCKS_REPLY: Final = "Some(Socks("
# A timeout of 0 can mean none.
_LEAST_SECONDS: Final = 0.001
_METHODS: Final = {name: getattr(wreq.Method, name) for name in METHODS}
# A site may refuse them without a length, and wreq sends none for an empty body.
_WITH_BODY: Final = frozenset({"POST", "PUT", "PATCH"})
# Never those that resolve the name on this machine, where it would not be checked.
_RESOLVED_THERE: Final = {"socks4": "socks4a", "socks5": "socks5h"}
# wreq's own, and Python's, which it raises for values it cannot use.
_ERRORS: Final[tuple[type[Exception], ...]] = (
    *(kind for kind in vars(wreq.exceptions).values() if isinstance(kind, type)),
    ValueError,
    TypeError,
    RuntimeError,
)
_KINDS: Final[dict[str, tuple[type[SwatherError], str]]] = {
    "TimeoutError": (FetchTimeout, "no complete answer from {url} in time"),
    "ProxyConnectionError": (ProxyFailed, "the proxy for {url} failed"),
    "DecodingError": (BadResponse, "the answer of {url} cannot be decoded"),
    "BuilderError": (InputError, "{url!r} cannot be requested"),
}
_MESSAGE: Final = re.compile(r'message: "([^"]+)"|source: (?:Kind\()?(\w+)\)? }$')
_CAUSES: Final = {
    "IncompleteMessage": "it was closed before the answer",
    "IncompleteBody": "it was closed in the middle of the answer",
    "UnexpectedEof": "it was closed in the middle of the answer",
    "netty::Error(Parse": "it does not speak HTTP",
    "CERTIFICATE_VERIFY_FAILED": "its certificate is not valid",
}


class WreqClient:
    """One wreq client per host, because addresses can only be set for a whole client."""

    def __init__(self, options: ClientOptions) -> None:
        self._options = options
        self._by_pin: OrderedDict[tuple[str, str | None, bool], wreq.Client] = OrderedDict()
        self._is_closed = False

    async def send(self, hop: Hop) -> "WreqResponse":
        method = _METHODS.get(hop.method)
        if method is None:
            raise InputError(f"{hop.method!r} is not an HTTP method")
        given: dict[str, Any] = {}
        if hop.seconds != self._options.timeout_seconds:
            given["timeout"] = timedelta(seconds=max(hop.seconds, _LEAST_SECONDS))
        if hop.headers:
            given["headers"] = hop.headers
        if not hop.body and hop.method in _WITH_BODY:
            given["headers"] = {"Content-Length": "0", **hop.headers}
        if hop.body is not None:
            given["body"] = hop.body
        if hop.egress.proxy_url is not None:
            given["proxy"] = _proxy(hop.egress.proxy_url)
        client = self._client_for(hop)
        try:
            return WreqResponse(hop.url, await client.request(method, hop.url, **given))
        except _ERRORS as error:
            # Not "from error": its text may hold the password of a proxy.
            if hop.egress.is_tor and _SOCKS_REPLY in str(error):
                # The daemon works, but its circuit leads nowhere.
                raise ConnectionFailed(f"Tor could not connect to {shown_url(hop.url)}") from None
            raise _translated(error, hop.url) from None

    async def close(self) -> None:
        self._is_closed = True
        while self._by_pin:
            self._by_pin.popitem()[1].close()

    def _client_for(self, hop: Hop) -> wreq.Client:
        if self._is_closed:
            # wreq would say so with a CancelledError.
            raise ConnectionFailed("the fetcher is closed")
        key = hop.pin, hop.profile, hop.egress.is_tor
        client = self._by_pin.get(key)
        if client is None:
            client = self._by_pin[key] = self._new_client(hop)
            if len(self._by_pin) > MAX_CLIENTS:
                # Not closed: requests may still use it, and it goes away with the last.
                self._by_pin.popitem(last=False)
        else:
            self._by_pin.move_to_end(key)
        return client

    def _new_client(self, hop: Hop) -> wreq.Client:
        given: dict[str, Any] = {}
        if hop.profile is not None:
            given["emulation"] = _profile(hop.profile)
        else:
            given["headers"] = dict(self._options.headers)
            given["http1_options"] = wreq.Http1Options(
                max_headers=MAX_HEADERS, max_buf_size=MAX_HEADER_BYTES
            )
            given["http2_options"] = wreq.Http2Options(max_header_list_size=MAX_HEADER_BYTES)
        if hop.addresses:
            given["dns_options"] = wreq.DnsOptions(system_dns=True)
            given["dns_options"].add_resolve(hop.host, list(hop.addresses))
        if self._options.ca_file is not None:
            given["tls_verify"] = self._options.ca_file
        connect_seconds = self._options.connect_seconds
        if hop.egress.is_tor:
            connect_seconds = max(connect_seconds, _TOR_CONNECT_SECONDS)
        return wreq.Client(
            redirect=wreq.redirect.Policy.none(),
            no_proxy=True,
            gzip=False,
            brotli=False,
            deflate=False,
            zstd=False,
            connect_timeout=timedelta(seconds=connect_seconds),
            timeout=timedelta(seconds=self._options.timeout_seconds),
            read_timeout=timedelta(seconds=self._options.read_seconds),
            **given,
        )


class WreqResponse:
    """See swather.net.client.Response."""

    __slots__ = ("_response", "_url", "announced", "headers", "status")

    def __init__(self, url: str, response: Any) -> None:
        self._url = url
        self._response = response
        self.status: int = response.status.as_int()
        self.headers = _Headers(response.headers)
        self.announced: int | None = response.content_length

    def values(self, name: str) -> list[str]:
        return self.headers.values(name)

    async def read(self) -> bytes:
        try:
            return bytes(await self._response.bytes())
        except _ERRORS as error:
            raise _translated(error, self._url) from None

    async def chunks(self) -> AsyncGenerator[bytes | memoryview]:
        try:
            async with self._response.stream() as stream:
                async for chunk in stream:
                    # Anything but a memoryview is a trailer.
                    if isinstance(chunk, memoryview):
                        yield chunk
        except _ERRORS as error:
            raise _translated(error, self._url) from None

    async def drop(self) -> None:
        await self._response.close()


class _Headers(Sequence[tuple[str, str]]):
    """Decoded only when all are read; looking up a few is far quicker."""

    __slots__ = ("_as_text", "_received")

    def __init__(self, received: wreq.HeaderMap) -> None:
        self._received = received
        self._as_text: list[tuple[str, str]] | None = None

    def values(self, name: str) -> list[str]:
        if name not in self._received:
            return []
        return [str(value, "latin-1") for value in self._received.get_all(name)]

    def __len__(self) -> int:
        return len(self._pairs())

    @overload
    def __getitem__(self, index: int) -> tuple[str, str]: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[tuple[str, str]]: ...
    def __getitem__(self, index: int | slice) -> tuple[str, str] | Sequence[tuple[str, str]]:
        return self._pairs()[index]

    def __repr__(self) -> str:
        return repr(self._pairs())

    def _pairs(self) -> list[tuple[str, str]]:
        if self._as_text is None:
            self._as_text = [
                (str(name, "latin-1"), str(value, "latin-1")) for name, value in self._received
            ]
        return self._as_text


@lru_cache(maxsize=1024)
def _proxy(url: str) -> wreq.Proxy:
    scheme, _, rest = url.partition("://")
    scheme = scheme.lower()
    try:
        return wreq.Proxy.all(f"{_RESOLVED_THERE.get(scheme, scheme)}://{rest}")
    except Exception:  # noqa: BLE001 - wreq's own, with the password in its text
        raise InputError(f"the proxy {Egress.through(url)} cannot be used") from None


def _profile(name: str) -> wreq.Profile:
    wanted = name.lower()
    for known in dir(wreq.Profile):
        if known.lower() == wanted and known[0].isupper():
            profile: wreq.Profile = getattr(wreq.Profile, known)
            return profile
    raise InputError(f"there is no browser profile {name!r}; try chrome140")


def _translated(error: Exception, url: str) -> SwatherError:
    """Wreq's error as one of ours, recognised by its name and debug text."""
    text, shown = str(error), shown_url(url)
    if "Parse(TooLarge)" in text:
        return TooLarge(f"the headers of {shown} are larger than {MAX_HEADER_BYTES:,} bytes")
    if "TimedOut" in text:
        return FetchTimeout(f"no complete answer from {shown} in time")
    if isinstance(error, ValueError | TypeError | RuntimeError):
        return InputError(f"{shown!r} cannot be requested: {text}")
    is_cut = "IncompleteBody" in text or "UnexpectedEof" in text
    name = "" if is_cut else type(error).__name__
    kind, message = _KINDS.get(name, (ConnectionFailed, "the connection to {url} failed"))
    return kind(message.format(url=shown) + _cause_in(text))


def _cause_in(text: str) -> str:
    for pattern, cause in _CAUSES.items():
        if pattern in text:
            return f": {cause}"
    message = _MESSAGE.search(text)
    return f": {message[1] or message[2]}" if message else ""
