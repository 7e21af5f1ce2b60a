"""The fetch policy of `swather try`: polite, and without a database."""

import asyncio
import time
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime
from functools import partial
from typing import Any

import msgspec

from swather.model.stored_page import StoredRobots
from swather.net.egress import Egress
from swather.net.fetch_policy import SimplePolicy
from swather.net.fetcher import Fetcher
from swather.net.page import Page
from swather.net.private_hosts import canonical_port, hosts_in, refusal_reason
from swather.net.request import Origin, Request
from swather.net.robots import MAX_REDIRECTS, Robots
from swather.scraping.arguments import OwnHeaders
from swather.scraping.scraper import Scraper


class AllowedHostsPolicy(SimplePolicy):
    """Allows private hosts that are named in the target or the parameters."""

    def __init__(self, *values: Any, allow_private: bool) -> None:
        super().__init__(allow_private=allow_private)
        self._allowed = hosts_in(values)
        self._first: dict[str, str] = {}

    def may_reach(self, host: str, port: int, *, private: bool) -> bool:
        del port
        return self._allow_private or (not private and host in self._first)

    async def refusal(self, host: str, port: int, address: str, *, private: bool) -> str | None:
        first = self._first.setdefault(host, address)
        if not private or self._allow_private:
            return None
        return refusal_reason(
            host, first if (host, canonical_port(port)) in self._allowed else None
        )


class PolitePolicy(AllowedHostsPolicy):
    """Obeys robots.txt and its Crawl-delay, unless the scraper does not."""

    def __init__(
        self,
        scraper: Scraper,
        target: Any,
        params: Any,
        *,
        fetcher: Fetcher,
        user_agent: str,
        max_crawl_delay_seconds: float,
    ) -> None:
        allow_private = scraper.options.allow_private
        super().__init__(target, params, allow_private=allow_private)
        self._robots_policy = AllowedHostsPolicy(target, params, allow_private=allow_private)
        self._obeys_robots = scraper.options.robots
        self._fetcher = fetcher
        self._own_headers = OwnHeaders(scraper.options.user_agent, None)
        self._robots = Robots(
            MemoryRobotsCache(),
            user_agent=scraper.options.user_agent or user_agent,
            max_crawl_delay_seconds=max_crawl_delay_seconds,
        )
        self._due_at: dict[str, float] = {}

    def admit(self, url: str, origin: Origin, egress: Egress) -> Awaitable[None] | None:
        return self._wait(url, origin.url, egress) if self._obeys_robots else None

    async def _wait(self, url: str, origin: str, egress: Egress) -> None:
        rules = await self._robots.check(url, partial(self._fetch_robots, egress))
        if rules.crawl_delay_seconds is None:
            return
        now = time.monotonic()
        at = max(self._due_at.get(origin, 0.0), now)
        self._due_at[origin] = at + rules.crawl_delay_seconds
        await asyncio.sleep(at - now)

    async def _fetch_robots(self, egress: Egress, url: str) -> Page:
        request = Request(url=url, egress=egress, max_redirects=MAX_REDIRECTS)
        return await self._fetcher.fetch(self._own_headers.added_to(request), self._robots_policy)


class MemoryRobotsCache:
    """What the store keeps of robots.txt, for one process without a database."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._known: dict[str, tuple[StoredRobots, float]] = {}

    def get(self, origin: str) -> StoredRobots | None:
        if (found := self._known.get(origin)) is None:
            return None
        stored, until = found
        return msgspec.structs.replace(stored, is_fresh=self._clock() < until)

    def put(self, origin: str, status: int, body: bytes, ttl_seconds: float) -> None:
        stored = StoredRobots(
            origin=origin, status=status, body=body, fetched_at=datetime.now(UTC), is_fresh=True
        )
        self._known[origin] = (stored, self._clock() + ttl_seconds)

    def claim(self, origin: str, holder: str, seconds: float) -> bool:
        """Always: other fetches of this process wait already."""
        del origin, holder, seconds
        return True

    def release(self, origin: str, holder: str) -> None:
        del origin, holder
