"""Parses HTML, and refuses pages that would keep the parser busy for minutes.

Nested elements, attributes of one element and formatting elements that are left open each cost the
parser time or memory that grows with their square. Small pages cannot hold enough of them to
matter. Any other page is first parsed in a process of its own, which is killed at a limit
(docs/decisions/0004-bounded-parsing.md).
"""

from typing import TYPE_CHECKING, Final

from swather.net.errors import TooComplex
from swather.net.request import shown_url
from swather.net.sandbox import SANDBOX, ParseResult

if TYPE_CHECKING:
    from selectolax.lexbor import LexborHTMLParser

# The worst page of this many characters and tags takes about a second.
SMALL_CHARACTERS: Final = 96 << 10
SMALL_TAGS: Final = 3_000
# A table of 100,000 rows takes a tenth of this.
_LEAST_SECONDS: Final = 0.5
_SECONDS_PER_MB: Final = 0.1
# Skips what only scripts would see, and so a search through the whole <select> at each <option>.
_WITHOUT_EVENTS: Final = 1


def parsed(text: str, url: str) -> "LexborHTMLParser":
    """The tree of a page; TooComplex if it takes too long to build or to search."""
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
