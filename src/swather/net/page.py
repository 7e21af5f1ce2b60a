"""A page as it came from the web, and the ways to read it."""

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import urldefrag, urljoin

import msgspec

from swather.net.charset import decoded, named
from swather.net.errors import BadResponse, HttpStatusError, retry_after_seconds
from swather.net.parsing import parsed
from swather.net.request import is_http

if TYPE_CHECKING:
    from selectolax.lexbor import LexborHTMLParser, LexborNode

# A link to which a base and the care of urljoin can add nothing.
_ABSOLUTE: Final = re.compile(r"https?://[A-Za-z0-9.:-]+/[!$-~]*")


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
    """What a request brought: `status`, `url` after redirects, `headers`, `content` as bytes."""

    url: str
    status: int = 200
    raw_headers: Sequence[tuple[str, str]] = []
    content: bytes = b""

    @property
    def is_ok(self) -> bool:
        return self.status < 400

    @property
    def is_unchanged(self) -> bool:
        """Whether the site says that the page is still the one of the etag or date it was given."""
        return self.status == 304

    @property
    def etag(self) -> str | None:
        """The site's name for this version of the page, for `get(etag=…)`."""
        return self.headers.get("etag")

    @property
    def last_modified(self) -> str | None:
        """When the page was changed last, as the site writes it, for `get(last_modified=…)`."""
        return self.headers.get("last-modified")

    @cached_property
    def headers(self) -> Headers:
        return Headers(self.raw_headers)

    @cached_property
    def text(self) -> str:
        """The content as text, by the charset it names or looks like."""
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
