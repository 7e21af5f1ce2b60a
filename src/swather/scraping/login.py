"""Logs in with a form, as a person in a browser does."""

import asyncio
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from typing import Final
from weakref import WeakKeyDictionary, WeakValueDictionary

import msgspec

from swather.errors import Permanent
from swather.masking import shown_url
from swather.net.errors import Unencrypted, UntrustedRedirect
from swather.net.form import Form, form_of
from swather.net.page import Page
from swather.net.request import Request
from swather.scraping.arguments import Value
from swather.scraping.attempt import RunCoroutine

Check = str | Callable[[Page], object] | None

_REFUSALS: Final = frozenset({400, 401, 403, 422})
_WITH_PASSWORD: Final = "form:has(input[type=password])"  # noqa: S105 - a selector, no password
_locks: WeakKeyDictionary[asyncio.AbstractEventLoop, WeakValueDictionary[str, asyncio.Lock]] = (
    WeakKeyDictionary()
)


class Turn:
    """One login at a time per session: the others then find that it is done.

    A plain scraper waits for its turn in its own thread, and may be stopped meanwhile: then the
    turn is released as soon as it is acquired.
    """

    def __init__(self, session: str) -> None:
        self._session = session
        self._loop: asyncio.AbstractEventLoop | None = None
        self._lock: asyncio.Lock | None = None
        self._is_left = False

    async def __aenter__(self) -> None:
        self._loop = asyncio.get_running_loop()
        locks = _locks.setdefault(self._loop, WeakValueDictionary())
        lock = locks.setdefault(self._session, asyncio.Lock())
        await lock.acquire()
        if self._is_left:
            lock.release()
        else:
            self._lock = lock

    async def __aexit__(self, *raised: object) -> None:
        self._leave()

    @contextmanager
    def taken(self, wait_for: RunCoroutine) -> Iterator[None]:
        """In another thread than the loop's; `wait_for` runs a coroutine there."""
        try:
            wait_for(self.__aenter__())
            yield
        finally:
            self._is_left = True
            if self._loop is not None:
                with suppress(RuntimeError):  # the loop was closed
                    self._loop.call_soon_threadsafe(self._leave)

    def _leave(self) -> None:
        if self._lock is not None:
            self._lock.release()
            self._lock = None


def is_logged_in(page: Page, check: Check) -> bool:
    """Whether the page shows that we are logged in; without a check, no page does."""
    if check is None:
        return False
    return check in page.text if isinstance(check, str) else bool(check(page))


def form_on(page: Page, selector: str | None) -> Form:
    page.raise_for_status()
    if selector is None:
        found = form_of(page, _WITH_PASSWORD) or form_of(page, "form")
    else:
        found = form_of(page, selector)
    if found is None or not found.action:
        raise _failed(page.url, "the page has no form" + (f" {selector!r}" if selector else ""))
    if page.url.startswith("https:") and not found.action.startswith("https:"):
        raise _failed(page.url, "its form would send the password unencrypted")
    return found


def refused(request: Request, error: Unencrypted | UntrustedRedirect) -> Permanent:
    """The failure of a login that would take a password where it must not go."""
    if isinstance(error, Unencrypted):
        return _failed(request.url, f"{error}; only hosts on a local network may use http")
    return _failed(request.url, "its form is redirected to another site with the password in it")


def checked(answer: Page, check: Check, form: Form, fields: Mapping[str, Value]) -> Page:
    """What the form led to, if that is a success. No error message contains a value of the form."""
    if answer.status in _REFUSALS:
        why = f"HTTP {answer.status}"
    else:
        # Without POST, the fields are in the query.
        msgspec.structs.replace(answer, url=_without_query(answer.url)).raise_for_status()
        if check is None or is_logged_in(answer, check):
            return answer
        what = f"show {check!r}" if isinstance(check, str) else "pass the check"
        why = f"the page after it does not {what}"
    if unknown := [name for name in fields if name not in form.fields]:
        why += f"; its form has {', '.join(form.fields) or 'no fields'}, not {', '.join(unknown)}"
    raise _failed(answer.url, why)


def _failed(url: str, why: str) -> Permanent:
    return Permanent(
        f"login at {shown_url(_without_query(url))} failed: {why}", reason="login_failed"
    )


def _without_query(url: str) -> str:
    return url.partition("?")[0]
