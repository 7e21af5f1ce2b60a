"""Listings of a stand-in directory: each business once, through proxies that are banned."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from swather.builtin.listings.scraper import SITE_FILE
from swather.builtin.listings.us_cities import cities
from swather.errors import Permanent
from swather.scraping.site import load, scraper_of
from swather.testing import run_scraper
from swather.testing.directory import PER_PAGE, Directory, directory
from swather.testing.proxies import LocalProxies
from tests.cli.conftest import *  # noqa: F403 - its fixtures
from tests.cli.conftest import Swather, done
from tests.testing.web import asked_for

HOST = "directory.example"
STATES = ("DC", "NV", "RI")
LEAST = 70_000


def site_file(base: str, *options: str) -> str:
    """The one that ships, for another address, and as fast as the stand-in can answer."""
    text = SITE_FILE.read_text().replace("https://www.yellowpages.com", base)
    text = text.replace('name = "listings"', 'name = "directory"')
    text = text.replace('rate = "30/min"', 'rate = "none"').replace(
        "in_flight = 2", "in_flight = 8"
    )
    return text + "".join(f"{option}\n" for option in options)


@pytest.fixture
def site() -> Iterator[Directory]:
    with directory() as served:
        yield served


def searches(*categories: str) -> list[tuple[str, str, str]]:
    return [
        (city.state, city.name, category)
        for city in cities(STATES)
        if city.population >= LEAST
        for category in categories
    ]


def ids(rows) -> list[int]:
    return [int(row["url"].rpartition("/")[2]) for row in rows]


@pytest.mark.slow
def test_every_business_comes_once_with_several_workers_and_banned_proxies(
    started: Swather, database: str, site: Directory
):
    truth = site.truth(searches("gyms", "movers"))
    with LocalProxies(6, hosts={HOST: site.url}) as proxies:
        Path("proxies.txt").write_text("\n".join(proxies.urls))
        done(started, "proxies", "import", "proxies.txt", "--db", database)
        Path("directory.toml").write_text(site_file(f"http://{HOST}", "proxies = true"))
        site.ban(403, 1e9, "proxy-1")
        site.ban(429, 1.0, "proxy-2")
        chosen = ["--states", ",".join(STATES), "--categories", "gyms,movers"]
        chosen += ["--min-population", str(LEAST), "--workers", "3", "--db", database]
        ran = done(started, "run", "directory.toml", *chosen, "--json").data
    counts = ran["counts"]
    assert counts["failed"] == 0
    assert site.refused[403]
    rows = [json.loads(line) for line in Path("directory.jsonl").read_text().splitlines()]
    assert sorted(ids(rows)) == sorted(truth.businesses)
    assert counts["rejected"] == {
        "repeated_page": truth.repeated, "closed": truth.closed, "no_key": truth.adverts
    }  # fmt: skip
    seen = counts["items"] + counts["duplicates"] + sum(counts["rejected"].values())
    assert seen == truth.rows == site.rows_served
    assert {row["status"] for row in rows} == {None}


def scraped(site: Directory, search: tuple[str, str, str], *options: str, **how):
    """The first page of one search."""
    made = scraper_of(load(site_file(site.url, *options)))
    target = dict(zip(("state", "city", "category"), search, strict=True))
    url = made.site.url_of(target)
    pages = None if how else {url: asked_for(url).text}
    return run_scraper(made, target, pages=pages, **how)


@pytest.mark.parametrize("remainder", [0, 1], ids=["json_ld", "markup"])
def test_json_ld_and_markup_say_the_same(site: Directory, remainder: int):
    search = next(
        search
        for search in searches("gyms", "movers", "hotels")
        if len(site.results(search)) > PER_PAGE
        and sum(map(ord, f"{search[2]} in {search[1]}, {search[0]}")) % 2 == remainder
    )
    found = scraped(site, search)
    good = {row.id for row in site.results(search)[:PER_PAGE] if row.is_good}
    assert set(ids(found.items)) == good
    assert [child["page"] for child in found.targets] == [2]


def test_a_search_without_results_is_complete(site: Directory):
    found = scraped(site, ("NV", "Nowhere", "gyms"))
    assert (found.items, found.targets) == ([], [])


def test_another_layout_is_no_empty_list(site: Directory):
    site.has_new_layout = True
    search = next(search for search in searches("gyms") if site.results(search))
    with pytest.raises(Permanent, match="is not the one that 'directory' describes") as raised:
        scraped(site, search)
    assert raised.value.reason == "layout_changed"


@pytest.mark.slow
def test_a_browser_sees_what_scripts_show():
    with directory(is_scripted=True) as site:
        search = next(search for search in searches("gyms") if len(site.results(search)) > PER_PAGE)
        with pytest.raises(Permanent, match="no row matches"):
            scraped(site, search)
        found = scraped(site, search, "browser = true", browser=True)
    good = {row.id for row in site.results(search)[:PER_PAGE] if row.is_good}
    assert set(ids(found.items)) == good
    assert [child["page"] for child in found.targets] == [2]
