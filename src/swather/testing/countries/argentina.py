"""Argentina: cards of products, page after page; prices as $ 12.345,67, old ones struck out."""

from decimal import Decimal
from random import Random
from typing import TYPE_CHECKING, Final

from swather.testing.countries.product import CountrySite, Product, amounts, pages_of, stock_of

if TYPE_CHECKING:
    from swather.testing.site import Route

_NAMES: Final = ("Ibupirac", "Tafirol", "Sertal", "Bayaspirina", "Losacor")
_WORDS: Final = {
    "in_stock": "Hay stock",
    "out_of_stock": "Sin stock",
    "limited": "Últimas unidades",
}
_PER_PAGE: Final = 10


def site(random: Random, count: int, port: int) -> CountrySite:
    products = [
        Product(
            code=f"779{1_000_000 + number}",
            name=f"{random.choice(_NAMES)} {number}",
            price=price,
            currency="ARS",
            count=random.choice((10, 20, 30)),
            size=None,
            unit="",
            counted=True,
            stock=stock_of(random),
        )
        for number, price in enumerate(amounts(random, count, 300, 2_000_000))
    ]
    pages = pages_of(products, _PER_PAGE)
    routes: dict[str, Route] = {
        _path(number): _listing(shown, number, len(pages)) for number, shown in enumerate(pages)
    }
    return CountrySite(routes, products, port=port)


def pesos(amount: Decimal) -> str:
    return "$ " + f"{amount:,.2f}".translate(str.maketrans(",.", ".,"))


def _path(number: int) -> str:
    return f"/pagina/{number + 1}" if number else "/"


def _listing(products: list[Product], number: int, pages: int) -> str:
    cards = "".join(map(_card, products))
    more = f'<li class="siguiente"><a href="{_path(number + 1)}">Siguiente</a></li>'
    return (
        f"<!doctype html><title>Farmacia</title><div class='grilla'>{cards}</div>"
        f"<ul>{more if number + 1 < pages else ''}</ul>"
    )


def _card(product: Product) -> str:
    before = pesos((product.price * 2).quantize(Decimal("0.01")))
    return (
        f'<article class="producto"><h2 data-ean="{product.code}">{product.name}</h2>'
        f'<p class="presentacion">{product.count} comprimidos</p>'
        f'<p class="precio">Antes {before} Ahora {pesos(product.price)}</p>'
        f'<p class="stock">{_WORDS[product.stock]}</p></article>'
    )
