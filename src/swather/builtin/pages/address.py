"""Addresses of pages: how a link is requested, and when two of them lead to the same page."""

import re
import string
from functools import lru_cache
from typing import Final
from urllib.parse import urlsplit, urlunsplit

from swather.errors import InputError
from swather.model.key import normalise_url
from swather.net.errors import UnusableURL
from swather.net.page import join
from swather.net.request import parse_origin, path_and_query, split_url
from swather.scraping.targets import lane_of_url

# Servers need not take longer ones (RFC 9110, 4.1), and a long <base> makes every link long.
_MAX_CHARACTERS: Final = 8_000
_ESCAPE: Final = re.compile(r"%([0-9A-Fa-f]{2})")
_UNRESERVED: Final = frozenset(string.ascii_letters + string.digits + "-._~")


def address_of(url: str) -> str:
    """A link as it is requested: '../' resolved, unsafe characters escaped; '' if it is none."""
    if not url or len(url) > _MAX_CHARACTERS:
        return ""
    try:
        lane_of_url(url)
        parts = urlsplit(normalise_url(url))
    except InputError:
        return ""
    return urlunsplit(parts._replace(path=_without_dots(parts.path)))


def linked(base: str, href: str) -> str:
    """The address that a link on a page leads to; '' when it is not a web page."""
    # Checked before anything is remembered: some links hold a whole file (data:…).
    return _linked(base, href) if len(base) + len(href) <= _MAX_CHARACTERS else ""


@lru_cache(maxsize=8192)
def _linked(base: str, href: str) -> str:
    return address_of(join(base, href))


@lru_cache(maxsize=8192)
def page_key(url: str) -> str:
    """The same for all addresses of a page: however its host is written, whatever is escaped
    needlessly, and in whichever order the names of the query come.
    """
    parts = urlsplit(address_of(_as_sent(url)) or url)
    pairs = filter(None, _unescaped(parts.query).split("&"))
    query = "&".join(sorted(pairs, key=lambda pair: pair.partition("=")[0]))
    return urlunsplit(parts._replace(path=_unescaped(parts.path), query=query))


def site_of(url: str) -> str:
    """What counts as one host: with its port, without 'www.'; '' if the URL has none."""
    try:
        return lane_of_url(url).removeprefix("www.")
    except InputError:
        return ""


def beside(url: str, path: str) -> str:
    """Another path of the host that a URL is on."""
    parts = urlsplit(url)
    return urlunsplit((parts.scheme, parts.netloc, path, "", ""))


def _as_sent(url: str) -> str:
    """As a fetched page says where it is."""
    try:
        beginning, rest = split_url(url)
        return _origin_of(beginning) + path_and_query(rest)
    except UnusableURL:
        return url


@lru_cache(maxsize=4096)
def _origin_of(beginning: str) -> str:
    return parse_origin(beginning).url


def _unescaped(text: str) -> str:
    return _ESCAPE.sub(_plain, text)


def _plain(escape: re.Match[str]) -> str:
    character = chr(int(escape[1], 16))
    return character if character in _UNRESERVED else escape[0].upper()


def _without_dots(path: str) -> str:
    if "/." not in path:
        return path
    kept: list[str] = []
    segments = path.split("/")[1:]
    for segment in segments:
        if segment == "..":
            del kept[-1:]
        elif segment != ".":
            kept.append(segment)
    if segments[-1] in {".", ".."}:
        kept.append("")
    return "/" + "/".join(kept)
