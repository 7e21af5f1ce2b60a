"""The origin of a URL, and the URL as it is sent, in one spelling that all clients parse alike.

URLs are parsed here and nowhere else. A client gets an address or a plain ASCII name as host,
so that it cannot parse the URL differently and connect to another host.
"""

import re
import unicodedata
from base64 import b64encode
from ipaddress import AddressValueError, IPv4Address, IPv6Address
from typing import Final, NamedTuple
from urllib.parse import quote, unquote, unquote_to_bytes

from swather.model.private_addresses import IPAddress
from swather.net.errors import UnusableURL
from swather.net.request import shown_url

PORTS: Final = {"http": 80, "https": 443}
_SCHEME: Final = re.compile(r"(https?)://", re.IGNORECASE)
_END_OF_AUTHORITY: Final = re.compile(r"[/?#\\]")
_NAME: Final = re.compile(r"(?!-)[a-z0-9_-]{1,63}(?:\.[a-z0-9_-]{1,63})*")
_NUMBER: Final = re.compile(r"(?:0[xX][0-9a-fA-F]*|[0-9]+)")
_PORT: Final = re.compile(r"[0-9]{1,5}", re.ASCII)
# What every client sends unchanged: no spaces, no fragment, and none of "<>\\^`{|}.
_USUAL: Final = re.compile(r"[!$-;=?-\[\]_a-z~]*")
_IN_PATH: Final = "!$&'()*+,-./:;=@_~%[]|"
_IN_QUERY: Final = "!$&()*+,-./:;=?@_~%[]|`{}^\\'"
_ONE_DOT: Final = frozenset({".", "%2e"})
_TWO_DOTS: Final = frozenset({"..", ".%2e", "%2e.", "%2e%2e"})


class Origin(NamedTuple):
    """Scheme, host and port of a URL. `url` is their canonical form ('https://example.com:8443'),
    `address` the host if it is an IP address, `authorization` the header value for the name and
    password in the URL.
    """

    url: str
    host: str
    port: int
    address: IPAddress | None = None
    authorization: str = ""

    @property
    def is_encrypted(self) -> bool:
        return self.url.startswith("https:")


def split_url(url: str) -> tuple[str, str]:
    """The beginning of a URL up to its path, and the rest."""
    scheme = _SCHEME.match(url)
    if scheme is None:
        raise UnusableURL(f"only http and https URLs can be fetched, got {shown_url(url)!r}")
    end = _END_OF_AUTHORITY.search(url, scheme.end())
    return (url, "") if end is None else (url[: end.start()], url[end.start() :])


def parse_origin(beginning: str) -> Origin:
    """The origin of URLs that begin so; UnusableURL if they cannot be fetched."""
    scheme, _, authority = beginning.partition("://")
    user, _, host_and_port = authority.rpartition("@")
    try:
        host, port = _host_and_port(host_and_port, PORTS[scheme.lower()])
        name, address = _name_and_address(host)
    except ValueError as error:
        raise UnusableURL(f"{shown_url(beginning)!r} cannot be requested: {error}") from None
    shown = f"[{name}]" if isinstance(address, IPv6Address) else name
    own = "" if port == PORTS[scheme.lower()] else f":{port}"
    return Origin(f"{scheme.lower()}://{shown}{own}", name, port, address, _authorization(user))


def path_and_query(rest: str) -> str:
    """Path and query as they are sent: no fragment, odd characters quoted, dots resolved."""
    if not rest.startswith(("/", "\\")):
        rest = f"/{rest}"
    if _USUAL.fullmatch(rest) is not None and "/." not in rest and "/%2" not in rest:
        return rest
    rest = re.sub(r"[\t\r\n]", "", rest.partition("#")[0]).rstrip(" ")
    path, mark, query = rest.partition("?")
    path = _without_dots(quote(path.replace("\\", "/"), safe=_IN_PATH, errors="replace"))
    return f"{path}{mark}{quote(query, safe=_IN_QUERY, errors='replace')}"


def _host_and_port(text: str, default: int) -> tuple[str, int]:
    if text.startswith("["):
        host, closed, after = text.partition("]")
        host += closed
    else:
        host, colon, digits = text.partition(":")
        after = colon + digits
    if after in {"", ":"}:
        return host, default
    if not after.startswith(":") or _PORT.fullmatch(after[1:]) is None:
        raise ValueError("its port is no number")
    port = int(after[1:])
    if not 0 < port < 65_536:
        raise ValueError("there is no such port")
    return host, port


def _name_and_address(host: str) -> tuple[str, IPAddress | None]:
    if host.startswith("["):
        address: IPAddress | None = _address_in(host)
    else:
        name = _name_of(host)
        address = _number_in(name)
        if address is None:
            return name, None
    return str(address), address


def _address_in(host: str) -> IPv6Address:
    try:
        address = IPv6Address(host[1:-1])
    except AddressValueError:
        raise ValueError("its host is no IPv6 address") from None
    if not host.endswith("]") or address.scope_id is not None:
        raise ValueError("its host is no IPv6 address")
    return address


def _name_of(host: str) -> str:
    """A host in lower-case ASCII, without a trailing dot."""
    name = unquote(host, errors="strict") if "%" in host else host
    if not name.isascii():
        # The browsers' rules, as far as Python has them; the result is what gets looked up.
        name = unicodedata.normalize("NFKC", name).encode("idna").decode()
    name = name.lower().removesuffix(".")
    if len(name) > 253 or _NAME.fullmatch(name) is None:
        raise ValueError("it has no usable host" if name else "it has no host")
    return name


def _number_in(name: str) -> IPv4Address | None:
    """The IPv4 address in a name, in any form that browsers accept: parts in decimal, octal or
    hexadecimal, the last of which fills all missing ones.
    """
    parts = name.split(".")
    if _NUMBER.fullmatch(parts[-1]) is None:
        return None
    if len(parts) > 4 or not all(map(_NUMBER.fullmatch, parts)):
        raise ValueError("its host is no IPv4 address")
    *first, last = [_number(part) for part in parts]
    if any(number > 255 for number in first) or last >= 256 ** (5 - len(parts)):
        raise ValueError("its host is no IPv4 address")
    return IPv4Address(sum(number << 8 * (3 - i) for i, number in enumerate(first)) + last)


def _number(text: str) -> int:
    if text.startswith("0x"):
        return int(text[2:] or "0", 16)
    # int() refuses more digits than a few thousand, and 08, with a ValueError of its own.
    return int(text, 8 if len(text) > 1 and text.startswith("0") else 10)


def _authorization(user: str) -> str:
    if not user:
        return ""
    name, _, password = user.partition(":")
    pair = unquote_to_bytes(name) + b":" + unquote_to_bytes(password)
    return f"Basic {b64encode(pair).decode()}"


def _without_dots(path: str) -> str:
    segments = path.split("/")
    kept: list[str] = []
    for segment in segments[1:]:
        if segment.lower() in _TWO_DOTS:
            del kept[-1:]
        elif segment.lower() not in _ONE_DOT:
            kept.append(segment)
    if segments[-1].lower() in _ONE_DOT | _TWO_DOTS:
        kept.append("")
    return "/" + "/".join(kept)
