"""A page as it came from the web, and the ways to read it: as text, as a tree, as JSON."""

import codecs
import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import urldefrag, urljoin

import msgspec

from swather.masking import shown_url
from swather.net.errors import (
    BadResponse,
    HttpStatusError,
    MissingElement,
    TooComplex,
    retry_after_seconds,
)
from swather.net.request import is_http
from swather.net.sandbox import SANDBOX, ParseResult

if TYPE_CHECKING:
    from selectolax.lexbor import LexborHTMLParser, LexborNode

# A link to which a base and the care of urljoin can add nothing.
_ABSOLUTE: Final = re.compile(r"https?://[A-Za-z0-9.:-]+/[!$-~]*")
# The worst page of this many characters and tags takes about a second.
SMALL_CHARACTERS: Final = 96 << 10
SMALL_TAGS: Final = 3_000
# A table of 100,000 rows takes a tenth of this.
_LEAST_SECONDS: Final = 0.5
_SECONDS_PER_MB: Final = 0.1
# Skips what only scripts would see, and so a search through the whole <select> at each <option>.
_WITHOUT_EVENTS: Final = 1
_IN_HEADER: Final = re.compile(r"charset\s*=\s*[\"']?\s*([\w.:\-]+)", re.IGNORECASE)
# Only in a <meta> that stands for a header: a description may mention charsets.
_IN_META: Final = re.compile(
    rb"<meta(?=[^<>]+charset\s*=\s*[\"']?\s*([\w.:\-]+))"
    rb"(?:(?=[^<>]+http-equiv)|(?![^<>]+content\s*=))",
    re.IGNORECASE,
)
_IN_XML: Final = re.compile(rb"\s*<\?xml[^>]*?encoding\s*=\s*[\"']([\w.:\-]+)", re.IGNORECASE)
_COMMENT: Final = re.compile(rb"<!--.*?(?:-->|$)", re.DOTALL)
_LOOKED_AT_BYTES: Final = 4096
_BYTE_ORDER_MARKS: Final = (
    (b"\xef\xbb\xbf", "utf-8-sig"),
    (b"\xff\xfe", "utf-16"),
    (b"\xfe\xff", "utf-16"),
)
# What browsers take a name for: nearly always the Windows superset.
_MEANT: Final = {
    "ascii": "cp1252", "iso8859-1": "cp1252", "iso8859-9": "cp1254", "iso8859-11": "cp874",
    "tis-620": "cp874", "gb2312": "gb18030", "gbk": "gb18030", "shift_jis": "cp932",
    "euc_kr": "cp949", "big5": "big5hkscs", "utf-16": "utf-16-le",
}  # fmt: skip
_OTHERS: Final = {"x-sjis": "cp932", "windows-31j": "cp932", "x-gbk": "gb18030",
                  "windows-949": "cp949", "x-mac-cyrillic": "mac-cyrillic", "windows-874": "cp874",
                  "iso-8859-8-i": "iso8859-8", "x-cp1251": "cp1251", "x-cp1252": "cp1252",
                  "ks_c_5601-1987": "cp949", "unicode-1-1-utf-8": "utf-8"}  # fmt: skip
# Python has codecs that no page may choose, such as 'unicode_escape'.
_OF_THE_WEB: Final = re.compile(
    r"utf-8|utf-16-[bl]e|iso8859-\d+|cp(125\d|866|874|932|949)|koi8-[ru]|mac-(roman|cyrillic)"
    r"|gb18030|big5hkscs|euc_jp|iso2022_jp|hz"
)


class Headers(Mapping[str, str]):
    """Headers by name, whatever its case; several of one name are joined by a comma."""

    __slots__ = ("_pairs",)

    def __init__(self, pairs: Sequence[tuple[str, str]]) -> None:
        self._pairs = pairs

    def __getitem__(self, name: str) -> str:
        values = self.all(name)
        if not values:
            raise KeyError(name)
        return ", ".join(values)

    def __iter__(self) -> Iterator[str]:
        return iter(dict.fromkeys(name.lower() for name, _ in self._pairs))

    def __len__(self) -> int:
        return len({name.lower() for name, _ in self._pairs})

    def __repr__(self) -> str:
        return f"Headers({list(self._pairs)!r})"

    def all(self, name: str) -> list[str]:
        """Every value of a header, in order; Set-Cookie cannot be joined."""
        wanted = name.lower()
        return [value for known, value in self._pairs if known.lower() == wanted]


