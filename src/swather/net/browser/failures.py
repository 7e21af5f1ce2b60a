"""What the browser says when something fails, in Swather's errors."""

import re
from typing import Final

from swather.errors import FetchError
from swather.masking import shown_url
from swather.net.errors import (
    BadResponse,
    BrowserFailed,
    ConnectionFailed,
    FetchTimeout,
    ProxyFailed,
    Refused,
    TooManyRedirects,
    UnusableURL,
)

_NET_ERROR: Final = re.compile(r"net::(ERR_[A-Z0-9_]+)")
_KINDS: Final[dict[str, type[FetchError]]] = {
    "ERR_BLOCKED_BY_CLIENT": Refused,
    "ERR_BLOCKED_BY_RESPONSE": BadResponse,
    "ERR_CONTENT_DECODING_FAILED": BadResponse,
    "ERR_CONTENT_LENGTH_MISMATCH": ConnectionFailed,
    "ERR_DISALLOWED_URL_SCHEME": UnusableURL,
    "ERR_INVALID_HTTP_RESPONSE": BadResponse,
    "ERR_INVALID_REDIRECT": BadResponse,
    "ERR_INVALID_RESPONSE": BadResponse,
    "ERR_INVALID_URL": UnusableURL,
    "ERR_PROXY_CONNECTION_FAILED": BrowserFailed,
    "ERR_RESPONSE_HEADERS_TOO_BIG": BadResponse,
    "ERR_TIMED_OUT": FetchTimeout,
    "ERR_CONNECTION_TIMED_OUT": FetchTimeout,
    "ERR_TOO_MANY_REDIRECTS": TooManyRedirects,
    "ERR_UNKNOWN_URL_SCHEME": UnusableURL,
}
# What Chromium says of an error status that came without a body.
_EMPTY: Final = "ERR_HTTP_RESPONSE_CODE_FAILURE"
_GONE: Final = ("has been closed", "browser has disconnected", "Connection closed", "crashed")


def by_net_error(text: str, url: str) -> FetchError | None:
    """The error for what Chromium says of a request; None for one that a page gave up itself, or
    that was answered.
    """
    found = _NET_ERROR.search(text)
    code = found[1] if found is not None else ""
    if code in {"ERR_ABORTED", _EMPTY}:
        return None
    kind = _KINDS.get(code, ConnectionFailed)
    if kind is ConnectionFailed and "PROXY" in code:
        kind = ProxyFailed
    return kind(f"{shown_url(url)} could not be opened: {code or text[:200] or 'it failed'}")


def by_message(text: str, url: str) -> FetchError | None:
    """The error for what Playwright says when a page could not be opened; None for anything
    else.
    """
    if "Download is starting" in text:
        return BadResponse(f"{shown_url(url)} is a download, not a page")
    if "net::" not in text:
        return None
    if _EMPTY in text:
        return BadResponse(f"{shown_url(url)} answered with an error status and no page")
    return by_net_error(text, url) or BadResponse(f"{shown_url(url)} was given up by the page")


def is_empty_answer(error: BaseException) -> bool:
    """Whether the site has answered with an error status and nothing else."""
    return is_of_playwright(error) and _EMPTY in str(error)


def is_gone(error: BaseException) -> bool:
    """Whether the page or the whole browser was gone when it was called."""
    text = str(error)
    return any(words in text for words in _GONE)


def is_of_playwright(error: BaseException) -> bool:
    return type(error).__module__.startswith("playwright.")


def is_timeout(error: BaseException) -> bool:
    return is_of_playwright(error) and type(error).__name__ == "TimeoutError"


def is_failure_to_open(error: Exception) -> bool:
    """Whether the browser itself did not open a page."""
    return isinstance(error, TimeoutError | OSError) or is_of_playwright(error)
