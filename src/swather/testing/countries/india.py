"""India: a chemist whose product pages carry JSON-LD, most of them; prices as ₹1,23,456.00."""

import json
from decimal import Decimal
from html import escape
from random import Random
from typing import Final

from swather.testing.countries.product import (
    CountrySite,
    Product,
    amounts,
    number_in,
    pages_of,
    stock_of,
)
from swather.testing.site import Answer, Asked, Route

_NAMES: Final = ("Dolo", "Crocin", "Azithral", "Pantocid", "Glycomet", "Telma", "Shelcal", "Zifi")
_SCHEMA: Final = {
    "in_stock": "InStock",
    "out_of_stock": "OutOfStock",
    "limited": "LimitedAvailability",
}
_WORDS: Final = {"in_stock": "In Stock", "out_of_stock": "Sold Out", "limited": "Only 3 left"}
_PER_PAGE: Final = 12


def site(random: Random, count: int, port: int) -> CountrySite:
    products = [
        Product(
            code=f"IN{10_000 + number}",
            name=f"{random.choice(_NAMES)} {strength} Tablet",
            price=price,
            currency="INR",
            count=pieces,
            size=None,
            unit="",
            counted=True,
            stock=stock_of(random),
        )
        for number, (price, strength, pieces) in enumerate(
            zip(
                amounts(random, count, 9, 250_000),
                random.choices((250, 500, 650, 1000), k=count),
                random.choices((10, 15, 30), k=count),
                strict=True,
            )
        )
    ]
    routes: dict[str, Route] = {"/": lambda asked: _listing(products, asked)}
    for number, product in enumerate(products):
        # Every fifth page has no JSON-LD: its price is only where people look.
        routes[f"/medicine/{product.code}"] = _page(product, has_data=number % 5 != 4)
    return CountrySite(routes, products, port=port)


def rupees(amount: Decimal) -> str:
    """In lakhs and crores: ₹1,23,456.00."""
    whole, _, paise = f"{amount:.2f}".partition(".")
    head, tail = whole[:-3], whole[-3:]
    groups: list[str] = []
    while head:
        head, group = head[:-2], head[-2:]
        groups.insert(0, group)
    return f"₹{','.join([*groups, tail])}.{paise}"


def _listing(products: list[Product], asked: Asked) -> str | Answer:
    number = number_in(asked.query, "page")
    pages = pages_of(products, _PER_PAGE)
    if not 1 <= number <= len(pages):
        return Answer("<p class='none'>No medicines found</p>", 404)
    cards = "".join(
        f'<div class="card"><a class="product" href="/medicine/{each.code}">{each.name}</a></div>'
        for each in pages[number - 1]
    )
    more = f'<a rel="next" href="/?page={number + 1}">Next</a>' if number < len(pages) else ""
    return f"<!doctype html><title>Medicines</title><main>{cards}</main><nav>{more}</nav>"


def _page(product: Product, *, has_data: bool) -> str:
    pack = f"Strip of {product.count} tablets"
    data = {
        "@context": "https://schema.org",
        "@type": "Product",
        "name": product.name,
        "sku": product.code,
        "offers": {
            "@type": "Offer",
            "price": str(product.price),
            "priceCurrency": product.currency,
            "availability": f"https://schema.org/{_SCHEMA[product.stock]}",
        },
    }
    block = f'<script type="application/ld+json">{json.dumps(data)}</script>' if has_data else ""
    return (
        f"<!doctype html><title>{escape(product.name)}</title>{block}"
        f'<h1 class="title">{escape(product.name)}</h1><p class="sku">{product.code}</p>'
        f'<p class="pack">{pack}</p><p class="price">MRP {rupees(product.price)} '
        f'<small>(Inclusive of all taxes)</small></p><p class="stock">{_WORDS[product.stock]}</p>'
    )
