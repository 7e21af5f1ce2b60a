"""A request as a scraper asks for it, and its URL in one spelling that all clients parse alike.

URLs are parsed here and nowhere else. A client gets an address or a plain ASCII name as host,
so that it cannot parse the URL differently and connect to another host.
"""

import re
import unicodedata
from base64 import b64encode
from collections.abc import Mapping
from functools import lru_cache
from ipaddress import AddressValueError, IPv4Address, IPv6Address
from typing import Final, NamedTuple
from urllib.parse import quote, unquote, unquote_to_bytes, urlencode

import msgspec

from swather.errors import InputError
from swather.masking import shown_url
from swather.model.private_addresses import IPAddress
from swather.net.egress import DIRECT, Egress
from swather.net.errors import UnusableURL

_SCHEMES: Final = ("http://", "https://")
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


class Request(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """`params` are added to the URL's query; `timeout` is in seconds, None the fetcher's own.

    `egress` is how it leaves, `profile` the browser to look like ("chrome140"), `session` the name
    of the cookies to send and to keep; without one none are kept.

    `trust_redirects` lets a redirect take the body and all headers to another origin, though never
    from https to http. `https_only` refuses http on every hop, except to hosts of a local network.
    `max_redirects` is how many are followed, None the fetcher's own number. `max_wait` is for how
    many seconds it may wait for its turn, see swather.net.errors.LaneBusy.
    """

    url: str
    method: str = "GET"
    headers: dict[str, str] = {}
    params: dict[str, str | list[str]] = {}
    body: bytes | None = None
    timeout: float | None = None
    egress: Egress = DIRECT
    profile: str | None = None
    session: str = ""
    trust_redirects: bool = False
    https_only: bool = False
    max_redirects: int | None = None
    max_wait: float | None = None

    def __post_init__(self) -> None:
        if not is_http(self.url):
            raise InputError(
                f"only http and https URLs can be fetched, got {shown_url(self.url)!r}"
            )
        if self.timeout is not None and not 0 < self.timeout < float("inf"):
            raise InputError(f"timeout must be a positive number of seconds, got {self.timeout!r}")
        if self.max_wait is not None and not 0 <= self.max_wait < float("inf"):
            raise InputError(f"max_wait must be a number of seconds, got {self.max_wait!r}")

    def with_headers(self, headers: Mapping[str, str]) -> "Request":
        """The same request with these headers, in place of those of the same name in any case."""
        given = {name.lower() for name in headers}
        kept = {name: value for name, value in self.headers.items() if name.lower() not in given}
        return msgspec.structs.replace(self, headers={**kept, **headers})

    def through(self, proxy: str) -> "Request":
        """The same request through the proxy of this URL."""
        return msgspec.structs.replace(self, egress=Egress.through(proxy))

    def in_session(self, session: str) -> "Request":
        return msgspec.structs.replace(self, session=session)

    def over_https(self) -> "Request":
        return msgspec.structs.replace(self, https_only=True)

    @property
    def full_url(self) -> str:
        """The URL with `params` in its query."""
        if not self.params:
            return self.url
        # Not by urlsplit, which refuses what cannot be requested with an error of its own.
        start, mark, fragment = self.url.partition("#")
        base, _, query = start.partition("?")
        query = "&".join(filter(None, (query, urlencode(self.params, doseq=True))))
        return f"{base}{query and '?'}{query}{mark}{fragment}"


def is_http(url: str) -> bool:
    return url.startswith(_SCHEMES) or url[:8].lower().startswith(_SCHEMES)


class Origin(NamedTuple):
    """Scheme, host and port of a URL. `url` is their canonical form ('https://example.com:8443'),
    `authority` the same without the scheme, `address` the host if it is an IP address,
    `authorization` the header value for the name and password in the URL.
    """

    url: str
    authority: str
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
    authority = f"{shown}{own}"
    url = f"{scheme.lower()}://{authority}"
    return Origin(url, authority, name, port, address, _authorization(user))


def origin_of(url: str) -> str:
    """'https://example.com:8443'; UnusableURL if it cannot be fetched."""
    return _origin_of_beginning(split_url(url)[0])


@lru_cache(maxsize=4096)
def _origin_of_beginning(beginning: str) -> str:
    return parse_origin(beginning).url


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
        raise ValueError("its port is not a number")
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
        raise ValueError("its host is not an IPv6 address") from None
    if not host.endswith("]") or address.scope_id is not None:
        raise ValueError("its host is not an IPv6 address")
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
        raise ValueError("its host is not an IPv4 address")
    *first, last = [_number(part) for part in parts]
    if any(number > 255 for number in first) or last >= 256 ** (5 - len(parts)):
        raise ValueError("its host is not an IPv4 address")
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
