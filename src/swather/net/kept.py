"""What of a page is kept beyond its attempt, and what a request is found by again."""

from collections.abc import Iterable
from typing import Final
from urllib.parse import urldefrag

from swather.model.kept import request_key
from swather.net.request import Request

# Whoever has one of these can be who we were.
_SECRET: Final = frozenset(
    {"authorization", "cookie", "proxy-authorization", "set-cookie", "set-cookie2"}
)


def without_secrets(headers: Iterable[tuple[str, str]]) -> list[tuple[str, str]]:
    """The headers of an answer without cookies and credentials."""
    return [(name, value) for name, value in headers if name.lower() not in _SECRET]


def address_of(request: Request) -> str:
    """The URL that is asked for, without its fragment and without a name and password in it."""
    return without_password(urldefrag(request.full_url).url)


def without_password(url: str) -> str:
    scheme, slashes, rest = url.partition("://")
    host, slash, path = rest.partition("/")
    return f"{scheme}{slashes}{host.rpartition('@')[2]}{slash}{path}"


def key_of(request: Request) -> bytes:
    """What the page of a request is kept under."""
    return request_key(request.method, address_of(request), request.body)
