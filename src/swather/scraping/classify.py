"""What an exception means for a task: one table from errors to classes.

raised                                       class      reason           due
Permanent                                    permanent  its own
Transient                                    transient                   its `after`
Blocked                                      blocked                     its `after`
Later                                        later      too_late         its `after`
HTTP 403, 429, 503                           blocked                     Retry-After
HTTP 404, 410                                permanent  not_found
HTTP 401                                     permanent  unauthorized
HTTP 407                                     proxy
HTTP 408, 425, any other 5xx                 transient                   Retry-After
any other HTTP 4xx                           permanent  http_4xx
TimeoutError, FetchTimeout                   timeout
ConnectionFailed, ConnectionError            transient
ProxyFailed                                  proxy
TooLarge                                     permanent  too_large
TooComplex                                   permanent  page_too_complex
MissingElement                               permanent  layout_changed
TooManyRedirects                             permanent  redirects
UnusableURL                                  permanent  bad_url
NeedsTor                                     permanent  needs_tor
UntrustedRedirect                            permanent  cross_origin
Unencrypted                                  permanent  unencrypted
any other Refused                            permanent  private_address
Disallowed                                   permanent  robots
RobotsUnreachable                            transient                   its next look
LaneBusy, BrowserFailed                      transient
NotStored                                    permanent  not_stored
BadPayload                                   permanent  bad_item
MissingExtra                                 permanent  missing_extra
any other InputError                         permanent  bad_input
KeyboardInterrupt, asyncio.CancelledError    crash
anything else, mistakes in the code too      transient

`later` is no failure: the target is due at that time. The reason is for one that is postponed for
the 101st time.

What raises Blocked, 429 and 503 also cool the lane: they are about the site and not about one page
of it, as 403 may be.

What interrupts or cancels an attempt from within may be another target's doing, as the end of a
whole process may.

HTTP errors and timeouts of requests, httpx, aiohttp and urllib are known by name. `add_rule` puts a
row of one's own before all others. An error that no row knows is what caused it (`raise … from`);
of a group of errors, the first counts.
"""

import asyncio
import logging
import math
import re
from collections.abc import Callable, Iterator
from typing import Any, Final

import msgspec

from swather.errors import (
    BadPayload,
    Blocked,
    InputError,
    Later,
    MissingExtra,
    NotStored,
    Permanent,
    SwatherError,
    Transient,
)
from swather.masking import masked
from swather.model.outcome import MAX_MESSAGE_CHARACTERS, Fault
from swather.model.payload import storable
from swather.model.retry import ErrorClass
from swather.net.errors import (
    BrowserFailed,
    ConnectionFailed,
    Disallowed,
    FetchTimeout,
    HttpStatusError,
    LaneBusy,
    MissingElement,
    ProxyFailed,
    Refused,
    RobotsUnreachable,
    TooComplex,
    TooLarge,
    TooManyRedirects,
    retry_after_seconds,
)
from swather.scraping.source_location import source_location, traceback_of

_log = logging.getLogger(__name__)

_MAX_REASON_CHARACTERS: Final = 100
_MAX_AFTER_SECONDS: Final = 365 * 86_400.0


class Classified(msgspec.Struct, frozen=True):
    """What went wrong; `reason` names the end it leads to, `after_seconds` when to try again.

    `cools_lane`: it concerns the whole lane, not only this target.
    """

    fault: Fault
    reason: str | None = None
    after_seconds: float | None = None
    cools_lane: bool = False


class Meaning(msgspec.Struct, frozen=True):
    """The right-hand side of a row."""

    error_class: ErrorClass
    reason: str | None = None
    after_seconds: float | None = None
    cools_lane: bool = False


Rule = Callable[[BaseException], Meaning | None]

_own_rules: list[Rule] = []


def classify(error: BaseException, *, alone: bool = False) -> Classified:
    """Look an exception up in the table; `alone`: only this target can have caused it. It never
    raises, whatever the attributes and methods of a foreign error do.
    """
    cause, meaning = _meaning_of(error)
    fault = Fault(
        error_class=meaning.error_class,
        message=storable(masked(_message_of(cause))),
        traceback=storable(masked(traceback_of(error))),
        where=storable(source_location(cause, error)),
        alone=alone,
    )
    return Classified(
        fault, _reason_of(meaning), _bounded(meaning.after_seconds), meaning.cools_lane
    )