class Page(msgspec.Struct, frozen=True, kw_only=True, dict=True):
    """The response to a request: `status`, `url` after redirects, `headers`, `content` as bytes."""

    url: str
    status: int = 200
    raw_headers: Sequence[tuple[str, str]] = []
    content: bytes = b""

    @property
    def is_ok(self) -> bool:
        return self.status < 400

    @property
    def is_pdf(self) -> bool:
        """Whether the content is that of a PDF file."""
        return self.content.startswith(b"%PDF-")

    @property
    def is_unchanged(self) -> bool:
        """Whether the page has not changed since the etag or date that was sent."""
        return self.status == 304

    @property
    def etag(self) -> str | None:
        """The site's name for this version of the page, for `get(etag=…)`."""
        return self.headers.get("etag")

    @property
    def last_modified(self) -> str | None:
        """When the page was last changed, as the site writes it, for `get(last_modified=…)`."""
        return self.headers.get("last-modified")

    @cached_property
    def headers(self) -> Headers:
        return Headers(self.raw_headers)

    @cached_property
    def text(self) -> str:
        """The content as text, in the charset it declares or seems to use."""
        return decoded(self.content, self.headers.get("content-type", ""))

    @cached_property
    def tree(self) -> "LexborHTMLParser":
        """The parsed HTML; TooComplex if that takes too long."""
        return parsed(self.text, self.url)

    def json(self) -> Any:
        """The content as JSON, in UTF-8 or else in the charset it names."""
        try:
            return self._json()
        except (msgspec.DecodeError, UnicodeError, RecursionError) as error:
            raise BadResponse(f"{self.url} is not JSON: {error}") from error

    def css(self, selector: str) -> "list[LexborNode]":
        """All elements that match a CSS selector."""
        return self.tree.css(selector)

    def css_first(self, selector: str) -> "LexborNode | None":
        """The first element that matches a CSS selector, or None."""
        return self.tree.css_first(selector)

    def one(self, selector: str) -> "LexborNode":
        """The first element that matches a CSS selector; MissingElement if there is none."""
        element = self.css_first(selector)
        if element is None:
            raise MissingElement(f"no element matches {selector!r} on {shown_url(self.url)}")
        return element

    def next(self, selector: str) -> str | None:
        """The absolute address that the first matching element links to, or None: for
        `ctx.follow(page.next("li.next a"))`.
        """
        element = self.css_first(selector)
        link = None if element is None else element.attributes.get("href")
        return join(self.base, link) or None if link else None

    def links(self) -> list[str]:
        """Every http(s) address the page's <a> elements lead to, absolute, once each, in order."""
        base = self.base
        found = (join(base, node.attributes.get("href") or "") for node in self.css("a[href]"))
        return list(dict.fromkeys(link for link in found if link))

    @property
    def base(self) -> str:
        """Where its relative links start: its URL, or what its <base> says."""
        element = self.css_first("base[href]")
        if element is None:
            return self.url
        return join(self.url, element.attributes.get("href") or "") or self.url

    def pdf_rows(self, columns: Sequence[str]) -> list[dict[str, str]]:
        """The rows of a PDF's table, over all its pages, by the names in its head; MissingElement
        if no line has them all. It needs the extra `pdf`, and blocks while a process reads it.
        """
        from swather.net.pdf.reading import table_rows  # noqa: PLC0415

        return table_rows(self.content, self.url, columns)

    def raise_for_status(self) -> None:
        """Raise HttpStatusError for a status of 400 or more."""
        if self.status >= 400:
            raise HttpStatusError(self.status, self.url, retry_after_seconds(self.headers))

    def _json(self) -> Any:
        try:
            return msgspec.json.decode(self.content)
        except (msgspec.DecodeError, UnicodeError):
            if named(self.content, self.headers.get("content-type", "")) in {None, "utf-8"}:
                raise
            return msgspec.json.decode(self.text)


