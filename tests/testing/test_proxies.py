import asyncio

import pytest

from swather.errors import FetchError
from swather.net.errors import ProxyFailed
from swather.net.fetcher import WebFetcher
from swather.net.request import Request
from swather.testing.proxies import VIA, LocalProxies
from swather.testing.site import FakeSite

SHOP = "http://shop.example/a"


def fetched(proxy, url=SHOP):
    async def fetch():
        fetcher = WebFetcher()
        try:
            request = Request(url=url).through(proxy)
            return [await fetcher.fetch(request) for _ in range(2)][-1]
        finally:
            await fetcher.close()

    return asyncio.run(fetch())


@pytest.fixture
def site():
    with FakeSite({"/a": lambda asked: asked.headers.get(VIA, "direct")}) as found:
        yield found


@pytest.mark.parametrize("scheme", ["http", "socks5h"])
@pytest.mark.parametrize("login", ["", "me:s3cret"])
def test_a_request_goes_through_a_real_proxy(site, scheme, login):
    hosts = {"shop.example": site.url}
    with LocalProxies(1, hosts=hosts, scheme=scheme, login=login) as proxies:
        page = fetched(proxies[0].url)
        assert page.text == ("1.1 proxy-0" if scheme == "http" else "direct")
        assert {(one.host, one.verdict) for one in proxies[0].log} == {("shop.example", "passed")}


def test_a_wrong_login_is_refused(site):
    with LocalProxies(1, hosts={"shop.example": site.url}, login="me:s3cret") as proxies:
        assert fetched(proxies[0].url.replace("s3cret", "wrong")).status == 407
        assert {one.verdict for one in proxies[0].log} == {"no login"}
    assert not site.requests


def test_it_bans_one_host_and_lets_others_through(site):
    hosts = {"shop.example": site.url, "other.example": site.url}
    with LocalProxies(1, hosts=hosts) as proxies:
        proxies[0].ban("shop.example", status=429, retry_after_seconds=60)
        page = fetched(proxies[0].url)
        assert (page.status, page.headers["retry-after"]) == (429, "60")
        assert fetched(proxies[0].url, "http://other.example/a").status == 200
        proxies[0].unban("shop.example")
        assert fetched(proxies[0].url).status == 200


def test_a_dead_one_refuses_connections_until_it_is_revived(site):
    with LocalProxies(2, hosts={"shop.example": site.url}) as proxies:
        url = proxies[0].url
        proxies[0].die()
        with pytest.raises(ProxyFailed):
            fetched(url)
        assert fetched(proxies[1].url).text == "1.1 proxy-1"
        proxies[0].revive()
        assert fetched(url).text == "1.1 proxy-0"


def test_a_name_that_only_the_proxies_know_cannot_be_reached_directly():
    async def direct():
        fetcher = WebFetcher()
        try:
            await fetcher.fetch(Request(url=SHOP))
        finally:
            await fetcher.close()

    with LocalProxies(1, hosts={"shop.example": "http://127.0.0.1:1"}), pytest.raises(FetchError):
        asyncio.run(direct())
