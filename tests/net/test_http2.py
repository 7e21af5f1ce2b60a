"""Where a site speaks HTTP/2, requests to it share a connection."""

import asyncio

import pytest

from swather.net.errors import ConnectionFailed, TooLarge
from swather.net.fetcher import WebFetcher
from swather.net.request import Request
from tests.net.http2 import http2_site

LARGE = bytes(range(256)) * 4_096


def fetch_all(authority, paths, client="wreq", **options):
    """The first page, then all others at the same time; the contents, and who asked for what."""
    file, context = authority

    async def run():
        fetcher = WebFetcher(client, ca_file=file, **options)
        try:
            async with http2_site(context, a=b"one", b=b"two", large=LARGE) as served:
                requests = [Request(url=f"{served.url}/{path}") for path in paths]
                first = await fetcher.fetch(requests[0])
                others = await asyncio.gather(*map(fetcher.fetch, requests[1:]))
                return [page.content for page in (first, *others)], served.connections
        finally:
            await fetcher.close()

    return asyncio.run(run())


def test_requests_at_the_same_time_share_a_connection(authority):
    contents, connections = fetch_all(authority, ["a", *["a", "b"] * 10])
    assert contents == [b"one", *[b"one", b"two"] * 10]
    assert [len(asked) for asked in connections] == [21]


def test_a_page_larger_than_a_window_comes_whole(authority):
    contents, _ = fetch_all(authority, ["large"])
    assert contents == [LARGE]


def test_a_page_that_is_too_large_is_given_up(authority):
    with pytest.raises(TooLarge):
        fetch_all(authority, ["large"], max_bytes=len(LARGE) - 1)


def test_the_other_client_fails_where_nothing_else_is_spoken(authority):
    with pytest.raises(ConnectionFailed):
        fetch_all(authority, ["a"], client="aiohttp")
