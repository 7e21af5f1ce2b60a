"""Cookies that sites set, kept for whom they are for: one jar for each session."""

from collections import OrderedDict
from collections.abc import Callable, Iterable
from time import time
from typing import Final

from swather.net.cookie import Cookie, Place, cookie_of, domains_of, place_of

MAX_JARS: Final = 10_000
MAX_DOMAINS: Final = 1_000
MAX_PER_DOMAIN: Final = 180


class CookieJar:
    """What sites have set in one session, in memory.

    It keeps the rules of RFC 6265: domain, path, Secure, expiry. Cookies for a top level domain, an
    address or a shared second level ('co.uk') are refused; other suffixes that belong to many
    ('github.io') are not known to it. When it is full, the oldest give way.
    """

    __slots__ = ("_by_domain", "_now")

    def __init__(self, now: Callable[[], float] = time) -> None:
        self._by_domain: OrderedDict[str, dict[tuple[str, str], Cookie]] = OrderedDict()
        self._now = now

    def __len__(self) -> int:
        return sum(map(len, self._by_domain.values()))

    def header_for(self, url: str) -> str:
        """The Cookie header of a request, '' when there is none to send."""
        if not self._by_domain:
            return ""
        place, now = place_of(url), self._now()
        fitting = [
            cookie
            for domain in domains_of(place.host)
            for cookie in self._by_domain.get(domain, {}).values()
            if cookie.is_for(place) and not _is_over(cookie, now)
        ]
        fitting.sort(key=lambda cookie: -len(cookie.path))
        return "; ".join(
            f"{cookie.name}={cookie.value}" if cookie.name else cookie.value for cookie in fitting
        )

    def remember(self, url: str, values: Iterable[str]) -> None:
        """Take the values of the Set-Cookie headers that a page of this URL came with."""
        place, now = place_of(url), self._now()
        for value in values:
            if (cookie := cookie_of(value, place, now)) is not None:
                self._put(cookie, place, now)

    def clear(self) -> None:
        self._by_domain.clear()

    def _put(self, cookie: Cookie, place: Place, now: float) -> None:
        kept = self._by_domain.get(cookie.domain, {})
        key = cookie.path, cookie.name
        before = kept.get(key)
        if before is not None and before.secure and not place.is_secure:
            return
        if _is_over(cookie, now):
            kept.pop(key, None)
            if not kept:
                self._by_domain.pop(cookie.domain, None)
            return
        kept[key] = cookie
        self._by_domain[cookie.domain] = kept
        if len(kept) > MAX_PER_DOMAIN:
            _make_room(kept, now)
        if len(self._by_domain) > MAX_DOMAINS:
            self._by_domain.popitem(last=False)


class CookieJars:
    """The jars of all sessions, by name; the one that was used least lately gives way."""

    __slots__ = ("_jars",)

    def __init__(self) -> None:
        self._jars: OrderedDict[str, CookieJar] = OrderedDict()

    def __len__(self) -> int:
        return len(self._jars)

    def of(self, session: str) -> CookieJar:
        jar = self._jars.get(session)
        if jar is None:
            jar = self._jars[session] = CookieJar()
            if len(self._jars) > MAX_JARS:
                self._jars.popitem(last=False)
        else:
            self._jars.move_to_end(session)
        return jar

    def forget(self, run_id: int) -> None:
        """Drop the sessions of a run that is over."""
        beginning = within(run_id)
        for session in [session for session in self._jars if session.startswith(beginning)]:
            del self._jars[session]


def within(run_id: int, session: str = "") -> str:
    """The name of a session of a run; without one, of the run's own."""
    return f"run:{run_id}/{session}"


def _is_over(cookie: Cookie, now: float) -> bool:
    return cookie.expires_at is not None and cookie.expires_at <= now


def _make_room(kept: dict[tuple[str, str], Cookie], now: float) -> None:
    over = [key for key, cookie in kept.items() if _is_over(cookie, now)]
    for key in over or [next(iter(kept))]:
        del kept[key]
