"""A value is that of the first thing on a page that a way is about, or there is none."""

import json
from typing import Any

import pytest

from swather.scraping.site import load
from tests.scraping.site.test_reading import page, read

OFFER = {"@type": "Offer", "price": "99.00", "priceCurrency": "EUR"}
OTHER = {"@type": "Product", "name": "Other", "offers": OFFER}
MAIN = {"@type": "Product", "name": "Main"}
FIELDS = """
name = { json_ld = "Product.name" }
price = { json_ld = "Product.offers.price", as = "price" }
stock = { json_ld = "Product.offers.availability" }
"""


def ld(*blocks: Any) -> str:
    return "".join(
        f'<script type="application/ld+json">{json.dumps(each)}</script>' for each in blocks
    )


@pytest.mark.parametrize(
    "blocks",
    [
        [{**MAIN, "isRelatedTo": OTHER}],
        [{**MAIN, "isAccessoryOrSparePartFor": [OTHER]}],
        [MAIN, OTHER],
        [{"@graph": [MAIN, OTHER]}],
        [{"@type": "Review", "itemReviewed": OTHER}, MAIN],
    ],
)
def test_the_price_of_another_product_is_not_that_of_the_first(blocks: list[Any]):
    found = read(FIELDS, ld(*blocks))
    assert (found["name"], found["price"]) == ("Main", None)


def test_the_stock_of_another_product_is_not_that_of_the_first():
    stocked = {**OTHER, "offers": {**OFFER, "availability": "InStock"}}
    assert read(FIELDS, ld({**MAIN, "offers": OFFER}, stocked))["stock"] is None


def test_all_products_are_read_where_all_are_asked_for():
    fields = 'names = { json_ld = "Product.name", all = true }\n'
    assert read(fields, ld(MAIN, OTHER))["names"] == ["Main", "Other"]


def test_the_first_element_counts_although_it_cannot_be_read():
    html = "<h1>Main</h1><i class=p>Price on request</i><aside><i class=p>€9.99</i></aside>"
    site = load('[fields]\nname = "h1"\nprice = { css = ".p", as = "price" }\n')
    assert site.items(page(html)).all[0].values == {"name": "Main", "price": None}
    [[_, looked]] = site.explain(page(html))
    assert looked.tried[0].why_not.startswith("'Price on request' is no price")


def test_an_element_without_text_is_passed_over():
    assert read('p = { css = ".p", as = "number" }', "<i class=p> </i><i class=p>9</i>")["p"] == 9


def test_a_regex_looks_at_the_first_element_only():
    html = "<h1>x</h1><i class=p>none</i><i class=p>9 EUR</i>"
    fields = "p = { css = '.p', regex = '\\d+' }\nn = 'h1'"
    assert read(fields, html)["p"] is None


def test_price_and_currency_are_of_one_offer():
    offers = [{"price": None, "priceCurrency": "EUR"}, {"price": 20, "priceCurrency": "USD"}]
    price = read(FIELDS, ld({**MAIN, "offers": offers}))["price"]
    assert (str(price.amount), price.currency) == ("20", "USD")


def item(name: str, inner: str = "", prop: str = "") -> str:
    return (
        f'<div itemscope itemtype="https://schema.org/Product" {prop}>'
        f'<b itemprop="name">{name}</b>{inner}</div>'
    )


PRICED = (
    '<p itemprop="offers" itemscope itemtype="https://schema.org/Offer">'
    '<meta itemprop="price" content="99.00"><meta itemprop="priceCurrency" content="SEK"></p>'
)


@pytest.mark.parametrize(
    "html",
    [
        item("Main") + item("Other", PRICED),
        item("Main", item("Other", PRICED, 'itemprop="isRelatedTo"')),
        item("Other", PRICED, 'itemprop="item"') + item("Main"),
    ],
)
def test_microdata_of_another_product_is_not_that_of_the_first(html: str):
    fields = """
    name = { microdata = "Product.name" }
    price = [{ microdata = "Product.offers.price", as = "price" },
             { microdata = "Offer.price", as = "price" }]
    """
    found = read(fields, html)
    assert (found["name"], found["price"]) == ("Main", None)


def test_microdata_has_its_own_currency():
    fields = 'p = { microdata = "Product.offers.price", as = "price" }\n'
    price = read(fields, item("Main", PRICED) + item("Other", PRICED.replace("SEK", "USD")))["p"]
    assert price.currency == "SEK"


def test_a_row_that_is_a_product_itself_is_the_first_one():
    text = 'items = "[itemtype]"\n[fields]\nname = { microdata = "Product.name" }\n'
    html = item("Main", item("Other", "", 'itemprop="isRelatedTo"'))
    names = [row.values["name"] for row in load(text).items(page(html)).all]
    assert names == ["Main", "Other"]


SPECIFIED = 'p = { json_ld = "Product.offers.priceSpecification.price", as = "number" }\nn = "h1"\n'
UNIT = {"@type": "UnitPriceSpecification", "price": 1.2}


