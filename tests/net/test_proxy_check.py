"""Proxies measured: whether a page comes through, how fast, and from which address."""

import asyncio
import socket
from contextlib import aclosing

import pytest

from swather.net.egress import Egress
from swather.net.fetcher import WebFetcher
from swather.net.proxy_check import (
    Measured,
    check_all,
    connect_to,
    exit_address,
    fetch_through,
)
from swather.testing.site import Answer, Asked, FakeSite

PAGE = "http://shop.example/"


def measured(proxy_url: str, seconds: float = 5.0) -> Measured:
    async def run() -> Measured:
        fetcher = WebFetcher()
        try:
            return await fetch_through(fetcher, Egress.through(proxy_url), PAGE, seconds)
        finally:
            await fetcher.close()

    return asyncio.run(run())


@pytest.mark.parametrize(
    ("status", "ok"),
    [(200, True), (404, True), (401, True), (403, False), (407, False), (429, False), (503, False)],
)
def test_a_proxy_works_if_the_site_serves_its_address(status, ok):
    with FakeSite({PAGE: Answer("198.51.100.7\n", status)}) as proxy:
        found = measured(proxy.url)
    assert found.ok is ok
    if status != 407:  # the proxy's own word, and no answer of the page
        assert found.status == status
    assert found.exit_address == ("198.51.100.7" if ok else "")
    assert bool(found.error) is not ok


def test_a_proxy_that_is_not_there_fails_without_its_password():
    with FakeSite({}) as gone:
        url = gone.url.replace("//", "//me:hunter2@")
    found = measured(url)
    assert not found.ok
    assert found.seconds is None
    assert found.error == "the proxy failed: Connection refused"


def test_a_proxy_that_never_answers_is_cut():
    with FakeSite({PAGE: Answer("late", seconds=30)}) as proxy:
        found = measured(proxy.url, seconds=0.2)
    assert not found.ok
    assert "0.2 s" in found.error


def test_without_a_page_only_the_connection_is_checked():
    with socket.create_server(("127.0.0.1", 0)) as silent:
        url = f"http://127.0.0.1:{silent.getsockname()[1]}"
        assert asyncio.run(connect_to(Egress.through(url), 5)).ok
    gone = asyncio.run(connect_to(Egress.through(url), 5))
    assert not gone.ok
    assert gone.error == "no connection: Connection refused"


def test_all_are_checked_a_few_at_a_time():
    running, most = 0, 0

    async def check(number: int) -> Measured:
        nonlocal running, most
        running += 1
        most = max(most, running)
        await asyncio.sleep(0)
        running -= 1
        return Measured(ok=number != 3)

    async def run() -> dict[int, bool]:
        async with aclosing(check_all(range(10), check, at_once=4)) as checks:
            return {number: result.ok async for number, result in checks}

    found = asyncio.run(run())
    assert found == {number: number != 3 for number in range(10)}
    assert most == 4


@pytest.mark.parametrize(
    ("said", "address"),
    [
        (b"198.51.100.7\n", "198.51.100.7"),
        (b'{"ip": "2001:db8::1"}', "2001:db8::1"),
        (b'{"origin": "10.0.0.1, 198.51.100.7"}', "198.51.100.7"),
        (b"<h1>Hello</h1>", ""),
        (b"[1]", ""),
        (b"7", ""),
        (b'{"ip": 7}', ""),
        (b"\xff\xfe", ""),
        (b"198.51.100.7" + b" " * 20_000, ""),
    ],
)
def test_the_address_is_what_the_page_says(said, address):
    assert exit_address(said) == address


def test_a_proxy_is_asked_as_whom_it_wants():
    def answer(asked: Asked) -> Answer:
        return Answer("", 200 if "proxy-authorization" in asked.headers else 407)

    with FakeSite({PAGE: answer}) as proxy:
        assert measured(proxy.url.replace("//", "//me:secret@")).ok
        assert not measured(proxy.url).ok
