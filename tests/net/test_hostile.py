"""Sites that mean harm: what they send is bounded, has a name, and takes no memory."""

import asyncio
import time
import zlib
from pathlib import Path

import pytest

from swather.net.errors import BadResponse, ConnectionFailed, FetchTimeout, TooLarge
from swather.net.fetcher import WebFetcher
from swather.net.request import Request
from swather.scraping.classify import classify
from tests.net.fetching import RecordingPolicy, forever
from tests.net.site import respond, send, site

pytestmark = pytest.mark.slow

MB = 1 << 20
MAX_GROWTH_BYTES = 150 * MB


def resident_bytes():
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * 4096


def attacked_by(client, answer, error, **options):
    """How a fetch of a hostile page ended, and how much memory it took at most."""

    async def run():
        fetcher = WebFetcher(client, **{"timeout_seconds": 20, **options})
        policy = RecordingPolicy("127.0.0.1")
        async with site(a=answer, fine=respond(b"fine")) as served:
            await fetcher.fetch(Request(url=f"{served.url}/fine"))
            before = resident_bytes()
            watching = asyncio.create_task(_most())
            with pytest.raises(error) as raised:
                await fetcher.fetch(Request(url=f"{served.url}/a"), policy)
            watching.cancel()
            grown = max(watching_peak.pop(), resident_bytes()) - before
            # It goes on working.
            page = await fetcher.fetch(Request(url=f"{served.url}/fine"))
            assert page.content == b"fine"
            await fetcher.close()
        assert [kind for _, kind in policy.failures] == [type(raised.value)]
        return raised.value, grown

    watching_peak = [0]

    async def _most():
        while True:
            watching_peak[0] = max(watching_peak[0], resident_bytes())
            await asyncio.sleep(0.01)

    told, grown = asyncio.run(run())
    assert grown < MAX_GROWTH_BYTES
    return told


async def bomb(_, writer):
    """Ten gigabytes of zeros in ten megabytes of gzip, made as they are sent."""
    writer.write(b"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nTransfer-Encoding: chunked\r\n\r\n")
    packer = zlib.compressobj(9, zlib.DEFLATED, 31)
    zeros = bytes(MB)
    for _ in range(10_000):
        if packed := packer.compress(zeros):
            writer.write(b"%x\r\n%b\r\n" % (len(packed), packed))
            await writer.drain()
        await asyncio.sleep(0)
    packed = packer.flush()
    writer.write(b"%x\r\n%b\r\n0\r\n\r\n" % (len(packed), packed))


async def endless_nothing(_, writer):
    """Empty members of gzip, one after the other: much comes in, nothing comes out."""
    writer.write(b"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nTransfer-Encoding: chunked\r\n\r\n")
    empty = zlib.compressobj(9, zlib.DEFLATED, 31).flush() * 2_000
    while True:
        writer.write(b"%x\r\n%b\r\n" % (len(empty), empty))
        await writer.drain()


def test_a_bomb_of_ten_gigabytes(client):
    told = attacked_by(client, bomb, TooLarge)
    assert "times when decompressed" in str(told)
    assert classify(told).reason == "too_large"


def test_a_bomb_is_bounded_in_bytes_where_its_ratio_is_not(client):
    told = attacked_by(client, bomb, TooLarge, max_ratio=10_000.0)
    assert "more than 33,554,432 bytes" in str(told)


def test_a_bomb_within_a_bomb(client):
    inner = zlib.compressobj(9, zlib.DEFLATED, 31)
    packed = b"".join([inner.compress(bytes(MB)) for _ in range(60)]) + inner.flush()
    outer = zlib.compressobj(9, zlib.DEFLATED, 31)
    twice = outer.compress(packed) + outer.flush()
    assert len(twice) < 10_000
    told = attacked_by(client, respond(twice, Content_Encoding="gzip, gzip"), TooLarge)
    assert "times when decompressed" in str(told)


