"""A login over the wire: a password goes over https, and to the site whose form it is."""

import asyncio

import pytest

from swather.errors import Permanent
from swather.net.fetcher import WebFetcher
from swather.scraping.scraper import scraper
from tests.net.fetching import fake_dns
from tests.net.site import respond, site
from tests.scraping.attempts import FakeVerbs, context

FORM = b"<form method=post action=/in><input name=user><input name=pass type=password></form>"
FIELDS = {"user": "ada", "pass": "s3cret"}


@scraper(session="run")
async def members(ctx, target): ...


def found(location, status="302 Found"):
    return respond(b"", status, Location=location)


def login(authority, pages, *, to="{secure}/login"):
    """Log in at a site with these pages, over https and over http; what was sent, and the error.
    In `pages` and `to`, {secure}, {open} and {local} stand for the site's addresses.
    """
    ca_file, tls = authority

    async def run():
        fetcher = WebFetcher(ca_file=ca_file, resolve=fake_dns(club_example=["127.0.0.1"]))
        verbs = FakeVerbs()
        verbs.fetch = fetcher.fetch
        async with site(tls=tls) as secure, site() as plain:
            places = {
                "secure": secure.url,
                "open": plain.url.replace("127.0.0.1", "club.example"),
                "local": plain.url,
            }
            for path, answer in pages.items():
                filled = (
                    answer if callable(answer) else found(*(a.format(**places) for a in answer))
                )
                secure.pages[path] = plain.pages[path] = filled
            error = None
            try:
                await context(of=members, verbs=verbs).login(to.format(**places), FIELDS)
            except Permanent as raised:
                error = raised
            await fetcher.close()
            return secure.asked, plain.asked, error

    return asyncio.run(run())


def refused(authority, pages, **options):
    _, plain, error = login(authority, pages, **options)
    assert error is not None
    assert error.reason == "login_failed"
    assert "s3cret" not in str(error)
    assert not any(b"s3cret" in asked.body for asked in plain)
    return str(error)


def test_a_page_that_comes_over_http_gets_no_password(authority):
    pages = {"/login": respond(FORM), "/in": respond(b"in")}
    error = refused(authority, pages, to="{open}/login")
    assert "is not encrypted: use https; only hosts on a local network may use http" in error


def test_a_form_that_leads_to_http_gets_no_password(authority):
    form = FORM.replace(b"/in", b"http://club.example/in")
    assert "unencrypted" in refused(authority, {"/login": respond(form)})


@pytest.mark.parametrize("way", ["{open}", "{local}"])
def test_a_way_to_the_form_over_http_is_not_taken(authority, way):
    pages = {"/login": [f"{way}/on"], "/on": ["{secure}/form"], "/form": respond(FORM)}
    assert "https" in refused(authority, pages)


@pytest.mark.parametrize("way", ["{open}", "{local}"])
def test_a_login_that_leads_on_to_http_fails(authority, way):
    pages = {"/login": respond(FORM), "/in": [f"{way}/home"], "/home": respond(b"in")}
    assert "https" in refused(authority, pages)


def test_a_password_is_not_sent_on_to_another_site(authority):
    pages = {"/login": respond(FORM), "/in": ["{secure}/take", "307 Temporary Redirect"]}
    secure, _, error = login(authority, pages, to="{local}/login")
    assert "redirected to another site" in str(error)
    assert secure == []


@pytest.mark.parametrize("to", ["{secure}/login", "{local}/login"])
def test_https_and_a_local_network_are_fine(authority, to):
    pages = {"/login": respond(FORM), "/in": respond(b"in")}
    secure, plain, error = login(authority, pages, to=to)
    assert error is None
    assert b"s3cret" in (secure or plain)[-1].body
