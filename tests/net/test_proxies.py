"""Requests through a proxy, which looks names up itself."""

import asyncio
import base64
import traceback

import pytest

from swather.errors import InputError
from swather.net.egress import DIRECT, Egress
from swather.net.errors import ProxyFailed, Refused
from swather.net.fetch_policy import ANYWHERE, SimplePolicy
from swather.net.fetcher import WebFetcher
from swather.net.redirects import redirected
from swather.net.request import Request, parse_origin
from swather.scraping.arguments import request_of
from swather.scraping.classify import classify
from tests.net.fetching import RecordingPolicy, fake_dns, fetch, nobody_there
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
                request = Request(url=url, egress=Egress.through(address), **fields)
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


def test_a_password_may_have_any_character_percent_encoded(client):
    user = "me:a%2Fb%3Fc%23@"
    _, proxy, _ = through(client, "http://shop.example/a", respond(b"via"), user=user)
    sent = base64.b64encode(b"me:a/b?c#").decode().lower()
    assert proxy.asked[0].headers["proxy-authorization"] == f"basic {sent}"


def test_a_redirect_goes_through_the_proxy_too(client):
    page, proxy, _ = through(
        client,
        "http://shop.example/a",
        respond(b"", "302 Found", Location="http://other.example/b"),
        of={"http://other.example/b": respond(b"B")},
    )
    assert page.content == b"B"
    assert len(proxy.asked) == 2


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_a_redirected_request_keeps_its_egress(status):
    request = Request(url="http://shop.example/a").through("http://p.example:1")
    onward = redirected(
        request, status, "https://other.example/b", parse_origin("http://shop.example")
    )
    assert onward.egress == request.egress


def test_every_hop_is_admitted_with_the_egress_of_its_request(client):
    policy = RecordingPolicy()
    redirect = respond(b"", "302 Found", Location="http://other.example/b")
    of = {"http://other.example/b": respond(b"B")}
    _, proxy, _ = through(client, "http://shop.example/a", redirect, of=of, policy=policy)
    assert policy.egresses == [Egress.through(proxy.url)] * 2


def test_a_direct_hop_is_admitted_as_one(client):
    policy = RecordingPolicy("127.0.0.1")
    fetch(client, "/a", of={"a": respond()}, policy=policy)
    assert len(policy.egresses) == 1
    assert policy.egresses[0] is DIRECT


def test_a_connection_to_one_proxy_is_not_used_for_another(client):
    async def run():
        fetcher = WebFetcher(client)
        async with site() as one, site() as other:
            for proxy, user in [(one, ""), (other, ""), (one, "me:a@"), (other, "me:b@")] * 2:
                proxy.pages["http://shop.example/a"] = respond(b"via")
                address = proxy.url.replace("//", f"//{user}")
                request = Request(url="http://shop.example/a").through(address)
                await fetcher.fetch(request, SimplePolicy())
            await fetcher.close()
            return [
                [asked.headers.get("proxy-authorization") for asked in proxy.asked]
                for proxy in (one, other)
            ]

    a, b = "basic bwu6yq==", "basic bwu6yg=="
    assert asyncio.run(run()) == [[None, a, None, a], [None, b, None, b]]


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
                await fetcher.fetch(Request(url=f"{url}/a").through(proxy), ANYWHERE)
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
                    Request(url="http://shop.example/").through(proxy), SimplePolicy()
                )
            await fetcher.close()
        return asked, dns.asked

    assert asyncio.run(run()) == ([(3, b"shop.example")], [])


@pytest.mark.parametrize(
    "proxy",
    [
        "ftp://a.example", "nonsense", "", "http://#", "http://127.0.0.1:99999",
        "socks5://127.0.0.1:99999", "socks5://127.0.0.1:", "socks5://me:s/ecret@127.0.0.1:1",
        "socks5h://me:s#ecret@127.0.0.1:1", "socks4://me:s?ecret@127.0.0.1:1",
        "a.example:8080:me:secret", "http://a.example:8080:me:secret", "me:secret@a.example:8080",
        "ftp://a.example:secret", "me:secret",
    ],
)  # fmt: skip
def test_what_is_no_proxy_is_refused_and_nothing_goes_past_it(client, proxy):
    async def run():
        fetcher = WebFetcher(client)
        async with site(a=respond(b"direct")) as served:
            try:
                await fetcher.fetch(request_of("GET", f"{served.url}/a", proxy=proxy))
            finally:
                await fetcher.close()
                assert served.asked == []

    with pytest.raises(InputError, match="prox") as raised:
        asyncio.run(run())
    assert "ecret" not in str(raised.value)


def test_a_proxy_that_the_client_cannot_use_is_named_without_its_password():
    proxy = "http://me:secret@%zz:1"

    async def run():
        fetcher = WebFetcher("wreq")
        try:
            await fetcher.fetch(Request(url="http://a.example/").through(proxy))
        finally:
            await fetcher.close()

    with pytest.raises(InputError, match=r"the proxy http://\*\*\*@%zz:1 cannot be used") as raised:
        asyncio.run(run())
    assert "secret" not in "".join(traceback.format_exception(raised.value))


def test_aiohttp_has_no_socks_and_says_who_has():
    with pytest.raises(InputError, match="http_client = wreq"):
        asyncio.run(
            WebFetcher("aiohttp").fetch(
                Request(url="http://shop.example/").through("socks5://127.0.0.1:1")
            )
        )