def test_an_endless_body(client):
    told = attacked_by(client, forever, TooLarge)
    assert "more than 33,554,432 bytes" in str(told)


def test_an_endless_body_that_unpacks_to_nothing(client):
    told = attacked_by(client, endless_nothing, TooLarge, max_bytes=2 * MB)
    assert "more than 2,097,152 bytes" in str(told)


@pytest.mark.parametrize("announced", [b"Content-Length: 60", b"Transfer-Encoding: chunked"])
def test_one_byte_per_second(client, announced):
    async def drip(_, writer):
        writer.write(b"HTTP/1.1 200 OK\r\n%b\r\n\r\n" % announced)
        while True:
            writer.write(b"1\r\nx\r\n" if b"chunked" in announced else b"x")
            await writer.drain()
            await asyncio.sleep(1)

    began = time.monotonic()
    told = attacked_by(client, drip, FetchTimeout, timeout_seconds=2.5)
    assert 2 < time.monotonic() - began < 10
    assert str(classify(told).fault.error_class) == "timeout"


def test_a_length_that_is_announced_but_does_not_come(client):
    answer = send(b"HTTP/1.1 200 OK\r\nContent-Length: 30000000\r\n\r\nshort", close=True)
    told = attacked_by(client, answer, ConnectionFailed)
    assert "closed in the middle of the answer" in str(told)
    assert str(classify(told).fault.error_class) == "transient"


def test_a_length_that_nobody_would_take(client):
    answer = send(b"HTTP/1.1 200 OK\r\nContent-Length: 99999999999999\r\n\r\nshort")
    told = attacked_by(client, answer, TooLarge)
    assert "more than 33,554,432 bytes" in str(told)


def test_more_than_was_announced_is_not_taken_for_the_next_answer(client):
    async def run():
        fetcher = WebFetcher(client)
        smuggled = b"HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nevil"
        async with site(
            a=send(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok" + smuggled),
            b=respond(b"good"),
        ) as served:
            first = await fetcher.fetch(Request(url=f"{served.url}/a"))
            await asyncio.sleep(0.05)
            second = await fetcher.fetch(Request(url=f"{served.url}/b"))
            await fetcher.close()
            return first.content, second.content

    assert asyncio.run(run()) == (b"ok", b"good")


def test_two_lengths_that_differ(client):
    answer = send(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\nabc")
    attacked_by(client, answer, ConnectionFailed)


async def one_large_header(_, writer):
    writer.write(b"HTTP/1.1 200 OK\r\nX: " + b"x" * 1_000_000 + b"\r\nContent-Length: 0\r\n\r\n")
    await writer.drain()


async def many_headers(_, writer):
    lines = b"".join(b"X-%d: %b\r\n" % (number, b"x" * 90) for number in range(10_000))
    writer.write(b"HTTP/1.1 200 OK\r\n" + lines + b"Content-Length: 0\r\n\r\n")
    await writer.drain()


async def endless_header(_, writer):
    writer.write(b"HTTP/1.1 200 OK\r\nX: ")
    while True:
        writer.write(b"x" * 65_536)
        await writer.drain()


@pytest.mark.parametrize("answer", [one_large_header, many_headers, endless_header])
def test_a_million_bytes_of_headers(client, answer):
    told = attacked_by(client, answer, TooLarge)
    assert "the headers of" in str(told)


async def many_interim_answers(_, writer):
    while True:
        writer.write(b"HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n" * 1_000)
        await writer.drain()


def test_interim_answers_without_an_end(client):
    attacked_by(client, many_interim_answers, FetchTimeout, timeout_seconds=1.5)


def test_a_chunk_of_a_size_that_does_not_exist(client):
    head = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
    answer = send(head + b"ffffffffffffffffff\r\nabc", close=True)
    told = attacked_by(client, answer, (ConnectionFailed, BadResponse))
    assert str(classify(told).fault.error_class) == "transient"
