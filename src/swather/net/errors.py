"""What can go wrong with a request.

FetchError
├── HttpStatusError         the site answered with a status of 400 or more
├── FetchTimeout            no complete answer in time
├── ConnectionFailed        no connection, or it broke before the answer was complete
├── ProxyFailed             the proxy could not be reached or refused us
├── BadResponse             an answer that cannot be decoded
├── TooLarge                the answer is larger than the limit
├── TooComplex              the page would take too long to parse
├── MissingElement          a page has no element that page.one() looks for
├── BrowserFailed           the browser crashed or hung; not the target's fault
├── TooManyRedirects        too many redirects in a row
├── Refused                 an address that we do not fetch from: a private one, unless allowed
│   ├── UnusableURL         a URL that cannot be requested
│   ├── NeedsTor            an onion address, and the request does not go through Tor
│   ├── UntrustedRedirect   a redirect would take the body of a request to another origin
│   └── Unencrypted         what must go over https would go over http
├── LaneBusy                the lane is closed, or too slow for the request to start in time
├── Disallowed              the site's robots.txt asks us not to fetch this
└── RobotsUnreachable       the site's robots.txt cannot be read, so nothing may be fetched
"""

from collections.abc import Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Final

from swather.errors import FetchError
from swather.masking import shown_url

__all__ = [
    "BadResponse",
    "BrowserFailed",
    "ConnectionFailed",
    "Disallowed",
    "FetchError",
    "FetchTimeout",
    "HttpStatusError",
    "LaneBusy",
    "MissingElement",
    "NeedsTor",
    "ProxyFailed",
    "Refused",
    "RobotsUnreachable",
    "TooComplex",
    "TooLarge",
    "TooManyRedirects",
    "Unencrypted",
    "UntrustedRedirect",
    "UnusableURL",
    "retry_after_seconds",
]

MAX_RETRY_AFTER_SECONDS: Final = 86_400.0


class HttpStatusError(FetchError):
    """The site answered with a status of 400 or more."""

    def __init__(self, status: int, url: str, retry_after_seconds: float | None = None) -> None:
        wait = "" if retry_after_seconds is None else f" (retry after {retry_after_seconds:g} s)"
        super().__init__(f"HTTP {status} from {shown_url(url)}{wait}")
        self.status = status
        self.url = url
        self.retry_after_seconds = retry_after_seconds


class FetchTimeout(FetchError):
    """No complete answer came in time."""


class ConnectionFailed(FetchError):
    """No connection could be made, or it broke before the answer was complete."""


class ProxyFailed(FetchError):
    """The proxy could not be reached or refused us."""


class BadResponse(FetchError):
    """The answer cannot be decoded."""


class BrowserFailed(FetchError):
    """The browser crashed or hung, perhaps by another target's page: it is restarted."""


class MissingElement(FetchError):
    """A page has no element that `page.one()` looks for: it is not the page it should be."""


class TooLarge(FetchError):
    """The answer is larger than the limit."""


class TooComplex(FetchError):
    """The page takes too long to parse, or too much memory."""


class TooManyRedirects(FetchError):
    """There were too many redirects in a row."""


class Refused(FetchError):
    """The address is private, loopback or otherwise not on the public web; see guard.py."""

    reason = "private_address"


class UnusableURL(Refused):
    """The URL cannot be requested: not http(s), or no such host can be."""

    reason = "bad_url"


class NeedsTor(Refused):
    """An onion address, which only Tor can reach, and the request does not go through it."""

    reason = "needs_tor"


class UntrustedRedirect(Refused):
    """A redirect would take the body of a request to another scheme, host or port."""

    reason = "cross_origin"


class Unencrypted(Refused):
    """What must go over https would go over http."""

    reason = "unencrypted"


class LaneBusy(FetchError):
    """The lane is closed, or too slow for the request to start within its `max_wait`."""

    def __init__(self, lane: str, why: str, *, is_closed: bool) -> None:
        super().__init__(f"no request can start on {lane} in time: {why}")
        self.lane = lane
        self.is_closed = is_closed


class Disallowed(FetchError):
    """The site's robots.txt asks us not to fetch this."""


class RobotsUnreachable(FetchError):
    """The site's robots.txt cannot be read: until it can, nothing there may be fetched."""

    def __init__(self, message: str, after_seconds: float) -> None:
        super().__init__(message)
        self.after_seconds = after_seconds


def retry_after_seconds(headers: Mapping[str, str], now: datetime | None = None) -> float | None:
    """The wait a Retry-After header asks for, in seconds or until a date; a day at most.

    A date is read by the site's own clock (its Date header) where it tells it.
    """
    text = headers.get("retry-after", "").strip()
    if text.isascii() and text.isdigit():
        return min(float(text), MAX_RETRY_AFTER_SECONDS)
    until = _http_date(text)
    if until is None:
        return None
    now = _http_date(headers.get("date", "")) or now or datetime.now(UTC)
    return min(max((until - now).total_seconds(), 0.0), MAX_RETRY_AFTER_SECONDS)


def _http_date(text: str) -> datetime | None:
    try:
        date = parsedate_to_datetime(text)
    except (ValueError, OverflowError, IndexError, TypeError):
        return None
    return date if date.tzinfo is not None else date.replace(tzinfo=UTC)
