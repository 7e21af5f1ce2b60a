"""robots.txt: fetched once per site, cached by the process and for the whole fleet."""

import asyncio
import secrets
import time
from collections.abc import Awaitable, Callable
from concurrent.futures import Executor
from typing import Any, Final, NamedTuple, TypeVar
from weakref import WeakValueDictionary

from swather.masking import shown_url
from swather.model.stored_page import StoredRobots
from swather.net.errors import (
    BadResponse,
    ConnectionFailed,
    Disallowed,
    FetchTimeout,
    Refused,
    RobotsUnreachable,
    TooLarge,
    TooManyRedirects,
    retry_after_seconds,
)
from swather.net.page import Page
from swather.net.request import origin_of
from swather.net.robots_rules import ALL_ALLOWED, MAX_BYTES, OWN_TOKEN, Rules, parse
from swather.store.ports import Robots as RobotsStore

TTL_SECONDS: Final = 86_400.0
MAX_CRAWL_DELAY_SECONDS: Final = 60.0
# What RFC 9309 asks for at least, before a robots.txt counts as missing.
MAX_REDIRECTS: Final = 5
# Longer than a fetch takes; until then the other workers wait for the one that fetches.
CLAIM_SECONDS: Final = 45.0
_FIRST_LOOK_SECONDS: Final = 0.05
_LAST_LOOK_SECONDS: Final = 1.0
# A response that is not a robots.txt may soon change.
_ERROR_TTL_SECONDS: Final = 3_600.0
# A site that is down may be up soon; one that is gone fails its targets soon enough.
_LOOK_AGAIN_SECONDS: Final = 60.0
_CALL_AGAIN_SECONDS: Final = 5.0
# How long a process uses its own copy before it reads the cache again.
_OWN_COPY_SECONDS: Final = 600.0
_MAX_ORIGINS: Final = 10_000
# Parsed rules take about twenty times the memory of their text.
_MAX_TOTAL_BYTES: Final = 1 << 20
_PARSED_ASIDE_BYTES: Final = 16 << 10
_NO_ANSWER: Final = 0
_NO_SUCH_FILE: Final = 404
_UNREACHABLE: Final = (FetchTimeout, ConnectionFailed, BadResponse, TooLarge)
# Only after a redirect: where a page of a site may be fetched, its robots.txt may.
_LEADS_NOWHERE: Final = (TooManyRedirects, Refused)

R = TypeVar("R")
Fetch = Callable[[str], Awaitable[Page]]
Settle = Callable[[Rules], Awaitable[None]]


class _Response(NamedTuple):
    """The response to a request for a robots.txt; `cause` is why there was none."""

    status: int
    body: bytes = b""
    cause: str = ""
    wait_seconds: float = 0.0

    @property
    def is_conclusive(self) -> bool:
        return _is_conclusive(self.status)


class _Remembered(NamedTuple):
    """`rules` are None while the site does not provide them; `until` is when to ask again."""

    rules: Rules | None
    until: float
    size: int
    failures: int
    cause: str


