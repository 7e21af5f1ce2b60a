"""Targets that were meant to be URLs and are none: 'htp:/example.com', 'http://not a host'."""

import re
from difflib import get_close_matches
from functools import lru_cache
from typing import Any, Final

from swather.masking import shown_url
from swather.net.errors import UnusableURL
from swather.net.request import is_http, parse_origin, split_url
from swather.scraping.targets import url_of

_SCHEMES: Final = ("http", "https")
_SIMILARITY: Final = 0.75
_BEGINNING: Final = re.compile(
    r"\s*([a-z]{3,7})([:;]?[/\\]+:?|[:;])(.*)", re.IGNORECASE | re.DOTALL
)
_HOST: Final = re.compile(r"[\w-]+(\.[\w-]+)+|localhost\b")
_URL: Final = re.compile(r"https?://\S+", re.IGNORECASE)


def looks_like_url(text: str) -> bool:
    return _URL.match(text.strip()) is not None


def wrong_with(value: Any) -> str | None:
    """Why a target that is meant to be a URL cannot be fetched; None for all others."""
    text = value.get("url") if isinstance(value, dict) else value
    if not isinstance(text, str):
        return None
    if (url := url_of(value)) is not None:
        return _unusable(url.strip())
    found = _BEGINNING.match(text)
    if found is None:
        return None
    scheme, separator, rest = found[1].lower(), found[2], found[3]
    if not get_close_matches(scheme, _SCHEMES, cutoff=_SIMILARITY):
        return None
    if separator in {":", ";"} and _HOST.match(rest) is None:
        return None  # 'http: the protocol' is a text
    return not_a_url(text, f"{'https' if scheme.endswith('s') else 'http'}://{rest.lstrip('/')}")


def not_a_url(text: str, meant: str) -> str:
    """What is said about a text, and about the URL that was meant if that one could be fetched."""
    fits = _HOST.match(meant.partition("://")[2]) and not re.search(r"\s", meant.strip())
    asked = f". Did you mean {shown_url(meant.strip())!r}?" if fits and not _unusable(meant) else ""
    return f"{shown_url(text)!r} is not a URL; URLs begin with http:// or https://{asked}"


def _unusable(url: str) -> str | None:
    # Millions of targets share a few beginnings: only those are parsed.
    end = url.find("/", len("https://"))
    return _wrong_with_beginning(url if end < 0 else url[:end])


@lru_cache(maxsize=4096)
def _wrong_with_beginning(beginning: str) -> str | None:
    try:
        parse_origin(split_url(beginning)[0])
    except UnusableURL as error:
        return str(error)
    return None


def suggestion(text: str) -> str:
    """The same for a cell in a column of URLs, which may lack only its scheme."""
    return wrong_with(text) or not_a_url(text, text if is_http(text) else f"https://{text}")
