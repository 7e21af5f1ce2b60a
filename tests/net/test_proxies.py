"""Requests through a proxy, which looks names up itself."""

import asyncio
import traceback

import pytest

from swather.errors import InputError
from swather.net.errors import ProxyFailed, Refused
from swather.net.fetch_policy import ANYWHERE, SimplePolicy
from swather.net.fetcher import WebFetcher
from swather.net.request import Request
from swather.scraping.classify import classify
from tests.net.fetching import RecordingPolicy, fake_dns, nobody_there
from tests.net.site import respond, site


def through(client, url, answer, *, policy=None, user="", of=None, **fields):
    """Fetch a URL through a proxy that gives `answer`; the page, the proxy and the names that were
    looked up here.
    """

    async def run():
        dns = fake_dns()
        fetcher = WebFetcher(client, resolve=dns, timeout_seconds=5)
        async with site() as proxy:
            proxy.pages = {url: answer, **(of or {})}
            address = proxy.url.replace("//", f"//{user}")
            try:
                request = Request(url=url, proxy=address, **fields)
                page = await fetcher.fetch(request, policy or SimplePolicy())
            finally:
                await fetcher.close()
            return page, proxy, dns.asked

    return asyncio.run(run())


def test_a_request_goes_to_the_proxy_and_no_name_is_looked_up_here(client):
    page, proxy, looked_up = through(client, "http://shop.example/a", respond(b"via"))
    assert page.content == b"via"
    assert page.url == "http://shop.example/a"
    assert proxy.asked[0].headers["host"] == "shop.example"
    assert looked_up == []


def test_a_proxy_is_told_who_asks(client):
    _, proxy, _ = through(client, "http://shop.example/a", respond(b"via"), user="me:secret@")
    assert proxy.asked[0].headers["proxy-authorization"] == "basic bwu6c2vjcmv0"


def test_a_redirect_goes_through_the_proxy_too(client):
    page, proxy, _ = through(
        client,
        "http://shop.example/a",
        respond(b"", "302 Found", Location="http://other.example/b"),
        of={"http://other.example/b": respond(b"B")},
    )
    assert page.content == b"B"
    assert len(proxy.asked) == 2


@pytest.mark.parametrize(
    "url",
    [
        "http://127.0.0.1/", "http://0x7f000001/", "http://169.254.169.254/", "http://[::1]/",
        "http://localhost/", "http://db/", "http://metadata.google.internal/", "http://nas.local/",
    ],
)  # fmt: skip
def test_private_names_and_addresses_are_refused_through_a_proxy(client, url):
    with pytest.raises(Refused, match="is not on the public web"):
        through(client, url, respond(b"secret"))


def test_a_private_name_that_was_typed_is_asked_of_the_proxy(client):
    page, _, _ = through(client, "http://db/", respond(b"typed"), policy=RecordingPolicy("db"))
    assert page.content == b"typed"


def test_a_proxy_that_refuses_us_is_a_page_of_its_own(client):
    page, _, _ = through(
        client, "http://shop.example/a", respond(b"", "407 Proxy Authentication Required")
    )
    assert page.status == 407
    with pytest.raises(Exception, match="407") as raised:
        page.raise_for_status()
    assert str(classify(raised.value).fault.error_class) == "proxy"


def test_a_proxy_that_refuses_a_tunnel_has_failed(client):
    answer = respond(b"", "407 Proxy Authentication Required")
    with pytest.raises(ProxyFailed, match=r"the proxy for https://shop\.example/a failed"):
        through(client, "https://shop.example/a", answer, of={"shop.example:443": answer})


@pytest.mark.parametrize("scheme", ["http", "https"])
def test_a_dead_proxy_is_not_the_sites_fault_and_nothing_goes_past_it(client, scheme):
    async def run(port):
        fetcher = WebFetcher(client)
        async with site(a=respond(b"direct")) as served:
            proxy = f"http://me:secret@127.0.0.1:{port}"
            url = served.url.replace("http:", f"{scheme}:")
            try:
                await fetcher.fetch(Request(url=f"{url}/a", proxy=proxy), ANYWHERE)
            finally:
                await fetcher.close()
                assert served.asked == []

    with nobody_there() as port, pytest.raises(ProxyFailed) as raised:
        asyncio.run(run(port))
    assert str(classify(raised.value).fault.error_class) == "proxy"
    told = "".join(traceback.format_exception(raised.value))
    assert "secret" not in told


@pytest.mark.parametrize("scheme", ["socks5", "socks5h"])
def test_a_socks_proxy_is_given_the_name_to_look_up(scheme):
    async def run():
        asked = []

        async def socks(reader, writer):
            await reader.readexactly(3)
            writer.write(b"\x05\x00")
            _, _, _, kind = await reader.readexactly(4)
            asked.append((kind, await reader.readexactly((await reader.readexactly(1))[0])))
            writer.write(b"\x05\x05\x00\x01" + bytes(6))
            writer.close()

        dns = fake_dns()
        fetcher = WebFetcher("wreq", resolve=dns, timeout_seconds=5)
        async with await asyncio.start_server(socks, "127.0.0.1", 0) as server:
            proxy = f"{scheme}://127.0.0.1:{server.sockets[0].getsockname()[1]}"
            with pytest.raises(ProxyFailed):
                await fetcher.fetch(
                    Request(url="http://shop.example/", proxy=proxy), SimplePolicy()
                )
            await fetcher.close()
        return asked, dns.asked

    assert asyncio.run(run()) == ([(3, b"shop.example")], [])


@pytest.mark.parametrize("proxy", ["ftp://a.example", "nonsense"])
def test_what_is_no_proxy_is_refused(client, proxy):
    async def run():
        fetcher = WebFetcher(client)
        try:
            await fetcher.fetch(Request(url="http://shop.example/", proxy=proxy))
        finally:
            await fetcher.close()

    with pytest.raises(InputError, match="prox"):
        asyncio.run(run())


def test_aiohttp_has_no_socks_and_says_who_has():
    with pytest.raises(InputError, match="http_client = wreq"):
        asyncio.run(
            WebFetcher("aiohttp").fetch(
                Request(url="http://shop.example/", proxy="socks5://127.0.0.1:1")
            )
        )