def add_rule(
    error: type[BaseException] | str,
    error_class: ErrorClass | str,
    *,
    reason: str | None = None,
    message: str | None = None,
    after: float | None = None,
) -> None:
    """Add a rule before all others, for errors of this type (or full name, 'package.module.Error')
    whose text matches the regular expression `message`, if one is given.
    """
    known_class = ErrorClass(error_class)
    meaning = Meaning(known_class, reason, after, known_class is ErrorClass.BLOCKED)
    pattern = None if message is None else re.compile(message)

    def rule(raised: BaseException) -> Meaning | None:
        known = error in _names_of(raised) if isinstance(error, str) else isinstance(raised, error)
        if known and (pattern is None or pattern.search(_text_of(raised))):
            return meaning
        return None

    _own_rules.insert(0, rule)


def _meaning_of(error: BaseException) -> tuple[BaseException, Meaning]:
    for candidate in _candidates(error):
        for rule in (*_own_rules, *_RULES):
            if (meaning := _asked(rule, candidate)) is not None:
                return candidate, meaning
    return _first_of(error), Meaning(ErrorClass.TRANSIENT)


def _asked(rule: Rule, error: BaseException) -> Meaning | None:
    try:
        return rule(error)
    except Exception as problem:  # noqa: BLE001 - a foreign error's attributes may raise anything
        _log.warning("%s could not be inspected: %r", type(error).__name__, problem)
        return None


def _candidates(error: BaseException) -> Iterator[BaseException]:
    """The error (of a group, its first), then what it was raised from, and so on."""
    seen: set[int] = set()
    following: BaseException | None = error
    while following is not None and id(following) not in seen:
        seen.add(id(following))
        following = _first_of(following)
        yield following
        following = following.__cause__


def _first_of(error: BaseException) -> BaseException:
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    return error


def _by_scrape_error(error: BaseException) -> Meaning | None:
    match error:
        case Permanent() | Refused():
            return Meaning(ErrorClass.PERMANENT, error.reason)
        case Transient():
            return Meaning(ErrorClass.TRANSIENT, None, error.after)
        case Blocked():
            return Meaning(ErrorClass.BLOCKED, None, error.after, cools_lane=True)
        case Later():
            return Meaning(ErrorClass.LATER, "too_late", error.after)
        case RobotsUnreachable():
            return Meaning(ErrorClass.TRANSIENT, None, error.after_seconds)
        case _:
            return None


def _by_status(error: BaseException) -> Meaning | None:
    if isinstance(error, HttpStatusError):
        return meaning_of_status(error.status, error.retry_after_seconds)
    if not _FOREIGN_STATUS_ERRORS.isdisjoint(_names_of(error)):
        return _meaning_of_foreign_status(error)
    return None


def meaning_of_status(status: int, retry_after_seconds: float | None = None) -> Meaning:
    """What an HTTP status of 400 or more means."""
    known = _BY_STATUS.get(status)
    if known is not None:
        return msgspec.structs.replace(known, after_seconds=retry_after_seconds)
    if status < 500:
        return Meaning(ErrorClass.PERMANENT, f"http_{status}")
    return Meaning(ErrorClass.TRANSIENT, None, retry_after_seconds)


def _meaning_of_foreign_status(error: BaseException) -> Meaning | None:
    answer: Any = getattr(error, "response", None)
    status = next(
        (
            found
            for holder, name in ((answer, "status_code"), (error, "status"), (error, "code"))
            if type(found := getattr(holder, name, None)) is int
        ),
        None,
    )
    if status is None or status < 400:
        return None
    headers: Any = getattr(error if answer is None else answer, "headers", None) or {}
    lowered = {str(name).lower(): str(value) for name, value in headers.items()}
    return meaning_of_status(status, retry_after_seconds(lowered))


_BY_STATUS: Final[dict[int, Meaning]] = {
    401: Meaning(ErrorClass.PERMANENT, "unauthorized"),
    403: Meaning(ErrorClass.BLOCKED),
    404: Meaning(ErrorClass.PERMANENT, "not_found"),
    407: Meaning(ErrorClass.PROXY),
    408: Meaning(ErrorClass.TRANSIENT),
    410: Meaning(ErrorClass.PERMANENT, "not_found"),
    425: Meaning(ErrorClass.TRANSIENT),
    429: Meaning(ErrorClass.BLOCKED, cools_lane=True),
    503: Meaning(ErrorClass.BLOCKED, cools_lane=True),
}

