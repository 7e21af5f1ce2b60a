"""Cookie jars: one for each session."""

from collections import OrderedDict
from collections.abc import Callable, Iterable
from time import time
from typing import Final

from swather.net.cookie import Cookie, CookieURL, cookie_of, cookie_url, domains_of

# The limits of browsers, for one jar.
MAX_COOKIES: Final = 3_000
MAX_PER_DOMAIN: Final = 180
# Most servers take headers of 8 KiB, some of 16.
MAX_HEADER_BYTES: Final = 16 << 10
# For all jars of a process.
MAX_JARS: Final = 10_000
MAX_BYTES: Final = 64 << 20

Key = tuple[str, str]


class CookieJar:
    """What sites have set in one session, in memory.

    It follows the rules of RFC 6265 and the limits of browsers: domain (none that is a public
    suffix), path, Secure, expiry, the prefixes __Host- and __Secure-. In a full jar the least
    recently used domain loses its oldest cookie.
    """

    __slots__ = ("_by_domain", "_count", "_now", "size_bytes")

    def __init__(self, now: Callable[[], float] = time) -> None:
        self._by_domain: OrderedDict[str, dict[Key, Cookie]] = OrderedDict()
        self._count = 0
        self._now = now
        self.size_bytes = 0

    def __len__(self) -> int:
        return self._count

    def header_for(self, url: str) -> str:
        """The Cookie header of a request, '' when there is none to send."""
        if not self._by_domain:
            return ""
        page, now = cookie_url(url), self._now()
        fitting: list[Cookie] = []
        for domain in domains_of(page.host):
            if (cookies := self._by_domain.get(domain)) is not None:
                self._by_domain.move_to_end(domain)
                fitting += [
                    cookie
                    for cookie in cookies.values()
                    if cookie.is_for(page) and not _is_over(cookie, now)
                ]
        fitting.sort(key=lambda cookie: -len(cookie.path))
        return _header_of(fitting)

    def remember(self, url: str, values: Iterable[str]) -> None:
        """Store the cookies in the Set-Cookie headers of a page with this URL."""
        page, now = cookie_url(url), self._now()
        for value in values:
            if (cookie := cookie_of(value, page, now)) is not None:
                self._put(cookie, page, now)

    def _put(self, cookie: Cookie, page: CookieURL, now: float) -> None:
        if not page.is_secure and self._hides_a_secure_one(cookie):
            return
        cookies = self._by_domain.setdefault(cookie.domain, {})
        key = cookie.path, cookie.name
        if (before := cookies.get(key)) is not None:
            self._count -= 1
            self.size_bytes -= before.size_bytes
        cookies[key] = cookie
        self._count += 1
        self.size_bytes += cookie.size_bytes
        self._by_domain.move_to_end(cookie.domain)
        if _is_over(cookie, now):
            self._drop(cookie)
        elif len(cookies) > MAX_PER_DOMAIN:
            self._make_room(cookies, now)
        while self._count > MAX_COOKIES:
            self._make_room(next(iter(self._by_domain.values())), now)

    def _hides_a_secure_one(self, cookie: Cookie) -> bool:
        return any(
            other.secure and cookie.hides(other)
            for cookies in self._by_domain.values()
            for other in cookies.values()
        )

    def _make_room(self, cookies: dict[Key, Cookie], now: float) -> None:
        over = [cookie for cookie in cookies.values() if _is_over(cookie, now)]
        for cookie in over or [next(iter(cookies.values()))]:
            self._drop(cookie)

    def _drop(self, cookie: Cookie) -> None:
        cookies = self._by_domain[cookie.domain]
        del cookies[cookie.path, cookie.name]
        self._count -= 1
        self.size_bytes -= cookie.size_bytes
        if not cookies:
            del self._by_domain[cookie.domain]


class CookieJars:
    """The jars of all sessions, by name; the least recently used one is evicted."""

    __slots__ = ("_jars", "_size_bytes")

    def __init__(self) -> None:
        self._jars: OrderedDict[str, CookieJar] = OrderedDict()
        self._size_bytes = 0

    def __len__(self) -> int:
        return len(self._jars)

    def header_for(self, session: str, url: str) -> str:
        """The Cookie header of a request in this session, '' when there is none to send."""
        if (jar := self._jars.get(session)) is None:
            return ""
        self._jars.move_to_end(session)
        return jar.header_for(url)

    def remember(self, session: str, url: str, values: Iterable[str]) -> None:
        """Store the cookies in the Set-Cookie headers of a page of this session."""
        if (jar := self._jars.get(session)) is None:
            jar = self._jars[session] = CookieJar()
        self._jars.move_to_end(session)
        before = jar.size_bytes
        jar.remember(url, values)
        self._size_bytes += jar.size_bytes - before
        while len(self._jars) > MAX_JARS or (self._size_bytes > MAX_BYTES and len(self._jars) > 1):
            _, dropped = self._jars.popitem(last=False)
            self._size_bytes -= dropped.size_bytes

    def forget(self, run_id: int) -> None:
        """Drop the sessions of a run that is over."""
        beginning = within(run_id)
        for session in [session for session in self._jars if session.startswith(beginning)]:
            self._size_bytes -= self._jars.pop(session).size_bytes


def _header_of(cookies: Iterable[Cookie]) -> str:
    """As many as fit into a header, the first ones first."""
    sent: list[str] = []
    room = MAX_HEADER_BYTES
    for cookie in cookies:
        pair = f"{cookie.name}={cookie.value}" if cookie.name else cookie.value
        size = len(pair.encode(errors="replace")) + len("; ")
        if size <= room:
            sent.append(pair)
            room -= size
    return "; ".join(sent)


def within(run_id: int, session: str = "") -> str:
    """The name of a session of a run; without one, of the run's own."""
    return f"run:{run_id}/{session}"


def by_proxy(run_id: int, egress_key: str) -> str:
    """The name of a run's session through one proxy; '' while its egress is to be chosen."""
    return within(run_id, f"proxy:{egress_key}")


def is_by_proxy(session: str) -> bool:
    """Whether this is the session of a proxy that is to be chosen."""
    return session.endswith("/proxy:")


def _is_over(cookie: Cookie, now: float) -> bool:
    return cookie.expires_at is not None and cookie.expires_at <= now