@pytest.mark.parametrize(
    ("specifications", "price"),
    [
        ([UNIT, {"price": 12}], 12),
        ([{**UNIT, "referenceQuantity": {"value": 100}}, {"price": 12}], 12),
        ([{"price": 20, "priceType": "https://schema.org/ListPrice"}, {"price": 12}], 12),
        ([{"price": 20, "priceType": "StrikethroughPrice"},
          {"price": 12, "priceType": "https://schema.org/SalePrice"}], 12),
        ({"price": 12}, 12),
        (UNIT, 1.2),
        ({**UNIT, "referenceQuantity": {"value": 100}}, None),
        ({"price": 20, "priceType": "ListPrice"}, None),
        ([{"price": 20}, {"price": 12}], None),
        ([{"price": 12}, {"price": 12, "priceCurrency": "EUR"}], 12),
        ([], None),
    ],
)  # fmt: skip
def test_the_price_that_is_asked_is_taken_of_several(specifications: Any, price: float | None):
    html = "<h1>x</h1>" + ld({**MAIN, "offers": {"priceSpecification": specifications}})
    assert read(SPECIFIED, html)["p"] == price


def test_specifications_that_contradict_each_other_are_told():
    html = "<h1>x</h1>" + ld(
        {**MAIN, "offers": {"priceSpecification": [{"price": 2}, {"price": 1}]}}
    )
    [[looked, _]] = load(f"[fields]\n{SPECIFIED}").explain(page(html))
    assert looked.tried[0].why_not.startswith("there are several price specifications")


@pytest.mark.parametrize(
    ("offers", "is_from"),
    [
        ({"lowPrice": "5.00", "highPrice": "9.00"}, True),
        ({"lowPrice": "5.00"}, True),
        ({"lowPrice": "5.00", "highPrice": "5.00"}, False),
    ],
)
def test_the_least_price_of_several_offers_is_one_that_others_exceed(offers: Any, is_from: bool):
    fields = 'p = { json_ld = "Product.offers.lowPrice", as = "price" }\n'
    price = read(fields, ld({**MAIN, "offers": {"priceCurrency": "EUR", **offers}}))["p"]
    assert (str(price.amount), price.currency, price.is_from) == ("5.00", "EUR", is_from)


def test_an_object_that_is_described_elsewhere_is_found_by_its_id():
    graph = [
        {**MAIN, "offers": {"@id": "#offer"}, "brand": [{"@id": "#acme", "@type": "Brand"}]},
        {"@id": "#offer", "@type": "Offer", "price": 7},
        {"@type": "Brand", "@id": "#acme", "name": "Acme"},
        {"@type": "Product", "@id": "#loop", "offers": {"@id": "#loop"}},
    ]
    fields = """
    price = { json_ld = "Product.offers.price" }
    brand = { json_ld = "Product.brand" }
    loop = { json_ld = "Product.offers.offers.offers.price" }
    """
    found = read(fields, ld({"@graph": graph[:2]}, *graph[2:]))
    assert found == {"price": 7, "brand": "Acme", "loop": None}


def test_a_row_finds_what_it_refers_to_on_the_page():
    text = 'items = { json_ld = "Product" }\n[fields]\nprice = { json_ld = "offers.price" }\n'
    html = ld(
        {**MAIN, "offers": {"@id": "#offer"}}, {"@id": "#offer", "@type": "Offer", "price": 7}
    )
    assert [row.values["price"] for row in load(text).items(page(html)).all] == [7]


DATA = '{"@type": "Product", "name": "Drill"}'


@pytest.mark.parametrize(
    "content",
    [
        DATA.replace("Drill", "Drill\n\n"),
        f"<!-- {DATA} -->",
        f"<!--\n{DATA}\n//-->",
        f"//<![CDATA[\n{DATA}\n//]]>",
        f"/* <![CDATA[ */ {DATA} /* ]]> */",
        f"\ufeff{DATA}",
        f"{DATA[:-1]}, }}",
        f"[{DATA},\n]",
        f"{DATA};",
    ],
)
def test_small_mistakes_in_json_ld_are_no_loss(content: str):
    html = f'<script type="application/ld+json">{content}</script><h1>x</h1>'
    found = load('[fields]\nn = { json_ld = "Product.name" }\nh = "h1"\n').items(page(html))
    assert (found.all[0].values["n"], found.notes) == ("Drill", ())


def test_commas_in_texts_are_kept_while_those_of_lists_are_mended():
    html = '<script type="application/ld+json">{"@type": "A", "x": "a,] \\" ,}",}</script>'
    assert read('x = { json_ld = "A.x" }', html)["x"] == 'a,] " ,}'


@pytest.mark.timeout(20)
@pytest.mark.parametrize("content", ['\\"' * 500_000, '"' * 500_001, "," * 500_000, ", " * 500_000])
def test_mending_takes_no_more_time_than_the_length_of_a_block(content: str):
    html = f'<script type="application/ld+json">[{content}</script><h1>x</h1>'
    found = load('[fields]\nn = { json_ld = "Product.name" }\nh = "h1"\n').items(page(html))
    assert "is not JSON" in found.notes[0]


@pytest.mark.parametrize(
    ("price", "currency", "amount"),
    [("12.345", "KWD", "12.345"), ("12.5000", "EUR", "12.5000"), ("1.299", "EUR", None)],
)
def test_data_has_a_point_before_its_decimals(price: str, currency: str, amount: str | None):
    html = "<h1>x</h1>" + ld({**MAIN, "offers": {"price": price, "priceCurrency": currency}})
    found = read(FIELDS, html)["price"]
    assert (None if found is None else str(found.amount)) == amount
