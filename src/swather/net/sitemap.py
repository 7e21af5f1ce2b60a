"""Sitemaps: which pages, and which further sitemaps, a site lists."""

import re
import zlib
from collections.abc import Iterable, Iterator
from html import unescape
from typing import Final, NamedTuple

from swather.net.body import Gzip
from swather.net.errors import BadResponse, TooLarge
from swather.net.page import Page, join

# The protocol allows 50 MB.
MAX_BYTES: Final = 64 << 20
# After each member of a packed file the rest of the slice is copied, and there may be a million.
_SLICE_BYTES: Final = 4 << 10
_GZIP: Final = b"\x1f\x8b"
_NAMED: Final = re.compile(r"^[ \t]*sitemap[ \t]*:[ \t]*(\S+)", re.IGNORECASE | re.MULTILINE)
_ROOT: Final = re.compile(r"<((?:[\w.-]+:)?)(urlset|sitemapindex)\b")


class Sitemap(NamedTuple):
    """What a sitemap lists: pages, or (an index) further sitemaps."""

    pages: list[str]
    sitemaps: list[str]


def sitemaps_named_in(robots: Page) -> list[str]:
    """The addresses on the Sitemap lines of a robots.txt."""
    found = (join(robots.url, url) for url in _NAMED.findall(robots.text))
    return list(dict.fromkeys(filter(None, found)))


def sitemap_of(page: Page) -> Sitemap:
    """Reads XML, a list of addresses in plain text, or either of them compressed with gzip."""
    text = _unpacked(page).text
    root = _ROOT.search(text)
    if root is None:
        return Sitemap(_addresses(page, text.splitlines()), [])
    # Not an XML parser: real sitemaps are often not quite XML, and a bomb is nothing to a search.
    urls = _addresses(page, map(_plain, _locations(_without_comments(text), root[1])))
    return Sitemap([], urls) if root[2] == "sitemapindex" else Sitemap(urls, [])


def _locations(text: str, prefix: str) -> Iterator[str]:
    """The contents of the <loc> elements."""
    # Ends are looked for first: to seek the end of each beginning takes hours if there is none.
    beginning, end = (re.compile(rf"<{mark}{re.escape(prefix)}loc\s*>") for mark in ("", "/"))
    at = 0
    for last in end.finditer(text):
        if first := beginning.search(text, at, last.start()):
            yield text[first.end() : last.start()].replace("<![CDATA[", "").replace("]]>", "")
        at = last.end()


def _plain(location: str) -> str:
    try:
        return unescape(location)
    except ValueError:
        # A number of thousands of digits is not a character.
        return ""


def _without_comments(text: str) -> str:
    """A comment that never ends does not count."""
    kept, at = [], 0
    while (start := text.find("<!--", at)) >= 0 and (end := text.find("-->", start + 4)) >= 0:
        kept.append(text[at:start])
        at = end + 3
    return "".join([*kept, text[at:]])


def _addresses(page: Page, lines: Iterable[str]) -> list[str]:
    found = (join(page.url, line) for line in lines if line.strip()[:4].lower() == "http")
    return list(dict.fromkeys(filter(None, found)))


def _unpacked(page: Page) -> Page:
    if not page.content.startswith(_GZIP):
        return page
    decoder, content = Gzip(), bytearray()
    try:
        for start in range(0, len(page.content), _SLICE_BYTES):
            for piece in decoder.pieces(page.content[start : start + _SLICE_BYTES]):
                content += piece
                if len(content) > MAX_BYTES:
                    raise TooLarge(f"the sitemap {page.url} has more than {MAX_BYTES:,} bytes")
    except zlib.error as error:
        raise BadResponse(f"the sitemap {page.url} cannot be decompressed: {error}") from error
    if not decoder.is_complete:
        raise BadResponse(f"the sitemap {page.url} cannot be decompressed: it ends too early")
    return Page(url=page.url, status=page.status, content=bytes(content))
