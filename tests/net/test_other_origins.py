"""What of a request a redirect takes to another origin, and what stays behind."""

import asyncio

import pytest

from swather.net.errors import Unencrypted, UntrustedRedirect
from swather.net.fetcher import WebFetcher
from swather.net.redirects import check_encrypted
from swather.net.request import Request
from swather.scraping.classify import classify
from tests.net.fetching import fake_dns
from tests.net.site import respond, site

SECRETS = {"X-Api-Key": "k", "Authorization": "Bearer t", "Cookie": "a=1", "Referer": "https://i/"}
HARMLESS = {"User-Agent": "mine/1", "Accept-Language": "de", "If-None-Match": '"1"'}


def found(location, status="302 Found"):
    return respond(b"", status, Location=location)


def sent_to_another(client, status="302 Found", *, tls=None, ca_file=None, **fields):
    """The requests that reach another origin, after a redirect of this status leads there."""

    async def run():
        fetcher = WebFetcher(client, ca_file=ca_file)
        async with site(b=respond()) as another, site(tls=tls) as served:
            served.pages["/a"] = found(f"{another.url}/b", status)
            try:
                await fetcher.fetch(Request(url=f"{served.url}/a", **fields))
            except UntrustedRedirect:
                assert another.asked == []
                raise
            finally:
                await fetcher.close()
            return another.asked

    return asyncio.run(run())


def test_another_origin_gets_none_of_the_headers_that_were_given(client):
    (asked,) = sent_to_another(client, headers={**SECRETS, **HARMLESS})
    assert not {name.lower() for name in SECRETS} & asked.headers.keys()


def test_what_says_how_to_answer_goes_along(client):
    (asked,) = sent_to_another(client, headers=HARMLESS)
    assert {name: asked.headers[name.lower()] for name in HARMLESS} == HARMLESS


def test_headers_go_to_another_origin_when_that_is_asked_for(client):
    (asked,) = sent_to_another(client, headers=SECRETS, trust_redirects=True)
    assert (asked.headers["x-api-key"], asked.headers["authorization"]) == ("k", "bearer t")


def test_what_was_left_behind_does_not_come_back(client):
    async def run():
        fetcher = WebFetcher(client)
        async with site(c=respond()) as served, site() as another:
            served.pages["/a"] = found(f"{another.url}/b")
            another.pages["/b"] = found(f"{served.url}/c")
            await fetcher.fetch(Request(url=f"{served.url}/a", headers=SECRETS))
            await fetcher.close()
            return served.asked[-1]

    asked = asyncio.run(run())
    assert asked.path == "/c"
    assert "x-api-key" not in asked.headers


@pytest.mark.parametrize("status", ["307 Temporary Redirect", "308 Permanent Redirect"])
@pytest.mark.parametrize("method", ["POST", "PUT"])
def test_a_body_is_not_sent_to_another_origin(client, status, method):
    with pytest.raises(UntrustedRedirect, match="trust_redirects=True") as raised:
        sent_to_another(client, status, method=method, body=b"secret")
    assert "secret" not in str(raised.value)
    known = classify(raised.value)
    assert (known.fault.error_class, known.reason) == ("permanent", "cross_origin")


@pytest.mark.parametrize("status", ["307 Temporary Redirect", "308 Permanent Redirect"])
def test_a_body_goes_to_another_origin_when_that_is_asked_for(client, status):
    headers = {"Content-Type": "text/plain", "X-Api-Key": "k"}
    fields = {"method": "POST", "body": b"data", "headers": headers, "trust_redirects": True}
    (asked,) = sent_to_another(client, status, **fields)
    assert (asked.method, asked.body, asked.headers["x-api-key"]) == ("POST", b"data", "k")
    assert asked.headers["content-type"] == "text/plain"


def test_a_post_that_becomes_a_get_needs_no_trust(client):
    (asked,) = sent_to_another(client, "303 See Other", method="POST", body=b"data")
    assert (asked.method, asked.body) == ("GET", b"")


def test_nothing_goes_from_https_to_http_even_when_redirects_are_trusted(client, authority):
    ca_file, context = authority
    secure = {"tls": context, "ca_file": ca_file, "trust_redirects": True}
    (asked,) = sent_to_another(client, headers=SECRETS, **secure)
    assert "x-api-key" not in asked.headers
    with pytest.raises(UntrustedRedirect, match="unencrypted"):
        sent_to_another(client, "307 Temporary Redirect", method="POST", body=b"x", **secure)


def test_a_request_that_must_be_encrypted_is_not_sent_over_http(client):
    dns = fake_dns()

    async def run():
        fetcher = WebFetcher(client, resolve=dns)
        try:
            await fetcher.fetch(Request(url="http://club.example:1/").over_https())
        finally:
            await fetcher.close()

    with pytest.raises(Unencrypted, match=r"http://club\.example:1 is not encrypted") as raised:
        asyncio.run(run())
    assert classify(raised.value).reason == "unencrypted"
    assert dns.asked == []


def test_an_onion_address_is_encrypted_by_tor():
    check_encrypted(f"http://{'a' * 56}.onion/login")


def test_nor_is_it_redirected_to_http(client, authority):
    ca_file, context = authority

    async def run(lead_to):
        async with site(tls=context, b=respond()) as served, site(b=respond()) as another:
            served.pages["/a"] = found(lead_to(another.url) + "/b")
            fetcher = WebFetcher(
                client, ca_file=ca_file, resolve=fake_dns(club_example=["127.0.0.1"])
            )
            try:
                await fetcher.fetch(Request(url=f"{served.url}/a").over_https())
            finally:
                await fetcher.close()
                assert another.asked == []

    for lead_to in (lambda url: url, lambda url: url.replace("127.0.0.1", "club.example")):
        with pytest.raises(Unencrypted):
            asyncio.run(run(lead_to))


def test_a_host_of_a_local_network_needs_no_encryption(client):
    async def run():
        async with site(a=respond()) as served:
            fetcher = WebFetcher(client)
            page = await fetcher.fetch(Request(url=f"{served.url}/a").over_https())
            await fetcher.close()
            return page.status

    assert asyncio.run(run()) == 200
