"""What a fetcher needs of an HTTP client: one request, one answer, to addresses that are given.

A client follows no redirects, unpacks nothing, keeps no cookies, looks no name up and takes no
proxy from the environment: all of that is the fetcher's. It raises errors of ours and no others.
"""

import importlib
from collections.abc import AsyncGenerator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Literal, Protocol

import msgspec

from swather.errors import InputError, MissingExtra
from swather.model.private_addresses import IPAddress

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
    """`headers` are sent with every request that names no other value and no browser profile;
    `timeout_seconds` is what most have in all, `read_seconds` the longest silence. `ca_file` has
    the authorities to trust instead of the usual ones.
    """

    headers: Mapping[str, str]
    connect_seconds: float
    read_seconds: float
    timeout_seconds: float
    ca_file: Path | None = None


class Hop(msgspec.Struct, frozen=True):
    """One request on the wire. `addresses` are what `host` is at, none when a proxy looks it up,
    and `pin` names both. After `seconds` it is over, body and all.
    """

    method: str
    url: str
    host: str
    pin: str
    addresses: tuple[IPAddress, ...]
    seconds: float
    headers: dict[str, str]
    body: bytes | None
    proxy: str | None
    profile: str | None


class Answer(Protocol):
    """An answer whose head has come; its body is as it came, packed if the site packed it.

    The names of `headers` are in lower case; `values` are those of one of them, in order.
    `announced` is the length of the body in bytes, where the site tells it.
    """

    @property
    def status(self) -> int: ...

    @property
    def headers(self) -> Sequence[tuple[str, str]]: ...

    def values(self, name: str) -> list[str]: ...

    @property
    def announced(self) -> int | None: ...

    async def read(self) -> bytes:
        """All of the body; the connection is then free for others."""
        ...

    def chunks(self) -> AsyncGenerator[bytes | memoryview]:
        """The body, as it comes."""
        ...

    async def drop(self) -> None:
        """Take no more of it."""
        ...


class Client(Protocol):
    """See above."""

    async def send(self, hop: Hop) -> Answer: ...

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
