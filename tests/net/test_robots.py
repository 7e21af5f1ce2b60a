"""robots.txt of a real server: how often it is asked for, and what holds while it is down."""

import asyncio
import socket

import pytest

from swather.net.errors import Disallowed, ProxyFailed, RobotsUnreachable
from swather.net.fetch_policy import ANYWHERE, SimplePolicy
from swather.net.fetcher import WebFetcher
from swather.net.page import Page
from swather.net.request import Request, origin_of
from swather.net.robots import MAX_REDIRECTS, Robots
from swather.testing import Answer, FakeSite
from swather.testing.fetch_policy import MemoryRobotsCache

NO_BASKET = "User-agent: *\nDisallow: /basket\nCrawl-delay: 2\n"


class Clock:
    def __init__(self):
        self.now = 1_000.0

    def __call__(self):
        return self.now


@pytest.fixture
def clock():
    return Clock()


@pytest.fixture
def cache(clock):
    return MemoryRobotsCache(clock)


def in_loop(work, policy=ANYWHERE):
    """Run `work(fetch)`, where `fetch` asks a real server."""

    async def run():
        client = WebFetcher()

        async def fetch(url):
            return await client.fetch(
                Request(url=url, timeout=5, max_redirects=MAX_REDIRECTS), policy
            )

        try:
            return await work(fetch)
        finally:
            await client.close()

    return asyncio.run(run())


def check(robots, *urls, policy=ANYWHERE):
    async def work(fetch):
        return [await robots.check(url, fetch) for url in urls]

    return in_loop(work, policy)[-1]


def unused_url():
    with socket.socket() as held:
        held.bind(("127.0.0.1", 0))
        return f"http://127.0.0.1:{held.getsockname()[1]}"


def test_what_is_disallowed_is_refused_and_the_rest_is_not(cache):
    with FakeSite({"/robots.txt": NO_BASKET}) as site:
        robots = Robots(cache)
        assert check(robots, site.url + "/books").crawl_delay_seconds == 2.0
        with pytest.raises(Disallowed, match="/basket/1"):
            check(robots, site.url + "/basket/1")
    assert site.requests == {"/robots.txt": 1}


def test_a_site_is_not_taken_for_one_whose_name_is_a_letter_shorter(cache):
    async def fetch(url):
        rules = "User-agent: *\nDisallow: /" if url.startswith("https://example.com/") else ""
        return Page(url=url, content=rules.encode())

    async def run():
        robots = Robots(cache)
        await robots.check("https://example.co/", fetch)
        assert robots.known("https://example.com") is None
        with pytest.raises(Disallowed):
            await robots.check("https://example.com", fetch)
        assert robots.known("https://example.co") is not None

    asyncio.run(run())


def test_all_who_wait_ask_a_site_once(cache):
    with FakeSite({"/robots.txt": Answer(NO_BASKET, seconds=0.05)}) as site:
        robots = Robots(cache)

        async def work(fetch):
            urls = [f"{site.url}/book/{number}" for number in range(50)]
            return await asyncio.gather(*(robots.check(url, fetch) for url in urls))

        assert len(in_loop(work)) == 50
    assert site.requests == {"/robots.txt": 1}


def test_who_waits_asks_for_itself_when_the_first_one_is_stopped(cache):
    with FakeSite({"/robots.txt": NO_BASKET}) as site:
        robots = Robots(cache)

        async def work(fetch):
            begun = asyncio.Event()

            async def stuck(url):
                begun.set()
                await asyncio.Event().wait()

            first = asyncio.create_task(robots.check(site.url + "/a", stuck))
            await begun.wait()
            second = asyncio.create_task(robots.check(site.url + "/b", fetch))
            await asyncio.sleep(0)
            first.cancel()
            return await second

        assert in_loop(work).crawl_delay_seconds == 2.0


def test_another_process_takes_the_rules_from_the_cache(cache):
    with FakeSite({"/robots.txt": NO_BASKET}) as site:
        check(Robots(cache), site.url + "/books")
        with pytest.raises(Disallowed):
            check(Robots(cache), site.url + "/basket")
    assert site.requests == {"/robots.txt": 1}


