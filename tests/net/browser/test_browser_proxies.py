"""The browser over an egress: through proxies that want to know who asks, and never past them."""

import asyncio
import base64
from contextlib import asynccontextmanager

import pytest

from swather.net.egress import Egress
from swather.net.errors import ProxyFailed, Refused
from swather.net.fetch_policy import SimplePolicy
from tests.net.browser.visiting import html, visit
from tests.net.fetching import nobody_there
from tests.net.site import site

pytestmark = [pytest.mark.slow, pytest.mark.timeout(180)]


class Proxy:
    """One on loopback that takes every name to one place, and remembers what it was asked."""

    def __init__(self, port):
        self.to = port
        self.asked = []
        self.url = ""

    async def pump(self, reader, writer):
        try:
            while chunk := await reader.read(65536):
                writer.write(chunk)
                await writer.drain()
        except OSError:
            pass
        finally:
            writer.close()

    async def onward(self, reader, writer, first=b""):
        there = await asyncio.open_connection("127.0.0.1", self.to)
        there[1].write(first)
        await asyncio.gather(self.pump(reader, there[1]), self.pump(there[0], writer))

    async def http(self, reader, writer):
        head = (await reader.readuntil(b"\r\n\r\n")).decode()
        first, *lines = head.split("\r\n")
        headers = dict(line.lower().split(": ", 1) for line in lines if line)
        self.asked.append((first.split(" ")[:2], headers.get("proxy-authorization")))
        if headers.get("proxy-authorization") != _basic("me", "s3cret/").lower():
            writer.write(b"HTTP/1.1 407 Who\r\nContent-Length: 0\r\n\r\n")
            writer.close()
        elif first.startswith("CONNECT"):
            writer.write(b"HTTP/1.1 200 OK\r\n\r\n")
            await self.onward(reader, writer)
        else:
            method, url, version = first.split(" ")
            path = "/" + url.split("/", 3)[3]
            rest = "\r\n".join([f"{method} {path} {version}", *lines])
            await self.onward(reader, writer, rest.encode())

    async def socks(self, reader, writer):
        await reader.readexactly((await reader.readexactly(2))[1])
        writer.write(b"\x05\x02")
        await reader.readexactly(1)
        user = await reader.readexactly((await reader.readexactly(1))[0])
        password = await reader.readexactly((await reader.readexactly(1))[0])
        if (user, password) != (b"me", b"s3cret/"):
            writer.write(b"\x01\x01")
            writer.close()
            return
        writer.write(b"\x01\x00")
        _, _, _, kind = await reader.readexactly(4)
        assert kind == 3
        name = await reader.readexactly((await reader.readexactly(1))[0])
        self.asked.append((name.decode(), int.from_bytes(await reader.readexactly(2))))
        writer.write(b"\x05\x00\x00\x01" + bytes(6))
        await self.onward(reader, writer)


def _basic(user, password):
    return f"Basic {base64.b64encode(f'{user}:{password}'.encode()).decode()}"


@asynccontextmanager
async def proxy(kind, port):
    one = Proxy(port)
    async with await asyncio.start_server(getattr(one, kind), "127.0.0.1", 0) as server:
        one.url = f"127.0.0.1:{server.sockets[0].getsockname()[1]}"
        yield one


PAGE = html("<p>via</p><img src=/picture>")


@pytest.mark.parametrize(("kind", "scheme"), [("http", "http"), ("socks", "socks5h")])
def test_a_page_and_all_it_loads_come_through_the_proxy(in_browser, kind, scheme):
    async def scene(browser):
        async with (
            site(page=PAGE, picture=html("x")) as served,
            proxy(kind, int(served.url.rpartition(":")[2])) as via,
        ):
            egress = Egress.through(f"{scheme}://me:s3cret%2F@{via.url}")
            async with browser.visit(visit(SimplePolicy(), egress=egress)) as tab:
                return await tab.render("http://shop.example/page"), via.asked

    page, asked = in_browser(scene)
    assert page.one("p").text() == "via"
    if kind == "http":
        assert [first[1] for first, _ in asked] == [
            "http://shop.example/page",
            "http://shop.example/picture",
        ]
    else:
        assert asked == [("shop.example", 80)] * 2


def failing(in_browser, kind, egress_of, url="http://shop.example/page"):
    """What is raised, and whether the site was reached past the proxy."""

    async def scene(browser):
        async with site(page=PAGE) as served:
            async with proxy(kind, int(served.url.rpartition(":")[2])) as via:
                egress = Egress.through(egress_of(via.url))
                with pytest.raises((ProxyFailed, Refused)) as raised:
                    async with browser.visit(visit(SimplePolicy(), egress=egress)) as tab:
                        await tab.render(url.replace("SITE", served.url))
            return raised.value, served.connections

    return in_browser(scene)


@pytest.mark.parametrize(
    ("kind", "scheme", "url"),
    [
        ("http", "http", "http://shop.example/page"),
        ("http", "http", "https://shop.example/page"),
        ("socks", "socks5", "http://shop.example/page"),
    ],
)
def test_a_proxy_that_refuses_us_has_failed(in_browser, kind, scheme, url):
    error, connections = failing(
        in_browser, kind, lambda place: f"{scheme}://me:wrong@{place}", url
    )
    assert isinstance(error, ProxyFailed)
    assert "wrong" not in str(error)
    assert connections == 0


@pytest.mark.parametrize("scheme", ["http", "https", "socks5h", "socks4a"])
def test_a_dead_proxy_has_failed_and_nothing_goes_past_it(in_browser, scheme):
    with nobody_there() as port:
        error, connections = failing(in_browser, "http", lambda _: f"{scheme}://127.0.0.1:{port}")
    assert isinstance(error, ProxyFailed)
    assert connections == 0


@pytest.mark.parametrize("url", ["SITE/page", "http://localhost/page", "http://nas.local/"])
def test_private_names_are_not_asked_of_a_proxy(in_browser, url):
    error, connections = failing(
        in_browser, "http", lambda place: f"http://me:s3cret%2F@{place}", url
    )
    assert isinstance(error, Refused)
    assert connections == 0
