"""Fetching from a real server: pages, redirects, limits, and every way in which it can fail."""

import asyncio
import gzip
import inspect
import socket

import pytest

from swather import __version__
from swather.errors import InputError
from swather.net import fetcher as fetcher_module
from swather.net.errors import (
    BadResponse,
    ConnectionFailed,
    FetchTimeout,
    ProxyFailed,
    TooLarge,
    TooManyRedirects,
)
from swather.net.fetcher import Fetcher, WreqFetcher
from swather.net.request import Request
from tests.net.site import respond, send, site


async def forever(_, writer):
    writer.write(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")
    while True:
        writer.write(b"10000\r\n" + b"x" * 0x10000 + b"\r\n")
        await writer.drain()


async def dripping(_, writer):
    writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n")
    while True:
        writer.write(b"x")
        await writer.drain()
        await asyncio.sleep(0.02)


async def silent(_, writer):
    await asyncio.Event().wait()


async def resetting(_, writer):
    writer.transport.abort()


def fetch(path, *, of, fetcher=None, **fields):
    """Serve `of`, fetch one path of it, and give the page and what the site was asked."""

    async def run():
        client = fetcher or WreqFetcher()
        async with site(**of) as served:
            try:
                page = await client.fetch(Request(url=served.url + path, **fields))
            finally:
                await client.close()
            return page, served

    return asyncio.run(run())


def test_a_page_comes_with_status_headers_and_content():
    page, served = fetch(
        "/a", of={"a": respond("Köln".encode(), "203 Ok", Content_Type="text/plain", X_Odd="é")}
    )
    assert (page.status, page.text, page.url) == (203, "Köln", f"{served.url}/a")
    assert page.headers["content-type"] == "text/plain"
    assert page.headers["X-Odd"] == "é"


def test_we_say_who_we_are():
    _, served = fetch("/a", of={"a": respond()})
    assert served.asked[0].headers["user-agent"] == f"swather/{__version__}"


def test_a_request_carries_its_method_headers_query_and_body():
    _, served = fetch(
        "/a?x=1", of={"a": respond()},
        method="PUT", headers={"X-Mine": "yes"}, params={"q": "ü b"}, body=b"{}",
    )  # fmt: skip
    asked = served.asked[0]
    assert (asked.method, asked.path, asked.body) == ("PUT", "/a?x=1&q=%C3%BC+b", b"{}")
    assert asked.headers["x-mine"] == "yes"


def test_redirects_are_followed_and_the_page_knows_where_it_came_from():
    page, served = fetch(
        "/a", of={"a": respond(b"", "302 Found", Location="/b"), "b": respond(b"B")}
    )
    assert (page.content, page.url) == (b"B", f"{served.url}/b")


def test_a_circle_of_redirects_ends():
    with pytest.raises(TooManyRedirects, match="/a leads from one redirect to another"):
        fetch("/a", of={"a": respond(b"", "302 Found", Location="/a")})


def test_a_redirect_to_a_file_is_not_followed():
    with pytest.raises(BadResponse, match="leads to 'file:///etc/passwd', which is no web page"):
        fetch("/a", of={"a": respond(b"", "302 Found", Location="file:///etc/passwd")})


def test_a_redirect_that_leads_nowhere_is_a_page():
    page, _ = fetch("/a", of={"a": respond(b"?", "302 Found")})
    assert (page.status, page.content) == (302, b"?")


def test_an_error_status_is_a_page_too():
    page, _ = fetch("/a", of={"a": respond(b"no", "404 Not Found")})
    assert (page.status, page.content) == (404, b"no")


def test_packed_content_is_unpacked():
    packed = gzip.compress(b"x" * 10_000)
    page, _ = fetch("/a", of={"a": respond(packed, Content_Encoding="gzip")})
    assert page.content == b"x" * 10_000


@pytest.mark.parametrize(
    "answer",
    [
        respond(b"x" * 100_001),
        respond(gzip.compress(b"x" * 5_000_000), Content_Encoding="gzip"),
        forever,
    ],
    ids=["announced", "packed", "endless"],
)
def test_an_answer_that_is_too_large_is_not_taken(answer):
    with pytest.raises(TooLarge, match="more than 100,000 bytes"):
        fetch("/a", of={"a": answer}, fetcher=WreqFetcher(max_bytes=100_000))


def test_the_largest_answer_is_taken_whole():
    page, _ = fetch("/a", of={"a": respond(b"x" * 100_000)}, fetcher=WreqFetcher(max_bytes=100_000))
    assert len(page.content) == 100_000


@pytest.mark.parametrize("answer", [silent, dripping], ids=["silent", "dripping"])
def test_an_answer_that_takes_too_long_is_given_up(answer):
    with pytest.raises(FetchTimeout, match=r"no complete answer from .*/a within 0\.2 s"):
        fetch("/a", of={"a": answer}, timeout=0.2)


@pytest.mark.parametrize(
    ("answer", "error", "told"),
    [
        (resetting, ConnectionFailed, ""),
        (send(b"", close=True), ConnectionFailed, ": it was closed before the answer"),
        (
            send(b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nabc", close=True),
            ConnectionFailed,
            ": it was closed in the middle of the answer",
        ),
        (send(b"SSH-2.0-OpenSSH\r\n\r\n", close=True), ConnectionFailed, "does not speak HTTP"),
        (respond(b"no gzip", Content_Encoding="gzip"), BadResponse, "cannot be decoded"),
    ],
    ids=["reset", "closed", "cut", "not HTTP", "not gzip"],
)
def test_a_broken_answer_is_told_by_its_kind(answer, error, told):
    with pytest.raises(error, match="/a") as raised:
        fetch("/a", of={"a": answer})
    assert told in str(raised.value)


def test_nobody_there_is_told_with_the_reason():
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
    with pytest.raises(ConnectionFailed, match=r"failed: Connection refused"):
        asyncio.run(WreqFetcher().fetch(Request(url=f"http://127.0.0.1:{port}/")))


@pytest.mark.parametrize("url", ["http://[::1", "http://a b/", "http://"])
def test_a_url_that_cannot_be_requested_is_refused(url):
    with pytest.raises(InputError, match="cannot be requested"):
        asyncio.run(WreqFetcher().fetch(Request(url=url)))


def test_a_method_that_does_not_exist_is_refused():
    with pytest.raises(InputError, match="no HTTP method 'FETCH'"):
        asyncio.run(WreqFetcher().fetch(Request(url="http://127.0.0.1/", method="FETCH")))


def test_a_dead_proxy_is_not_the_sites_fault():
    error = fetcher_module._told(
        type("ProxyConnectionError", (Exception,), {})('message: "Connection refused"'),
        "http://example.com/",
        1.0,
    )
    assert isinstance(error, ProxyFailed)


def test_a_password_in_the_url_is_not_shown():
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
    with pytest.raises(ConnectionFailed) as raised:
        asyncio.run(WreqFetcher().fetch(Request(url=f"http://me:secret@127.0.0.1:{port}/")))
    assert "secret" not in str(raised.value)


def test_a_fetch_can_be_cancelled():
    async def run():
        asked = asyncio.Event()

        async def never(_, writer):
            asked.set()
            await asyncio.Event().wait()

        async with site(a=never) as served:
            client = WreqFetcher()
            fetching = asyncio.create_task(client.fetch(Request(url=f"{served.url}/a")))
            await asked.wait()
            fetching.cancel()
            with pytest.raises(asyncio.CancelledError):
                await fetching

    asyncio.run(run())


def test_one_fetcher_serves_many_at_once_over_kept_connections():
    async def run():
        client = WreqFetcher()
        async with site(a=respond(b"x")) as served:
            request = Request(url=f"{served.url}/a")
            for _ in range(3):
                pages = await asyncio.gather(*(client.fetch(request) for _ in range(20)))
                assert all(page.content == b"x" for page in pages)
            await client.close()
            assert len(served.asked) == 60

    asyncio.run(run())


def test_it_has_every_verb_of_a_fetcher():
    for name, verb in inspect.getmembers(Fetcher, inspect.isfunction):
        if not name.startswith("_"):
            assert inspect.signature(getattr(WreqFetcher, name)) == inspect.signature(verb)
