"""Redirects, hop by hop, and what of a request goes along."""

import asyncio

import pytest

from swather.net.errors import TooManyRedirects, UnusableURL
from swather.net.fetcher import WebFetcher
from swather.net.request import Request
from swather.scraping.classify import classify
from tests.net.fetching import RecordingPolicy, fake_dns, fetch
from tests.net.site import respond, send, site

SECRETS = {"Authorization": "Bearer t", "Cookie": "a=1", "X-Mine": "yes"}


def found(location, status="302 Found"):
    return respond(b"", status, Location=location)


def test_redirects_are_followed_and_the_page_knows_where_it_came_from(client):
    page, served = fetch(client, "/a", of={"a": found("/b"), "b": respond(b"B")})
    assert (page.content, page.url) == (b"B", f"{served.url}/b")


@pytest.mark.parametrize(
    ("location", "path"),
    [
        ("b", "/x/b"), ("../b", "/b"), ("?q=1", "/x/a?q=1"), ("/b#part", "/b"), (" /b ", "/b"),
        ("/stra\xc3\x9fe", "/stra%C3%9Fe"), ("/a b", "/a%20b"),
    ],
)  # fmt: skip
def test_a_location_is_read_as_browsers_read_it(client, location, path):
    async def run():
        fetcher = WebFetcher(client)
        async with site() as served:
            served.pages["/x/a"] = found(location)
            served.pages[path.partition("?")[0]] = served.pages.get(path, respond(b"here"))
            if "?" in path:
                served.pages["/x/a"] = _first_then(found(location), respond(b"here"))
            page = await fetcher.fetch(Request(url=f"{served.url}/x/a"))
            await fetcher.close()
            return page, served

    page, served = asyncio.run(run())
    assert page.content == b"here"
    assert served.asked[-1].path == path


def _first_then(first, then):
    answers = [first]

    async def answer(asked, writer):
        await (answers.pop() if answers else then)(asked, writer)

    return answer


def test_a_circle_of_redirects_ends(client):
    policy = RecordingPolicy("127.0.0.1")
    with pytest.raises(TooManyRedirects, match="/a redirects more than") as raised:
        fetch(client, "/a", of={"a": found("/b"), "b": found("/a")}, policy=policy)
    assert len(policy.admitted) == 11
    assert classify(raised.value).reason == "redirects"


def test_as_many_redirects_as_are_allowed_are_followed(client):
    pages = {"a": found("/b"), "b": found("/c"), "c": respond(b"C")}
    page, _ = fetch(client, "/a", of=pages, options={"max_redirects": 2})
    assert page.content == b"C"
    with pytest.raises(TooManyRedirects, match="more than 1 times"):
        fetch(client, "/a", of=pages, options={"max_redirects": 1})


def test_a_redirect_to_a_file_is_not_followed(client):
    with pytest.raises(
        UnusableURL, match="redirects to 'file:///etc/passwd', which is not a web page"
    ):
        fetch(client, "/a", of={"a": found("file:///etc/passwd")})


def test_a_redirect_that_leads_nowhere_is_a_page(client):
    page, _ = fetch(client, "/a", of={"a": respond(b"?", "302 Found")})
    assert (page.status, page.content) == (302, b"?")


@pytest.mark.parametrize(
    ("status", "method", "followed_by"),
    [
        ("301 Moved", "POST", "GET"), ("302 Found", "POST", "GET"),
        ("303 See Other", "POST", "GET"),
        ("307 Temporary", "POST", "POST"), ("308 Permanent", "POST", "POST"),
        ("301 Moved", "PUT", "PUT"), ("303 See Other", "PUT", "GET"),
        ("303 See Other", "HEAD", "HEAD"), ("302 Found", "HEAD", "HEAD"),
    ],
)  # fmt: skip
def test_the_method_changes_only_where_browsers_change_it(client, status, method, followed_by):
    body = None if method == "HEAD" else b"data"
    answer = send(b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
    _, served = fetch(
        client, "/a", of={"a": found("/b", status), "b": answer}, method=method, body=body,
        headers={"Content-Type": "text/plain", "X-Mine": "yes"},
    )  # fmt: skip
    last = served.asked[-1]
    assert last.method == followed_by
    kept = followed_by == method and body is not None
    assert last.body == (body if kept else b"")
    assert last.headers["x-mine"] == "yes"
    if followed_by == "GET":
        assert "content-type" not in last.headers


def headers_after(client, change):
    """The headers with which a redirect to another place is followed."""

    async def run():
        dns = fake_dns(other_example=["127.0.0.1"], shop_example=["127.0.0.1"])
        fetcher = WebFetcher(client, resolve=dns)
        async with site(b=respond()) as served, site(b=respond()) as another:
            base = served.url.replace("127.0.0.1", "shop.example")
            served.pages["/a"] = found(change(base, another.url))
            await fetcher.fetch(Request(url=f"{base}/a", headers=SECRETS))
            await fetcher.close()
            return (another.asked or served.asked)[-1].headers

    return asyncio.run(run())


def test_the_same_place_is_told_everything(client):
    headers = headers_after(client, lambda base, _: base.replace("shop", "SHOP") + "/b")
    assert headers["authorization"] == "bearer t"
    assert headers["cookie"] == "a=1"
    assert headers["x-mine"] == "yes"


@pytest.mark.parametrize(
    "change",
    [
        lambda base, _: base.replace("shop.example", "other.example") + "/b",
        lambda _, another: another.replace("127.0.0.1", "shop.example") + "/b",
    ],
    ids=["another host", "another port"],
)
def test_another_place_is_told_no_secrets(client, change):
    headers = headers_after(client, change)
    assert "authorization" not in headers
    assert "cookie" not in headers
    assert "x-mine" not in headers


def test_a_password_in_the_url_does_not_go_to_another_place(client):
    async def run():
        fetcher = WebFetcher(client)
        async with site(b=respond()) as served, site(b=respond()) as another:
            served.pages["/a"] = found(f"{another.url}/b")
            await fetcher.fetch(Request(url=served.url.replace("//", "//me:secret@") + "/a"))
            await fetcher.close()
            return served, another

    served, another = asyncio.run(run())
    assert "authorization" in served.asked[0].headers
    assert "authorization" not in another.asked[0].headers


def test_a_password_in_the_url_stays_for_the_same_place(client):
    async def run():
        fetcher = WebFetcher(client)
        async with site(a=found("/b"), b=respond()) as served:
            await fetcher.fetch(Request(url=served.url.replace("//", "//me:secret@") + "/a"))
            await fetcher.close()
            return served

    assert all("authorization" in asked.headers for asked in asyncio.run(run()).asked)
