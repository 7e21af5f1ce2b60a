"""Dedupe keys: what makes two targets the same target."""

import re
from hashlib import sha256
from typing import Any, Final
from urllib.parse import quote, urlsplit, urlunsplit

import msgspec

from swather.errors import BadTarget
from swather.masking import masked, masked_url
from swather.model.payload import encode

KEY_BYTES: Final = 32
_DEFAULT_PORTS: Final = {"http": 80, "https": 443}
_PREFIXES: Final = tuple(f"{scheme}://" for scheme in _DEFAULT_PORTS)
# Most URLs are normalised already, and seeing that is ten times faster than parsing them.
_NORMAL: Final = re.compile(
    r"https?://[a-z0-9-]+(?:\.[a-z0-9-]+)*(?::(?!(?:80|443)/)(?:[1-5]\d{4}|[1-9]\d{0,3}))?/"
    r"[\w/%:@!$&'()*+,;=.~-]*(?:\?[\w/%:@!$&'()*+,;=.~?\[\]-]+)?",
    re.ASCII,
)
_sorted_encoder = msgspec.json.Encoder(order="sorted")


def key_of(value: Any) -> str:
    """The default key of a target: the text itself, or its JSON with sorted names."""
    if isinstance(value, str):
        return value
    encode(value, what="target")
    return _sorted_encoder.encode(value).decode()


def digest(key: str) -> bytes:
    """The 32 bytes under which a key is stored."""
    if not isinstance(key, str):
        raise BadTarget(f"a key must be text, got {key!r}")
    if not key:
        raise BadTarget("a key must not be empty")
    try:
        return sha256(key.encode()).digest()
    except UnicodeEncodeError as error:
        raise BadTarget(f"a key must be valid Unicode, got {key[:80]!r}") from error


def normalise_url(url: str) -> str:
    """One spelling for a URL: lower-case scheme and host, no default port, no fragment, '/' for an
    empty path, unsafe characters escaped. Query parameters are kept as they are, in their order.
    """
    if _NORMAL.fullmatch(url):
        return url
    text = url.strip()
    if not text.lower().startswith(_PREFIXES):
        return url
    try:
        text.encode()
        parts = urlsplit(text)
        port = parts.port
    except ValueError as error:
        raise BadTarget(f"{masked_url(url)!r} is not a URL: {masked(str(error))}") from None
    host = (parts.hostname or "").lower().rstrip(".")
    if not host:
        return url
    if ":" in host:
        host = f"[{host}]"
    if port is not None and port != _DEFAULT_PORTS[parts.scheme]:
        host = f"{host}:{port}"
    if parts.username is not None:
        userinfo = parts.netloc.rpartition("@")[0]
        host = f"{userinfo}@{host}"
    path = quote(parts.path or "/", safe="/%:@!$&'()*+,;=-._~")
    query = quote(parts.query, safe="/%:@!$&'()*+,;=-._~?[]")
    return urlunsplit((parts.scheme, host, path, query, ""))
