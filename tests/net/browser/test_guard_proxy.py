"""The proxy that the browser has to pass, as others on this machine may try to use it."""

import asyncio
import base64
from contextlib import asynccontextmanager

import pytest

from swather.net.browser.guard_proxy import GuardProxy
from swather.net.browser.traffic import Traffic
from swather.net.browser.visit_traffic import VisitTraffic
from swather.net.egress import DIRECT
from swather.net.fetch_policy import SimplePolicy
from swather.net.guard import Guard
from tests.net.browser.visiting import everywhere, html, visit
from tests.net.site import respond, send, site

THERE = send(b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nthere", close=True)


class NoPage:
    url = "about:blank"


@asynccontextmanager
async def guard_proxy(policy=None):
    proxy = GuardProxy()
    await proxy.start()
    traffic = Traffic(DIRECT, Guard(everywhere))
    traffic.begin(VisitTraffic(visit(policy), NoPage()))
    user, password = proxy.register(traffic)
    pair = base64.b64encode(f"{user}:{password}".encode()).decode()
    try:
        yield proxy, traffic, f"Proxy-Authorization: Basic {pair}\r\n"
    finally:
        await proxy.close()


async def said(proxy, text):
    """All that it answers until it closes the connection, which it does."""
    reader, writer = await asyncio.open_connection("127.0.0.1", int(proxy.url.rpartition(":")[2]))
    writer.write(text.encode("latin-1"))
    try:
        async with asyncio.timeout(10):
            return await reader.read()
    except ConnectionResetError:
        return b""
    finally:
        writer.close()


def asked(lines, *, policy=None, end="\r\n", known=True):
    """What a request with these lines gets, and what the site was asked."""

    async def run():
        async with (
            site(page=THERE, other=html("other")) as served,
            guard_proxy(policy) as (proxy, _, authorization),
        ):
            place = served.url.removeprefix("http://")
            head = lines.replace("PLACE", place) + (authorization if known else "") + end
            return await said(proxy, head.replace("PLACE", place)), served

    return asyncio.run(run())


def test_a_request_is_passed_on_without_our_password():
    answer, served = asked("GET http://PLACE/page HTTP/1.1\r\nHost: PLACE\r\nX: 1\r\n")
    assert answer.endswith(b"there")
    assert b"Connection: close" in answer
    headers = served.asked[0].headers
    assert headers["x"] == "1"
    assert "proxy-authorization" not in headers


def test_a_body_is_passed_on_and_nothing_behind_it():
    lines = "POST http://PLACE/page HTTP/1.1\r\nContent-Length: 3\r\n"
    hidden = "\r\nabcGET http://PLACE/other HTTP/1.1\r\nHost: a\r\n\r\n"
    _, served = asked(lines, end=hidden)
    assert [(each.path, each.body) for each in served.asked] == [("/page", b"abc")]


@pytest.mark.parametrize(
    "lines",
    [
        "GET http://PLACE/page HTTP/1.0\r\n",
        "GET /page HTTP/1.1\r\nHost: PLACE\r\n",
        "GET https://PLACE/page HTTP/1.1\r\n",
        "GET ftp://PLACE/page HTTP/1.1\r\n",
        "GET  http://PLACE/page HTTP/1.1\r\n",
        "GET http://PLACE/page HTTP/1.1\r\n X: folded\r\n",
        "GET http://PLACE/page HTTP/1.1\r\nX : 1\r\n",
        "GET http://PLACE/page HTTP/1.1\r\nX: 1\nY: 2\r\n",
        "POST http://PLACE/page HTTP/1.1\r\nTransfer-Encoding: chunked\r\n",
        "POST http://PLACE/page HTTP/1.1\r\nContent-Length: 1\r\nContent-Length: 2\r\n",
        "POST http://PLACE/page HTTP/1.1\r\nContent-Length: +1\r\n",
        "CONNECT http://PLACE HTTP/1.1\r\n",
        "CONNECT a@PLACE HTTP/1.1\r\n",
        "CONNECT PLACE/page HTTP/1.1\r\n",
    ],
)
def test_what_two_sides_could_read_differently_is_not_passed_on(lines):
    answer, served = asked(lines)
    assert (answer, served.asked) == (b"", [])


def test_nobody_gets_out_without_a_password():
    async def run():
        async with site(page=html("there")) as served, guard_proxy() as (proxy, _, _):
            port = int(proxy.url.rpartition(":")[2])
            reader, writer = await asyncio.open_connection("127.0.0.1", port)
            answers = []
            for extra in ("", "Proxy-Authorization: Basic eDp5\r\n"):
                writer.write(f"GET {served.url}/page HTTP/1.1\r\n{extra}\r\n".encode())
                answers.append((await reader.readuntil(b"\r\n\r\n")).split()[1])
            writer.close()
            return answers, served.connections

    assert asyncio.run(run()) == ([b"407", b"407"], 0)


@pytest.mark.parametrize("line", ["CONNECT PLACE HTTP/1.1", "GET http://PLACE/page HTTP/1.1"])
def test_a_private_address_is_not_reached(line):
    answer, served = asked(f"{line}\r\n", policy=SimplePolicy())
    assert answer.split()[1:2] == ([b"403"] if line.startswith("CONNECT") else [])
    assert served.connections == 0


def test_between_visits_nothing_gets_out():
    async def run():
        async with site(page=html("there")) as served, guard_proxy() as (proxy, traffic, secret):
            for each in list(traffic._visits):
                traffic.end(each)
            answer = await said(proxy, f"GET {served.url}/page HTTP/1.1\r\n{secret}\r\n")
            return answer, served.connections

    assert asyncio.run(run()) == (b"", 0)


def test_a_door_that_is_closed_cuts_off_who_went_through_it():
    async def run():
        async with site() as served, guard_proxy() as (proxy, _, secret):
            place = served.url.removeprefix("http://")
            port = int(proxy.url.rpartition(":")[2])
            reader, writer = await asyncio.open_connection("127.0.0.1", port)
            writer.write(f"CONNECT {place} HTTP/1.1\r\n{secret}\r\n".encode())
            assert (await reader.readuntil(b"\r\n\r\n")).split()[1] == b"200"
            for task in list(proxy._serving):
                task.cancel()
            try:
                async with asyncio.timeout(10):
                    return await reader.read()
            except ConnectionResetError:
                return b""
            finally:
                writer.close()

    assert asyncio.run(run()) == b""


def test_an_answer_that_asks_for_a_password_of_ours_is_not_shown():
    async def run():
        asking = respond(b"", "407 Who", Proxy_Authenticate='Basic realm="x"')
        async with site(page=asking) as served, guard_proxy() as (proxy, _, secret):
            return await said(proxy, f"GET {served.url}/page HTTP/1.1\r\n{secret}\r\n")

    assert asyncio.run(run()) == b""
