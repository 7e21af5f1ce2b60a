"""Malaysia: packs of products with microdata, found by their page's number; prices as RM12.90."""

from decimal import Decimal
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
from swather.testing.site import Asked, Route

_GOODS: Final = (("Kopi", "g", 500), ("Susu", "ml", 330), ("Beras", "kg", 5), ("Minyak", "l", 2))
_SCHEMA: Final = {
    "in_stock": "InStock",
    "out_of_stock": "SoldOut",
    "limited": "LimitedAvailability",
}
_PER_PAGE: Final = 15


def site(random: Random, count: int, port: int) -> CountrySite:
    products = []
    for number, price in enumerate(amounts(random, count, 1, 9_000)):
        name, unit, size = random.choice(_GOODS)
        pieces = random.choice((1, 1, 6, 12, 24))
        products.append(
            Product(
                code=f"MY-{number:04}",
                name=f"{name} Asli {number}",
                price=price,
                currency="MYR",
                count=pieces,
                size=Decimal(size),
                unit=unit,
                counted=False,
                stock=stock_of(random),
            )
        )
    routes: dict[str, Route] = {"/produk": lambda asked: _listing(products, asked)}
    return CountrySite(routes, products, start="/produk", port=port)


def _listing(products: list[Product], asked: Asked) -> str:
    number = number_in(asked.query, "page")
    pages = pages_of(products, _PER_PAGE)
    shown = pages[number - 1] if 1 <= number <= len(pages) else []
    rows = "".join(map(_row, shown)) or "<p class='tiada'>Tiada produk</p>"
    return f"<!doctype html><title>Produk</title><section>{rows}</section>"


def _row(product: Product) -> str:
    size = f"{product.size} {product.unit}"
    pack = size if product.count == 1 else f"{product.count} x {size}"
    return (
        '<div class="item" itemscope itemtype="https://schema.org/Product">'
        f'<meta itemprop="sku" content="{product.code}"><h3 itemprop="name">{product.name}</h3>'
        f'<span class="saiz">{pack}</span>'
        '<div itemprop="offers" itemscope itemtype="https://schema.org/Offer">'
        f'<span itemprop="price">RM{product.price:,.2f}</span>'
        f'<link itemprop="availability" href="https://schema.org/{_SCHEMA[product.stock]}">'
        "</div></div>"
    )
