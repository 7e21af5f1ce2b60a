"""What one worker has learned from a robots.txt holds for all on the same database."""

import asyncio

import pytest

from swather.net.errors import Disallowed, RobotsUnreachable
from swather.net.page import Page
from swather.net.robots import Robots
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