def test_rules_are_asked_for_again_after_their_time(cache, clock):
    with FakeSite({"/robots.txt": NO_BASKET}) as site:
        robots = Robots(cache, ttl_seconds=3_600, clock=clock)
        check(robots, site.url + "/")
        clock.now += 3_000
        check(robots, site.url + "/")
        assert site.requests == {"/robots.txt": 1}
        site.routes["/robots.txt"] = "User-agent: *\nDisallow: /books\n"
        clock.now += 700
        with pytest.raises(Disallowed):
            check(robots, site.url + "/books")
    assert site.requests == {"/robots.txt": 2}


@pytest.mark.parametrize("status", [400, 401, 403, 404, 410, 451])
def test_a_site_without_a_robots_txt_may_be_fetched(cache, status):
    with FakeSite({"/robots.txt": Answer("User-agent: *\nDisallow: /\n", status)}) as site:
        assert check(Robots(cache), site.url + "/").crawl_delay_seconds is None


def test_an_error_is_remembered_for_an_hour(cache, clock):
    with FakeSite({}) as site:
        robots = Robots(cache, clock=clock)
        check(robots, site.url + "/")
        clock.now += 3_500
        check(robots, site.url + "/")
        assert site.requests == {"/robots.txt": 1}
        clock.now += 700
        check(robots, site.url + "/")
    assert site.requests == {"/robots.txt": 2}


@pytest.mark.parametrize("status", [429, 500, 502, 503])
def test_nothing_may_be_fetched_while_a_robots_txt_is_down(cache, clock, status):
    with FakeSite({"/robots.txt": Answer(NO_BASKET, status)}) as site:
        robots = Robots(cache, clock=clock)
        for _ in range(3):
            with pytest.raises(RobotsUnreachable) as raised:
                check(robots, site.url + "/")
        assert raised.value.after_seconds == 60.0
        assert site.requests == {"/robots.txt": 1}
        site.routes["/robots.txt"] = NO_BASKET
        clock.now += 61
        assert check(robots, site.url + "/").crawl_delay_seconds == 2.0


def test_a_host_that_does_not_answer_is_no_host_that_allows_all(cache, clock):
    with pytest.raises(
        RobotsUnreachable, match=r"nothing there may be fetched: .*connection"
    ) as it:
        check(Robots(cache, clock=clock), unused_url() + "/")
    assert it.value.after_seconds == 5.0


def test_a_robots_txt_that_stays_down_is_asked_for_less_and_less(cache, clock):
    robots = Robots(cache, clock=clock)
    waits = []
    with FakeSite({"/robots.txt": Answer("", 500)}) as site:
        for _ in range(8):
            with pytest.raises(RobotsUnreachable, match="HTTP 500") as raised:
                check(robots, site.url + "/")
            waits.append(raised.value.after_seconds)
            clock.now += waits[-1] + 1
    assert waits == [60, 120, 240, 480, 960, 1_920, 3_600, 3_600]


def test_a_site_that_says_when_it_will_be_back_is_asked_then(cache, clock):
    busy = Answer("", 503, {"Retry-After": "300"})
    with FakeSite({"/robots.txt": busy}) as site, pytest.raises(RobotsUnreachable) as raised:
        check(Robots(cache, clock=clock), site.url + "/")
    assert raised.value.after_seconds == 300.0


def test_old_rules_hold_while_the_robots_txt_is_down(cache, clock):
    with FakeSite({"/robots.txt": NO_BASKET}) as site:
        robots = Robots(cache, clock=clock)
        check(robots, site.url + "/")
        site.routes["/robots.txt"] = Answer("", 500)
        clock.now += 90_000
        check(robots, site.url + "/")
        with pytest.raises(Disallowed):
            check(Robots(cache, clock=clock), site.url + "/basket")
        assert site.requests == {"/robots.txt": 2}
        site.routes["/robots.txt"] = ""
        clock.now += 61
        check(robots, site.url + "/basket")


