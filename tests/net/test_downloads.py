"""Downloads by both clients: a file that is complete, or an error and no file."""

import asyncio
import gzip
import hashlib
import threading
import tracemalloc
import zlib
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from swather.net.download import Download, download
from swather.net.errors import (
    BadResponse,
    ConnectionFailed,
    FetchTimeout,
    HttpStatusError,
    Refused,
    TooLarge,
    TooManyRedirects,
)
from swather.net.fetcher import WebFetcher
from swather.net.page import Page
from swather.net.request import Request
from swather.scraping.downloads import Downloads
from tests.net.fetching import RecordingPolicy, dripping, dripping_chunks, fetch, forever
from tests.net.site import respond, send, site

JPEG = b"\xff\xd8\xff\xe0" + bytes(range(256)) * 200
MB = 1 << 20


class Folder:
    """A place of its own for one file."""

    def __init__(self, folder):
        self._folder = folder

    def new_path(self):
        return self._folder / "landing"

    def open_new(self, path):
        return path.open("xb")


def downloaded(client, folder: Path, path="/a", *, of, max_bytes=None, policy=None, options=None):
    """The download of a path of a site, and its content."""

    async def run() -> tuple[Download, bytes]:
        fetcher = WebFetcher(client, **(options or {}))
        downloads = Downloads(Folder(folder), None)
        async with site(**of) as served:
            request = Request(url=served.url + path)
            given = policy or RecordingPolicy("127.0.0.1")
            try:
                made = await downloads.take(
                    lambda landing: download(fetcher, request, given, landing, max_bytes)
                )
            finally:
                await fetcher.close()
            return made, made.path.read_bytes()

    return asyncio.run(run())


def moved(to):
    return respond(b"moved", "302 Found", Location=to)


def test_a_download_is_the_file_and_what_the_site_said_of_it(client, tmp_path):
    of = {"a": moved("/b"), "b": respond(JPEG, Content_Type="image/PNG; x=y", X_Own="1")}
    policy = RecordingPolicy("127.0.0.1")
    made, content = downloaded(client, tmp_path, of=of, policy=policy)
    assert content == JPEG
    assert (made.status, made.size_bytes) == (200, len(JPEG))
    assert made.sha256 == hashlib.sha256(JPEG).hexdigest()
    assert (made.media_type, made.announced_type) == ("image/jpeg", "image/png")
    assert made.headers["x-own"] == "1"
    assert made.url.endswith("/b")
    assert [url[-2:] for url in policy.admitted] == ["/a", "/b"]