_FOREIGN_STATUS_ERRORS: Final = frozenset(
    {
        "requests.exceptions.HTTPError",
        "httpx.HTTPStatusError",
        "aiohttp.client_exceptions.ClientResponseError",
        "urllib.error.HTTPError",
    }
)

_BY_TYPE: Final[tuple[tuple[type[BaseException], Meaning], ...]] = (
    (FetchTimeout, Meaning(ErrorClass.TIMEOUT)),
    (TimeoutError, Meaning(ErrorClass.TIMEOUT)),
    (ProxyFailed, Meaning(ErrorClass.PROXY)),
    (ConnectionFailed, Meaning(ErrorClass.TRANSIENT)),
    (LaneBusy, Meaning(ErrorClass.TRANSIENT)),
    (BrowserFailed, Meaning(ErrorClass.TRANSIENT)),
    (ConnectionError, Meaning(ErrorClass.TRANSIENT)),
    (TooLarge, Meaning(ErrorClass.PERMANENT, "too_large")),
    (TooComplex, Meaning(ErrorClass.PERMANENT, "page_too_complex")),
    (MissingElement, Meaning(ErrorClass.PERMANENT, "layout_changed")),
    (TooManyRedirects, Meaning(ErrorClass.PERMANENT, "redirects")),
    (Disallowed, Meaning(ErrorClass.PERMANENT, "robots")),
    (NotStored, Meaning(ErrorClass.PERMANENT, "not_stored")),
    (BadPayload, Meaning(ErrorClass.PERMANENT, "bad_item")),
    (MissingExtra, Meaning(ErrorClass.PERMANENT, "missing_extra")),
    (InputError, Meaning(ErrorClass.PERMANENT, "bad_input")),
    (KeyboardInterrupt, Meaning(ErrorClass.CRASH)),
    (asyncio.CancelledError, Meaning(ErrorClass.CRASH)),
)

_BY_NAME: Final[dict[str, Meaning]] = {
    "requests.exceptions.Timeout": Meaning(ErrorClass.TIMEOUT),
    "requests.exceptions.ProxyError": Meaning(ErrorClass.PROXY),
    "httpx.TimeoutException": Meaning(ErrorClass.TIMEOUT),
    "httpx.ProxyError": Meaning(ErrorClass.PROXY),
    "aiohttp.client_exceptions.ClientProxyConnectionError": Meaning(ErrorClass.PROXY),
    "playwright._impl._errors.TimeoutError": Meaning(ErrorClass.TIMEOUT),
}


def _by_type(error: BaseException) -> Meaning | None:
    return next((meaning for kind, meaning in _BY_TYPE if isinstance(error, kind)), None)


def _by_name(error: BaseException) -> Meaning | None:
    return next((_BY_NAME[name] for name in _names_of(error) if name in _BY_NAME), None)


_RULES: Final[tuple[Rule, ...]] = (_by_scrape_error, _by_status, _by_name, _by_type)


def _names_of(error: BaseException) -> list[str]:
    """The full names of the error's type and its bases, the nearest first."""
    return [f"{kind.__module__}.{kind.__qualname__}" for kind in type(error).__mro__]


def _reason_of(meaning: Meaning) -> str | None:
    """The reason that the user's code gave, as text."""
    reason = "" if meaning.reason is None else _text_of(meaning.reason)
    return storable(reason[:_MAX_REASON_CHARACTERS].replace("\0", "")) or None


def _bounded(seconds: Any) -> float | None:
    """A wait that every database can hold; None for anything but a number."""
    if not isinstance(seconds, int | float):
        return None
    bounded = float(min(max(seconds, 0.0), _MAX_AFTER_SECONDS))
    return None if math.isnan(bounded) else bounded


def _message_of(error: BaseException) -> str:
    text = _text_of(error)
    name = type(error).__name__
    message = text if isinstance(error, SwatherError) else f"{name}: {text}" if text else name
    return (message or name)[:MAX_MESSAGE_CHARACTERS]


def _text_of(value: Any) -> str:
    try:
        return str(value)
    except Exception:  # noqa: BLE001 - a foreign __str__ may raise anything
        return ""