def test_what_is_not_the_sites_fault_is_told_and_forgotten(cache):
    async def no_proxy(url):
        raise ProxyFailed("the proxy is away")

    with FakeSite({"/robots.txt": NO_BASKET}) as site:
        robots = Robots(cache)
        with pytest.raises(ProxyFailed):
            asyncio.run(robots.check(site.url + "/", no_proxy))
        check(robots, site.url + "/")


def test_redirects_are_followed_and_the_rules_are_for_who_redirects(cache):
    with FakeSite({"/rules": NO_BASKET}) as other:
        moved = Answer("", 301, {"Location": other.url + "/rules"})
        with FakeSite({"/robots.txt": moved}) as site, pytest.raises(Disallowed, match=site.url):
            check(Robots(cache), site.url + "/basket")


@pytest.mark.parametrize(("redirects", "is_obeyed"), [(5, True), (6, False)])
def test_five_redirects_are_followed_and_no_more(cache, redirects, is_obeyed):
    routes = {
        f"/{number}": Answer("", 302, {"Location": f"/{number + 1}"}) for number in range(redirects)
    }
    routes["/robots.txt"] = routes.pop("/0")
    routes[f"/{redirects}"] = "User-agent: *\nDisallow: /\n"
    with FakeSite(routes) as site:
        robots = Robots(cache)
        if is_obeyed:
            with pytest.raises(Disallowed):
                check(robots, site.url + "/page")
        else:
            check(robots, site.url + "/page")
    assert site.requests.total() == 6


@pytest.mark.parametrize("location", ["ftp://a.example/robots.txt", "http://10.0.0.7/robots.txt"])
def test_a_robots_txt_that_leads_where_we_do_not_go_is_none(cache, location):
    class Typed(SimplePolicy):
        def may_reach(self, host, port, *, private):
            return host == "127.0.0.1"

    with FakeSite({"/robots.txt": Answer("", 302, {"Location": location})}) as site:
        robots = Robots(cache)
        for page in "ab":
            assert check(robots, f"{site.url}/{page}", policy=Typed()).crawl_delay_seconds is None
    assert site.requests == {"/robots.txt": 1}


def test_nobody_goes_by_new_rules_before_they_are_settled(cache):
    with FakeSite({"/robots.txt": NO_BASKET}) as site:
        robots = Robots(cache)
        settled = []

        async def work(fetch):
            began, may_end = asyncio.Event(), asyncio.Event()

            async def settle(rules):
                settled.append(rules.crawl_delay_seconds)
                began.set()
                await may_end.wait()

            checks = [robots.check(f"{site.url}/{name}", fetch, settle) for name in "ab"]
            waiting = asyncio.gather(*checks)
            await began.wait()
            await asyncio.sleep(0.01)
            assert robots.known(site.url) is None
            assert not waiting.done()
            may_end.set()
            await waiting

        in_loop(work)
        assert settled == [2.0]


def test_a_known_site_costs_no_wait(cache):
    with FakeSite({"/robots.txt": NO_BASKET}) as site:
        robots = Robots(cache)
        assert robots.known(site.url) is None
        rules = check(robots, site.url + "/")
        assert robots.known(site.url) is rules


def test_rules_of_many_sites_take_a_bounded_amount_of_memory(cache):
    large = b"User-agent: *\nDisallow: /basket\n" + b"#" * 300_000
    robots = Robots(cache)
    for number in range(10):
        cache.put(f"http://s{number}", 200, large, 60.0)
        check(robots, f"http://s{number}/")
    known = [number for number in range(10) if robots.known(f"http://s{number}")]
    assert known == [7, 8, 9]


@pytest.mark.parametrize(
    ("url", "origin"),
    [
        ("http://Example.COM/a/b", "http://example.com"),
        ("HTTPS://example.com:443?x", "https://example.com"),
        ("http://example.com:443/", "http://example.com:443"),
        ("http://user:pass@example.com:8080/", "http://example.com:8080"),
        ("http://[::1]:80/", "http://[::1]"),
        ("https://example.com#top", "https://example.com"),
    ],
)
def test_an_origin_is_scheme_host_and_port(url, origin):
    assert origin_of(url) == origin
