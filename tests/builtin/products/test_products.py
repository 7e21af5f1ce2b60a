"""Single pages: which source of a page counts, what is kept, what is refused."""

import json
from typing import Any

import pytest

from swather.builtin.products.params import Params
from swather.builtin.products.scraper import products
from swather.builtin.products.sites import COUNTRIES, site_of
from swather.errors import InputError
from swather.scraping.options import Options
from swather.testing import run_scraper
from swather.testing.countries import COUNTRIES as STAND_INS

URL = "https://shop.example/ink"


def scraped(html: str, **params: str) -> Any:
    return run_scraper(products, URL, pages={URL: html}, params=params)


def json_ld(price: Any, currency: str = "ARS") -> str:
    data = {
        "@type": "Product", "name": "Tinta", "sku": "T1", "size": "6 x 330 ml",
        "offers": {"price": price, "priceCurrency": currency, "availability": "InStock"},
    }  # fmt: skip
    return f'<script type="application/ld+json">{json.dumps(data)}</script>'


def test_json_ld_counts_before_what_people_see():
    page = json_ld("1234.50") + '<p class="price">$ 99,00</p>'
    (item,) = scraped(page, country="ar").items
    assert (item["price"], item["currency"], item["price_text"]) == ("1234.50", "ARS", "1234.50")
    assert (item["pack_count"], item["pack_size"], item["pack_unit"]) == (6, "330", "ml")
    assert (item["unit_price"], item["unit_price_per"]) == ("623.4848", "l")
    assert (item["availability"], item["url"]) == ("in_stock", URL)


@pytest.mark.parametrize("price", ["12.345", 12.345, "1.234"])
def test_data_that_can_be_read_in_two_ways_gives_way_to_what_people_see(price: Any):
    page = json_ld(price) + '<p class="price">$ 12.345,00</p>'
    (item,) = scraped(page, country="ar").items
    assert item["price"] == "12345.00"


def test_microdata_counts_without_json_ld():
    page = (
        '<div itemscope itemtype="https://schema.org/Product"><b itemprop="name">Ink</b>'
        '<p itemprop="offers" itemscope itemtype="https://schema.org/Offer">'
        '<span itemprop="price">RM12.90</span></p></div>'
    )
    (item,) = scraped(page, country="my").items
    assert (item["name"], item["price"], item["currency"]) == ("Ink", "12.90", "MYR")
    assert item["unit_price"] is None


def test_text_in_microdata_is_read_as_people_of_the_country_write_it():
    page = (
        '<div itemscope itemtype="https://schema.org/Product"><b itemprop="name">Tinte</b>'
        '<p itemprop="offers" itemscope itemtype="https://schema.org/Offer">'
        '<span itemprop="price">1.299 €</span></p></div>'
    )
    (item,) = scraped(page, country="de").items
    assert (item["price"], item["currency"]) == ("1299.00", "EUR")


@pytest.mark.parametrize("content", ["1.299", "1299.50"])
def test_what_a_page_has_for_machines_is_not_read_as_its_people_write(content: str):
    page = (
        f'<h1>Tinte</h1><meta property="product:price:amount" content="{content}">'
        '<meta property="product:price:currency" content="USD">'
    )
    prices = {(item["price"], item["currency"]) for item in scraped(page, country="de").items}
    assert prices <= {("1299.50", "USD"), ("1.299", "USD")}


def test_the_least_price_of_several_offers_is_one_from_which_they_begin():
    data = {
        "@type": "Product", "name": "Ink",
        "offers": {"@type": "AggregateOffer", "lowPrice": "5.50", "highPrice": "9.00",
                   "priceCurrency": "USD"},
    }  # fmt: skip
    (item,) = scraped(f'<script type="application/ld+json">{json.dumps(data)}</script>').items
    assert (item["price"], item["currency"], item["price_from"]) == ("5.50", "USD", True)


def test_what_is_said_around_a_price_is_kept():
    page = '<h1>Thee</h1><p class="price">Van € 5,00 voor € 3,50</p>'
    (item,) = scraped(page, country="nl").items
    assert (item["price"], item["old_price"]) == ("3.50", "5.00")
    page = '<h1>Thee</h1><p class="price">vanaf € 2,99 per kg</p>'
    (item,) = scraped(page, country="nl").items
    assert (item["price_from"], item["unit_price"], item["unit_price_per"]) == (
        True,
        "2.9900",
        "kg",
    )


@pytest.mark.parametrize(
    ("text", "amount", "per"),
    [
        ("€ 2,99 / 100 g", "29.9000", "kg"),
        ("€ 0,45 per 100 ml", "4.5000", "l"),
        ("€ 3,00 per stuk", "3.0000", "piece"),
        ("€ 40,00 per strip", "40.0000", "strip"),
    ],
)
def test_the_price_of_a_unit_is_that_of_a_kilogram_a_litre_or_a_piece(
    text: str, amount: str, per: str
):
    (item,) = scraped(f'<h1>Thee</h1><p class="price">{text}</p>', country="nl").items
    assert (item["unit_price"], item["unit_price_per"]) == (amount, per)


def test_the_currency_that_a_page_states_goes_before_that_of_the_country():
    stated = '<meta property="product:price:currency" content="USD"><h1>Ink</h1>'
    page = f'{stated}<p class="price">12,50</p>'
    (item,) = scraped(page, country="de").items
    assert (item["price"], item["currency"]) == ("12.50", "USD")
    (item,) = scraped(page.replace("12,50", "12,50 €"), country="de").items
    assert item["currency"] == "EUR"


def test_a_price_that_is_not_clear_is_rejected_and_counted():
    found = scraped('<h1>Ink</h1><p class="price">$ 1.234</p>')
    assert found.items == []
    assert found.rejected == {"missing_price": 1}


def test_codes_need_an_address():
    with pytest.raises(InputError, match="--address"):
        run_scraper(products, "AC30000100", pages={})
    page = '<h1>Ink</h1><p class="price">NT$ 1,200</p>'
    asked = "https://shop.example/q?code=A%2FB"
    params = {"address": "https://shop.example/q?code={code}", "country": "tw"}
    (item,) = run_scraper(products, "A/B", pages={asked: page}, params=params).items
    assert (item["price"], item["url"]) == ("1200.00", asked)


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"country": "uk"}, "is 'gb' meant"),
        ({"address": "shop.example/{code}"}, "expected a URL"),
        ({"address": "https://{code}/"}, "expected a URL"),
        ({"address": "https://shop.example/"}, "expected one field"),
    ],
)
def test_params_that_cannot_be_used_are_told(given: dict[str, str], said: str):
    with pytest.raises(ValueError, match=said):
        Params(**given)  # type: ignore[arg-type]


@pytest.mark.parametrize("name", COUNTRIES)
def test_every_site_file_can_be_read_and_promises_no_options_that_do_nothing(name: str):
    """Of them, `products` takes where fields are, and its options from elsewhere."""
    site = site_of(name)
    assert site.options == Options(name=name)
    assert name == "any" or name in STAND_INS