class Robots:
    """The rules of sites. One attempt of the fleet fetches a site's robots.txt; the others wait for
    it, but no longer than `claim_seconds`.
    """

    def __init__(
        self,
        cache: RobotsStore,
        *,
        user_agent: str = OWN_TOKEN,
        executor: Executor | None = None,
        ttl_seconds: float = TTL_SECONDS,
        max_crawl_delay_seconds: float = MAX_CRAWL_DELAY_SECONDS,
        claim_seconds: float = CLAIM_SECONDS,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._cache = cache
        self._user_agent = user_agent
        self._executor = executor
        self._ttl_seconds = ttl_seconds
        self._max_crawl_delay_seconds = max_crawl_delay_seconds
        self._claim_seconds = claim_seconds
        self._clock = clock
        self._holder = secrets.token_hex(8)
        self._remembered: dict[str, _Remembered] = {}
        self._total_bytes = 0
        self._asking: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()

    def known(self, origin: str) -> Rules | None:
        """The rules of an origin, if this process has them in memory."""
        found = self._remembered.get(origin)
        return None if found is None or found.until <= self._clock() else found.rules

    async def check(self, url: str, fetch: Fetch, settle: Settle | None = None) -> Rules:
        """The rules for a URL, if they allow it; else Disallowed. RobotsUnreachable while the site
        does not provide any.

        `fetch` gets its robots.txt if needed. `settle` is awaited with rules that are new to this
        process before they are used.
        """
        origin = origin_of(url)
        rules = self.known(origin) or await self._found(origin, fetch, settle or _nothing)
        if not rules.allows(url):
            raise Disallowed(f"robots.txt of {origin} disallows {shown_url(url)}")
        return rules

    async def _found(self, origin: str, fetch: Fetch, settle: Settle) -> Rules:
        if (lock := self._asking.get(origin)) is None:
            lock = self._asking[origin] = asyncio.Lock()
        async with lock:
            found = self._remembered.get(origin)
            if found is None or found.until <= self._clock():
                found = await self._look_up(origin, fetch, settle)
        if found.rules is None:
            again = max(found.until - self._clock(), 1.0)
            raise RobotsUnreachable(
                f"{origin}/robots.txt cannot be read, so nothing there may be fetched: "
                f"{found.cause}",
                again,
            )
        return found.rules

    async def _look_up(self, origin: str, fetch: Fetch, settle: Settle) -> _Remembered:
        cached = await self._known_or_claimed(origin)
        if cached is not None and cached.is_fresh:
            response = _Response(cached.status, cached.body, _cause_of(cached.status))
            failures = 0 if response.is_conclusive else 1
            seconds = self._ttl_of(response, failures)
            return await self._remember(origin, response, seconds, failures, settle)
        try:
            response = await _fetched(origin, fetch)
        except BaseException:
            await self._in_executor(self._cache.release, origin, self._holder)
            raise
        failures = 0
        if not response.is_conclusive:
            old = self._remembered.get(origin)
            failures = 1 + (old.failures if old else 0)
        seconds = self._ttl_of(response, failures)
        if failures and cached is not None and _is_conclusive(cached.status):
            # Its last response holds until it can be asked again.
            response = _Response(cached.status, cached.body)
        await self._in_executor(self._cache.put, origin, response.status, response.body, seconds)
        return await self._remember(origin, response, seconds, failures, settle)

    async def _known_or_claimed(self, origin: str) -> StoredRobots | None:
        """What the cache has, if it is fresh; else its stale copy, and it is our turn to fetch."""
        loop = asyncio.get_running_loop()
        give_up_at = loop.time() + self._claim_seconds
        wait = _FIRST_LOOK_SECONDS
        while True:
            cached = await self._in_executor(self._cache.get, origin)
            if cached is not None and cached.is_fresh:
                return cached
            # A clock that was set back would make a claim last too long.
            if loop.time() > give_up_at or await self._in_executor(
                self._cache.claim, origin, self._holder, self._claim_seconds
            ):
                return cached
            await asyncio.sleep(wait)
            wait = min(2 * wait, _LAST_LOOK_SECONDS)

    def _ttl_of(self, response: _Response, failures: int) -> float:
        if failures:
            first = _LOOK_AGAIN_SECONDS if response.status else _CALL_AGAIN_SECONDS
            doubled = min(first * 2.0 ** min(failures - 1, 20), _ERROR_TTL_SECONDS)
            return max(doubled, response.wait_seconds)
        if response.status < 300:
            return self._ttl_seconds
        return min(self._ttl_seconds, _ERROR_TTL_SECONDS)

    async def _remember(
        self, origin: str, response: _Response, seconds: float, failures: int, settle: Settle
    ) -> _Remembered:
        rules = await self._rules_in(response)
        if rules is not None:
            await settle(rules)
        size = 0 if rules is None or rules is ALL_ALLOWED else len(response.body)
        until = self._clock() + (seconds if failures else min(seconds, _OWN_COPY_SECONDS))
        self._forget(origin)
        found = self._remembered[origin] = _Remembered(rules, until, size, failures, response.cause)
        self._total_bytes += size
        while self._total_bytes > _MAX_TOTAL_BYTES or len(self._remembered) > _MAX_ORIGINS:
            self._forget(next(iter(self._remembered)))
        return found

    def _forget(self, origin: str) -> None:
        if (old := self._remembered.pop(origin, None)) is not None:
            self._total_bytes -= old.size

    async def _rules_in(self, response: _Response) -> Rules | None:
        if not response.is_conclusive:
            return None
        if response.status >= 300:
            return ALL_ALLOWED
        if len(response.body) > _PARSED_ASIDE_BYTES:
            return await self._in_executor(self._parsed, response.body)
        return self._parsed(response.body)

    def _parsed(self, body: bytes) -> Rules:
        return parse(
            body,
            user_agent=self._user_agent,
            max_crawl_delay_seconds=self._max_crawl_delay_seconds,
        )

    async def _in_executor(self, call: Callable[..., R], *arguments: Any) -> R:
        return await asyncio.get_running_loop().run_in_executor(self._executor, call, *arguments)


def _is_conclusive(status: int) -> bool:
    """Whether a response says what may be fetched; 429, server errors and silence do not."""
    return 200 <= status < 500 and status != 429


def _cause_of(status: int) -> str:
    return f"HTTP {status}" if status else "it did not answer"


async def _nothing(_: Rules) -> None:
    pass


async def _fetched(origin: str, fetch: Fetch) -> _Response:
    try:
        page = await fetch(f"{origin}/robots.txt")
    except _LEADS_NOWHERE:
        return _Response(_NO_SUCH_FILE)
    except _UNREACHABLE as error:
        return _Response(_NO_ANSWER, cause=str(error))
    wait = retry_after_seconds(page.headers) or 0.0
    body = page.content[:MAX_BYTES] if page.status < 300 else b""
    return _Response(page.status, body, _cause_of(page.status), wait)
