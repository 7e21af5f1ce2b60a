"""What a fetcher needs from an HTTP client: one request, one response, at the given addresses.

A client follows no redirects, decodes nothing, keeps no cookies, resolves no names and ignores
proxies in the environment: that is the fetcher's work. It raises only Swather's errors.
"""

import importlib
from collections.abc import AsyncGenerator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Literal, Protocol

import msgspec

from swather.errors import InputError, MissingExtra
from swather.model.private_addresses import IPAddress
from swather.net.egress import Egress

ClientName = Literal["wreq", "aiohttp"]

MAX_HEADER_BYTES: Final = 256 << 10
MAX_HEADERS: Final = 500
METHODS: Final = ("GET", "HEAD", "POST", "PUT", "DELETE", "OPTIONS", "TRACE", "PATCH")
_CLIENTS: Final = {
    "wreq": ("swather.net.wreq_client", "WreqClient"),
    "aiohttp": ("swather.net.aiohttp_client", "AiohttpClient"),
}


@dataclass(frozen=True, kw_only=True)
class ClientOptions:
    """`headers` are sent with every request that overrides none of them and has no browser profile;
    `timeout_seconds` is the usual total, `read_seconds` the longest silence. `ca_file` has the
    authorities to trust instead of the system's.
    """

    headers: Mapping[str, str]
    connect_seconds: float
    read_seconds: float
    timeout_seconds: float
    ca_file: Path | None = None


class Hop(msgspec.Struct, frozen=True):
    """One request on the wire. `addresses` are those of `host`, none unless `egress` is direct;
    `pin` names both. `seconds` is the timeout for everything, the body included.
    """

    method: str
    url: str
    host: str
    pin: str
    addresses: tuple[IPAddress, ...]
    seconds: float
    headers: dict[str, str]
    body: bytes | None
    egress: Egress
    profile: str | None


class Response(Protocol):
    """A response whose headers have arrived; the body is still encoded as the site sent it.

    The names of `headers` are in lower case; `values` are those of one of them, in order.
    `announced` is the body's length in bytes, if the site sends it.
    """

    @property
    def status(self) -> int: ...

    @property
    def headers(self) -> Sequence[tuple[str, str]]: ...

    def values(self, name: str) -> list[str]: ...

    @property
    def announced(self) -> int | None: ...

    async def read(self) -> bytes:
        """The whole body; the connection can then be reused."""
        ...

    def chunks(self) -> AsyncGenerator[bytes | memoryview]:
        """The body in chunks, as they arrive."""
        ...

    async def drop(self) -> None:
        """Close it without reading the rest."""
        ...


class Client(Protocol):
    """See above."""

    async def send(self, hop: Hop) -> Response: ...

    async def close(self) -> None: ...


def new_client(name: str, options: ClientOptions) -> Client:
    if name not in _CLIENTS:
        raise InputError(f"http_client must be one of {', '.join(_CLIENTS)}, got {name!r}")
    module, kind = _CLIENTS[name]
    try:
        client: Client = getattr(importlib.import_module(module), kind)(options)
    except ModuleNotFoundError as error:
        raise MissingExtra(
            f"the client {name} is not installed: pip install 'swather[{name}]'"
        ) from error
    return client
