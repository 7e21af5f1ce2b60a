"""How a page is stored: under which key and URL, and without which headers."""

from collections.abc import Iterable
from typing import Final
from urllib.parse import urldefrag

import msgspec

from swather.model.stored_page import request_key
from swather.net.request import Request

# Whoever has one of these can impersonate us.
_SECRET: Final = frozenset(
    {"authorization", "cookie", "proxy-authorization", "set-cookie", "set-cookie2"}
)


def without_secrets(headers: Iterable[tuple[str, str]]) -> list[tuple[str, str]]:
    """The headers of a response without cookies and credentials."""
    return [(name, value) for name, value in headers if name.lower() not in _SECRET]


def stored_page_url(request: Request) -> str:
    """The requested URL without its fragment and credentials."""
    return without_password(urldefrag(request.full_url).url)


def without_password(url: str) -> str:
    scheme, slashes, rest = url.partition("://")
    host, slash, path = rest.partition("/")
    return f"{scheme}{slashes}{host.rpartition('@')[2]}{slash}{path}"


def as_rendered(request: Request) -> Request:
    """The same for a page that is stored as a browser has rendered it: under a method that no
    request on the wire has.
    """
    return msgspec.structs.replace(request, method="RENDER")


def stored_page_key(request: Request) -> bytes:
    """The key under which the page of a request is stored."""
    return request_key(request.method, stored_page_url(request), request.body)