@pytest.mark.parametrize("size", [0, 1, 300_000, 3 * MB])
@pytest.mark.parametrize("packed", [False, True])
def test_bodies_of_all_sizes_arrive_whole(client, tmp_path, size, packed):
    body = bytes(n * n % 251 for n in range(1000)) * (size // 1000) + b"x" * (size % 1000)
    sent = respond(gzip.compress(body), Content_Encoding="gzip") if packed else respond(body)
    made, content = downloaded(client, tmp_path, of={"a": sent})
    assert content == body
    assert made.size_bytes == size


def test_a_large_download_takes_little_memory(client, tmp_path):
    piece = bytes(MB)

    async def large(_, writer):
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n" % (48 * MB))
        for _ in range(48):
            writer.write(piece)
            await writer.drain()

    tracemalloc.start()
    made, content = downloaded(client, tmp_path, of={"a": respond(b"x")})
    tracemalloc.reset_peak()
    before = tracemalloc.get_traced_memory()[0]

    class Counting:
        """Only counts, so that the file is not read back."""

        size = 0

        async def write(self, piece):
            self.size += len(piece)

    async def run():
        fetcher, sink = WebFetcher(client), Counting()
        async with site(a=large) as served:
            request = Request(url=f"{served.url}/a")
            await download(fetcher, request, RecordingPolicy("127.0.0.1"), sink, None)
            await fetcher.close()
        return sink.size

    assert asyncio.run(run()) == 48 * MB
    grown = tracemalloc.get_traced_memory()[1] - before
    tracemalloc.stop()
    assert (made.size_bytes, content) == (1, b"x")
    assert grown < 16 * MB


async def bomb(_, writer):
    writer.write(b"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nTransfer-Encoding: chunked\r\n\r\n")
    packer = zlib.compressobj(9, zlib.DEFLATED, 31)
    for _ in range(64):
        if packed := packer.compress(bytes(MB)):
            writer.write(b"%x\r\n%b\r\n" % (len(packed), packed))
            await writer.drain()
    packed = packer.flush()
    writer.write(b"%x\r\n%b\r\n0\r\n\r\n" % (len(packed), packed))


CUT = gzip.compress(JPEG)[:-20]
HOSTILE = {
    "truncated": (send(b"HTTP/1.1 200 OK\r\nContent-Length: 999\r\n\r\nshort", close=True),
                  ConnectionFailed),
    "truncated after a while": (
        send(b"HTTP/1.1 200 OK\r\nContent-Length: 2000000\r\n\r\n" + bytes(MB), close=True),
        ConnectionFailed),
    "cut inside of gzip": (respond(CUT, Content_Encoding="gzip"), BadResponse),
    "no gzip": (respond(b"not packed", Content_Encoding="gzip"), BadResponse),
    "too long, and says so": (respond(bytes(3 * MB)), TooLarge),
    "too long": (forever, TooLarge),
    "a bomb": (bomb, TooLarge),
    "a drip": (dripping, FetchTimeout),
    "a drip of chunks": (dripping_chunks, FetchTimeout),
    "a circle": (moved("/a"), TooManyRedirects),
    "a private address": (moved("http://10.1.2.3/x"), Refused),
}  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("case", HOSTILE)
def test_what_is_not_complete_is_an_error_and_no_file(client, tmp_path, case):
    answer, error = HOSTILE[case]
    seconds = 0.6 if error is FetchTimeout else 20
    with pytest.raises(error):
        downloaded(
            client,
            tmp_path,
            of={"a": answer},
            max_bytes=2 * MB,
            options={"timeout_seconds": seconds},
        )
    assert list(tmp_path.iterdir()) == []


def test_the_limit_of_a_download_is_its_own(client, tmp_path):
    of = {"a": respond(bytes(MB))}
    options = {"max_bytes": 1000, "max_download_bytes": MB}
    assert downloaded(client, tmp_path, of=of, options=options)[0].size_bytes == MB
    with pytest.raises(TooLarge, match="more than 1,000 bytes"):
        fetch(client, "/a", of=of, options=options)
    (tmp_path / "landing").unlink()
    with pytest.raises(TooLarge, match="more than 1,048,575 bytes"):
        downloaded(client, tmp_path, of=of, max_bytes=MB - 1, options=options)


def test_what_comes_with_an_error_is_cut_like_a_page(client, tmp_path):
    of = {"a": respond(bytes(2000), "404 Not Found")}
    made, content = downloaded(client, tmp_path, of=of)
    assert (made.status, len(content)) == (404, 2000)
    with pytest.raises(HttpStatusError, match="404"):
        made.raise_for_status()
    (tmp_path / "landing").unlink()
    with pytest.raises(TooLarge, match="more than 1,000 bytes"):
        downloaded(client, tmp_path, of=of, options={"max_bytes": 1000})


class Whole:
    """A fetcher of somebody's own, which knows nothing of downloads."""

    async def fetch(self, request, policy):
        del policy
        return Page(url=request.url, content=JPEG, raw_headers=[("content-type", "image/jpeg")])


def test_any_fetcher_can_download_what_fits_into_memory(tmp_path):
    async def run(max_bytes):
        downloads = Downloads(Folder(tmp_path), None)
        request = Request(url="http://a.example/x")
        return await downloads.take(
            lambda landing: download(Whole(), request, None, landing, max_bytes)
        )

    made = asyncio.run(run(None))
    assert made.path.read_bytes() == JPEG
    with pytest.raises(TooLarge):
        asyncio.run(run(10))


def test_a_file_that_is_still_written_when_its_download_is_cancelled_is_removed(tmp_path):
    began, let_go = threading.Event(), threading.Event()

    class Slow(Folder):
        def open_new(self, path):
            began.set()
            let_go.wait(20)
            return super().open_new(path)

    async def fetched(landing):
        await landing.write(JPEG)
        return Page(url="http://a.example/x")

    async def run(executor):
        taking = asyncio.create_task(Downloads(Slow(tmp_path), executor).take(fetched))
        await asyncio.to_thread(began.wait, 20)
        taking.cancel()
        with pytest.raises(asyncio.CancelledError):
            await taking
        let_go.set()

    with ThreadPoolExecutor(1) as executor:
        asyncio.run(run(executor))
    assert list(tmp_path.iterdir()) == []
