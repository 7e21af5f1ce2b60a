"""Each country's stand-in gives exactly what is on it, on both databases and through Tor."""

from typing import Any

import pytest

import swather
from swather.builtin.products.scraper import products, through_tor
from swather.scraping.scraper import Scraper
from swather.testing.countries import COUNTRIES, CountrySite, country_site
from tests.tor_network import SITE, TorNetwork
from tests.worker.conftest import either_url, sqlite_url

__all__ = ["either_url", "sqlite_url"]

pytestmark = pytest.mark.slow


def scraped(
    site: CountrySite, country: str, db: str, scraper: Scraper = products, host: str = ""
) -> list[dict[str, Any]]:
    """The items of a run over a stand-in, which is known as `host` if that is named."""
    targets = [target.replace("127.0.0.1", host or "127.0.0.1") for target in site.targets]
    params = {"site": country, "address": site.address}
    result = swather.run(scraper, targets, params=params, db=db, progress=False)
    assert (result.failed, result.counts.rejected) == (0, {})
    return list(result)


def compared(items: list[dict[str, Any]], site: CountrySite) -> None:
    """An item for each product, with each fact as it is."""
    by_code = {item["code"]: item for item in items}
    assert len(items) == len(by_code) == len(site.products)
    for product in site.products:
        truth = product.truth
        assert {name: by_code[product.code][name] for name in truth} == truth


@pytest.mark.parametrize("country", COUNTRIES)
def test_a_country_is_scraped_as_it_is(
    country: str, either_url: str, tmp_path: Any, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.chdir(tmp_path)
    with country_site(country, seed=7, products=40) as site:
        items = scraped(site, country, either_url)
    compared(items, site)
    assert all(item["price_text"] and item["url"].startswith(site.url) for item in items)


@pytest.mark.timeout(300)
def test_a_country_is_scraped_through_tor_from_its_own_exit(
    sqlite_url: str, tmp_path: Any, monkeypatch: pytest.MonkeyPatch, tor_net: TorNetwork
):
    """The name of the site is known to the exits of that network alone."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("SWATHER_TOR_CONFIG", tor_net.config)
    with country_site("netherlands", products=40) as site:
        items = scraped(site, "netherlands", sqlite_url, through_tor("nl"), host=SITE)
    compared(items, site)
    assert all(SITE in item["url"] for item in items)