def is_absolute(link: str) -> bool:
    """Whether join() would leave a link as it is, whatever the base."""
    return _ABSOLUTE.fullmatch(link) is not None


def join(base: str, link: str) -> str:
    """The absolute http(s) URL of a link without its fragment; '' when it leads elsewhere."""
    if is_absolute(link):
        return link
    try:
        url = urldefrag(urljoin(base, link.strip())).url
    except ValueError:
        return ""
    return url if is_http(url) else ""


def parsed(text: str, url: str) -> "LexborHTMLParser":
    """The tree of a page; TooComplex if it takes too long to build or to search.

    Nested elements, attributes of one element and formatting elements that are left open each cost
    the parser time or memory that grows with their square. Small pages cannot hold enough of them
    to matter. Any other page is first parsed in a process of its own, which is killed at a limit
    (docs/decisions/0004-bounded-parsing.md).
    """
    from selectolax.lexbor import LexborHTMLParser  # noqa: PLC0415

    if len(text) <= SMALL_CHARACTERS and text.count("<") <= SMALL_TAGS:
        return LexborHTMLParser(text, options=_WITHOUT_EVENTS)
    html = text.encode()
    _try(html, url)
    return LexborHTMLParser(html, options=_WITHOUT_EVENTS)


def _try(html: bytes, url: str) -> None:
    seconds = _LEAST_SECONDS + _SECONDS_PER_MB * len(html) / (1 << 20)
    result = SANDBOX.parse(html, seconds)
    if result is ParseResult.PARSED:
        return
    if result is ParseResult.TOO_SLOW:
        why = f"takes more than {seconds:.1f} s of processor time"
    else:
        why = "takes more memory than the parser may use, or crashes it"
    raise TooComplex(
        f"{shown_url(url)} is too complex to parse: building a tree of its {len(html):,} bytes "
        f"and {html.count(b'<'):,} tags {why}; read page.text or page.content without page.css()"
    )


def decoded(content: bytes, content_type: str) -> str:
    """The content as text, by its byte order mark, the header, its own <meta> or XML declaration;
    else as UTF-8 if it is, as Windows-1252 if not. What does not fit the charset becomes '�'.
    """
    encoding = named(content, content_type)
    if encoding is not None:
        return content.decode(encoding, errors="replace")
    try:
        return content.decode()
    except UnicodeDecodeError:
        return content.decode("cp1252", errors="replace")


def reread(value: str) -> str:
    """A header's value, which was decoded as Latin-1, decoded as UTF-8 if its bytes are that."""
    try:
        return value if value.isascii() else value.encode("latin-1").decode()
    except UnicodeError:
        return value


def named(content: bytes, content_type: str) -> str | None:
    """Python's name for the declared charset, if there is one."""
    for mark, marked in _BYTE_ORDER_MARKS:
        if content.startswith(mark):
            return marked
    if (found := _IN_HEADER.search(content_type)) and (encoding := _codec_of(found[1])):
        return encoding
    head = content[:_LOOKED_AT_BYTES]
    if b"<!--" in head:
        head = _COMMENT.sub(b"", head)
    for declared in (_IN_META.search(head), _IN_XML.match(head)):
        if declared and (encoding := _codec_of(declared[1].decode("latin-1"))):
            # It could be read as ASCII, so it is not UTF-16.
            return "utf-8" if encoding.startswith("utf-16") else encoding
    return None


@lru_cache(maxsize=256)
def _codec_of(name: str) -> str | None:
    """Python's name for a charset that browsers know; None for any other."""
    name = name.lower()
    if name in _OTHERS:
        return _OTHERS[name]
    try:
        known = codecs.lookup(name).name
    except (LookupError, UnicodeError, ValueError):
        return None
    known = _MEANT.get(known, known)
    return known if _OF_THE_WEB.fullmatch(known) else None
