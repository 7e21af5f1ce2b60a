"""What one worker has learned from a robots.txt holds for all on the same database."""

import asyncio
import threading

import pytest

from swather.net.errors import Disallowed, ProxyFailed, RobotsUnreachable
from swather.net.page import Page
from swather.net.robots import Robots
from swather.net.robots_rules import Rules
from swather.store import Store

ORIGIN = "https://example.com"


class Site:
    """Answers with a robots.txt, and counts how often it was asked."""

    def __init__(self, body: bytes, status: int = 200) -> None:
        self.asked = 0
        self._page = Page(url=f"{ORIGIN}/robots.txt", status=status, content=body)

    async def fetch(self, url: str) -> Page:
        assert url == f"{ORIGIN}/robots.txt"
        self.asked += 1
        return self._page


def check(store: Store, site: Site, path: str) -> float | None:
    rules = asyncio.run(Robots(store.robots).check(ORIGIN + path, site.fetch))
    return rules.crawl_delay_seconds


def test_a_second_worker_does_not_ask_again(store: Store, other: Store):
    site = Site(b"User-agent: *\nDisallow: /a\xff\x00\nCrawl-delay: 3\n")
    assert check(store, site, "/b") == 3.0
    with pytest.raises(Disallowed):
        check(other, site, "/a%EF%BF%BD/b")
    assert site.asked == 1


def test_a_robots_txt_that_is_down_is_down_for_all(store: Store, other: Store):
    site = Site(b"", 503)
    for worker in (store, other):
        with pytest.raises(RobotsUnreachable, match="HTTP 503"):
            check(worker, site, "/")
    assert site.asked == 1


def test_a_site_without_one_is_known_to_all(store: Store, other: Store):
    site = Site(b"", 404)
    assert check(store, site, "/") is None
    assert check(other, site, "/") is None
    assert site.asked == 1


class Noted:
    """The cache of a store; `refused` is set when a claim on it is."""

    def __init__(self, store: Store, refused: threading.Event) -> None:
        self._refused = refused
        self._robots = store.robots
        self.get, self.put, self.release = store.robots.get, store.robots.put, store.robots.release

    def claim(self, origin: str, holder: str, seconds: float) -> bool:
        got = self._robots.claim(origin, holder, seconds)
        if not got:
            self._refused.set()
        return got


def test_workers_that_meet_a_site_together_ask_it_once(store: Store, other: Store):
    asked: list[str] = []
    second_has_come = threading.Event()

    async def fetch(url: str) -> Page:
        asked.append(url)
        if len(asked) > 1:
            second_has_come.set()
        assert await asyncio.to_thread(second_has_come.wait, 20)
        return Page(url=url, content=b"User-agent: *\nCrawl-delay: 3\n")

    async def run() -> list[Rules]:
        workers = [Robots(Noted(one, second_has_come)) for one in (store, other)]
        return await asyncio.gather(*(one.check(f"{ORIGIN}/", fetch) for one in workers))

    assert [rules.crawl_delay_seconds for rules in asyncio.run(run())] == [3.0, 3.0]
    assert len(asked) == 1


@pytest.mark.slow
def test_who_waits_for_one_who_died_asks_after_a_while(store: Store, other: Store):
    assert other.robots.claim(ORIGIN, "dead", 0.2)
    site = Site(b"User-agent: *\nCrawl-delay: 3\n")
    assert check(store, site, "/") == 3.0
    assert site.asked == 1


@pytest.mark.slow
def test_nobody_waits_for_longer_than_a_claim_lasts(store: Store, other: Store):
    assert other.robots.claim(ORIGIN, "one whose clock went back", 3_600)
    site = Site(b"User-agent: *\nCrawl-delay: 3\n")
    robots = Robots(store.robots, claim_seconds=0.2)
    rules = asyncio.run(robots.check(f"{ORIGIN}/", site.fetch))
    assert (rules.crawl_delay_seconds, site.asked) == (3.0, 1)


@pytest.mark.slow
@pytest.mark.parametrize("failure", [asyncio.CancelledError, ProxyFailed])
def test_who_cannot_ask_lets_the_next_one_ask_at_once(
    store: Store, other: Store, failure: type[BaseException]
):
    async def fetch(_url: str) -> Page:
        raise failure("stopped")

    async def ask() -> None:
        await Robots(store.robots).check(f"{ORIGIN}/", fetch)

    with pytest.raises(failure):
        asyncio.run(ask())
    assert other.robots.claim(ORIGIN, "next", 60)
