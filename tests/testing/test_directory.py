"""The stand-in directory: what it shows, and what it says is true."""

import json

from selectolax.lexbor import LexborHTMLParser

from swather.scraping.business.key import business_key
from swather.testing.directory import PER_PAGE, directory, search_of
from tests.testing.web import asked_for

SEARCHES = [
    ("NV", city, what) for city in ("Reno", "Sparks", "Elko") for what in ("gyms", "movers")
]


def get(site, path, via=""):
    return asked_for(site.url + path, Via=f"1.1 {via}").text


def rows_on(html):
    return LexborHTMLParser(html).css("div.result")


def pages(site, search):
    """All pages that links lead to, up to 20."""
    found, path = [], search_of(search)
    while path and len(found) < 20:
        found.append(LexborHTMLParser(get(site, path)))
        link = found[-1].css_first("a.next")
        path = link.attributes["href"] if link else ""
    return found


def text(node, selector):
    found = node.css_first(selector)
    return found.text(separator=" ", strip=True) if found else ""


def test_businesses_repeat_and_the_truth_knows_how_many_there_are():
    with directory() as site:
        truth = site.truth(SEARCHES)
        shown = [page for search in SEARCHES for page in pages(site, search)]
    rows = [row for page in shown for row in page.css("div.result")]
    keys = {
        business_key(text(row, ".phones"), text(row, ".business-name"), text(row, ".adr"))
        for row in rows
        if not text(row, ".status-text")
    }
    assert len(rows) == truth.rows == site.rows_served
    assert len(keys - {None}) == len(truth.businesses) < len(rows)
    assert truth.repeated
    assert truth.closed
    assert truth.adverts


def test_a_page_past_the_end_shows_the_first_again():
    search = next(search for search in SEARCHES if directory().results(search))
    with directory() as site:
        first = [row.attributes["id"] for row in rows_on(get(site, search_of(search)))]
        past = [row.attributes["id"] for row in rows_on(get(site, f"{search_of(search)}&page=99"))]
    assert first == past
    assert 1 <= len(first) <= PER_PAGE


def test_what_is_not_found_is_said():
    with directory(states=["NV"]) as site:
        assert "No results found" in get(site, search_of(("CA", "Los Angeles", "gyms")))
        assert "No results found" in get(site, "/search")


def test_some_pages_have_json_ld_that_says_the_same():
    with directory() as site:
        found = [page for search in SEARCHES for page in pages(site, search)]
    with_data = [page for page in found if page.css_first('script[type="application/ld+json"]')]
    assert 0 < len(with_data) < len(found)
    for page in with_data:
        objects = json.loads(page.css_first('script[type="application/ld+json"]').text())
        names = [text(row, ".business-name") for row in page.css("div.result")]
        assert [each["name"] for each in objects] == names


def test_bans_hold_for_an_address_or_for_all_and_end():
    with directory() as site:
        url = site.url + search_of(SEARCHES[0])
        site.ban(403, 60, "proxy-1")
        assert asked_for(url, Via="1.1 proxy-1").status == 403
        assert asked_for(url, Via="1.1 proxy-2").status == 200
        site.ban(429, 60)
        refused = asked_for(url)
        assert (refused.status, int(refused.headers["Retry-After"]) > 50) == (429, True)
        site.ban(429, 0)
        assert asked_for(url).status == 200
        assert site.refused == {403: 1, 429: 1}


def test_another_layout_and_scripts_hide_the_rows():
    search = next(search for search in SEARCHES if directory().results(search))
    with directory(is_scripted=True) as site:
        html = get(site, search_of(search))
        assert not rows_on(html)
        assert "application/json" in html
    with directory() as site:
        site.has_new_layout = True
        html = get(site, search_of(search))
        assert not rows_on(html)
        assert "data-card" in html
