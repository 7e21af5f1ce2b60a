"""Settings that say how pages are fetched, as a real fetch shows them."""

import asyncio

import pytest

from swather import settings_sources
from swather.errors import BadSetting
from swather.net.aiohttp_client import AiohttpClient
from swather.net.errors import FetchTimeout, TooLarge, TooManyRedirects
from swather.net.request import Request
from swather.runs.fetching import new_fetcher
from tests.net.fetching import silent
from tests.net.site import respond, site

PAGES = {
    "a": respond(b"x" * 1000),
    "r": respond(b"", "302 Found", Location="/a"),
    "silent": silent,
}


def fetch(path, tmp_path, **options):
    async def run():
        fetcher = new_fetcher(settings_sources.read(options, folder=tmp_path).settings)
        async with site(**PAGES) as served:
            try:
                await fetcher.fetch(Request(url=served.url + path))
            finally:
                await fetcher.close()
            return fetcher, served

    return asyncio.run(run())


def test_user_agent(tmp_path):
    _, served = fetch("/a", tmp_path, user_agent="shopbot/2 (+https://me.example)")
    assert served.asked[0].headers["user-agent"] == "shopbot/2 (+https://me.example)"


def test_http_client(tmp_path):
    fetcher, _ = fetch("/a", tmp_path, http_client="aiohttp")
    assert isinstance(fetcher._client, AiohttpClient)


@pytest.mark.parametrize(
    ("path", "options", "error"),
    [
        ("/a", {"max_page_bytes": 999}, TooLarge),
        ("/r", {"max_redirects": 0}, TooManyRedirects),
        ("/silent", {"request_timeout": 0.2}, FetchTimeout),
        ("/silent", {"read_timeout": 0.2}, FetchTimeout),
    ],
    ids=["max_page_bytes", "max_redirects", "request_timeout", "read_timeout"],
)
def test_limits(tmp_path, path, options, error):
    with pytest.raises(error):
        fetch(path, tmp_path, **options)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("http_client", "curl"), ("max_page_bytes", 0), ("max_redirects", -1),
        ("connect_timeout", 0), ("read_timeout", -1), ("user_agent", ""),
    ],
)  # fmt: skip
def test_bad_values_are_refused(tmp_path, name, value):
    with pytest.raises(BadSetting, match=name):
        settings_sources.read({name: value}, folder=tmp_path)
