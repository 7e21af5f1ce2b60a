"""Lists of proxies, as people have them: one on a line, in any of the usual forms."""

import re
from collections.abc import Iterable
from math import isfinite
from typing import Final
from urllib.parse import quote

import msgspec

from swather.errors import InputError
from swather.model.proxy import MAX_WEIGHT
from swather.model.proxy_url import proxy_parts

_MAX_CHARACTERS: Final = 2_000
_MAX_TAGS: Final = 20
_TAG: Final = re.compile(r"[\w.:+-]{1,50}")
_COUNTRY: Final = re.compile(r"[a-z]{2}")
_NOT_TEXT: Final = re.compile("[\0-\x1f\x7f\ud800-\udfff]")
_UNDECODED: Final = "\N{REPLACEMENT CHARACTER}"
_COMMENT: Final = re.compile(r"(?:^|\s)#.*")
_HOST: Final = r"(?:\[[0-9A-Fa-f:.]+\]|[^\s:@/?#\\\[\]]+)"
_HOST_PORT: Final = re.compile(rf"{_HOST}:[0-9]{{1,5}}")
_COLONS: Final = re.compile(rf"({_HOST}:[0-9]{{1,5}}):([^:]*):(.*)")
_SAFE_IN_USER: Final = ":%!$&'()*+,;=~"

_FORMS: Final = "write host:port, host:port:user:password, or a URL"
_FIELDS: Final = "only tags=a,b, country=de and weight=2 may follow a proxy, separated by spaces"


class ProxyLine(msgspec.Struct, frozen=True, kw_only=True):
    """A proxy of a list. A weight of None is not given."""

    url: str
    tags: tuple[str, ...] = ()
    country: str = ""
    weight: float | None = None
    line: int = 0


class BadLine(msgspec.Struct, frozen=True):
    """A line that cannot be read as a proxy. The reason never holds a password."""

    line: int
    reason: str


def lines_of(text: str, shown: str) -> list[str]:
    """The lines of a file that was decoded as UTF-8; InputError if it is no text. A comment in
    another encoding does no harm.
    """
    if "\0" in text or 10 * text.count(_UNDECODED) > len(text):
        raise InputError(f"{shown} is not a text file: a list of proxies has one on each line")
    return text.splitlines()


def parse_proxies(lines: Iterable[str]) -> tuple[list[ProxyLine], list[BadLine]]:
    """The proxies of a list, and what could not be read. Empty lines and comments are neither."""
    good: list[ProxyLine] = []
    bad: list[BadLine] = []
    for number, line in enumerate(lines, start=1):
        text = _COMMENT.sub("", line.removeprefix("\N{BOM}") if number == 1 else line).strip()
        if not text:
            continue
        try:
            good.append(_proxy_line(text, number))
        except InputError as error:
            bad.append(BadLine(number, str(error)))
    return good, bad


def _proxy_line(text: str, number: int) -> ProxyLine:
    address, *fields = text.split()
    url = proxy_url(address)
    tags: tuple[str, ...] = ()
    country, weight = "", None
    for field in fields:
        name, equals, value = field.partition("=")
        # What is not one of these may be the rest of a password: it is not shown.
        if name == "tags" and equals:
            tags = parse_tags(value)
        elif name == "country" and equals:
            country = parse_country(value)
        elif name == "weight" and equals:
            weight = parse_weight(value)
        else:
            raise InputError(_FIELDS)
    return ProxyLine(url=url, tags=tags, country=country, weight=weight, line=number)


def proxy_url(address: str) -> str:
    """The URL of a proxy in any of the usual forms; one without a scheme is an HTTP proxy."""
    if len(address) > _MAX_CHARACTERS:
        raise InputError(
            f"a proxy has at most {_MAX_CHARACTERS:,} characters, got {len(address):,}"
        )
    if _NOT_TEXT.search(address):
        raise InputError("a list of proxies is a text file in UTF-8, without control characters")
    url = address if "://" in address else _with_scheme(address)
    proxy_parts(url)
    return url


def _with_scheme(address: str) -> str:
    user, at, place = address.rpartition("@")
    if _HOST_PORT.fullmatch(place):
        # A URL that lacks its scheme: what is percent-encoded is so already.
        return f"http://{quote(user, safe=_SAFE_IN_USER)}{at}{place}"
    if found := _COLONS.fullmatch(address):
        return f"http://{quote(found[2], safe='')}:{quote(found[3], safe='')}@{found[1]}"
    raise InputError(f"this is not a proxy: {_FORMS}")


def parse_tags(text: str) -> tuple[str, ...]:
    """'a,b' as ('a', 'b')."""
    tags = tuple(dict.fromkeys(part.strip() for part in text.split(",") if part.strip()))
    if len(tags) > _MAX_TAGS or not all(_TAG.fullmatch(tag) for tag in tags):
        raise InputError(
            f"tags are up to {_MAX_TAGS} words of letters, digits and _ . : + -, "
            "separated by commas"
        )
    return tags


def parse_country(text: str) -> str:
    country = text.lower()
    if not _COUNTRY.fullmatch(country):
        raise InputError("a country has two letters, such as country=de")
    return country


def parse_weight(text: str) -> float:
    try:
        weight = float(text)
    except ValueError:
        weight = 0.0
    if not (isfinite(weight) and 0 < weight <= MAX_WEIGHT):
        raise InputError(f"a weight is a number above 0, at most {MAX_WEIGHT:,.0f}, such as 2")
    return weight
