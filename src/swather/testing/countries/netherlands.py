"""The Netherlands: a table of drug packs with a link to the next page; prices as € 1.234,56."""

from decimal import Decimal
from random import Random
from typing import TYPE_CHECKING, Final

from swather.testing.countries.product import CountrySite, Product, amounts, pages_of, stock_of

if TYPE_CHECKING:
    from swather.testing.site import Route

_NAMES: Final = ("Omeprazol", "Metoprolol", "Simvastatine", "Amlodipine", "Ibuprofen")
_WORDS: Final = {
    "in_stock": "Op voorraad", "out_of_stock": "Niet op voorraad", "limited": "Nog 4 op voorraad",
}  # fmt: skip
_PER_PAGE: Final = 20


def site(random: Random, count: int, port: int) -> CountrySite:
    products = [
        Product(
            code=f"{15_000_000 + 7 * number}",
            name=f"{random.choice(_NAMES)} {number}",
            price=price,
            currency="EUR",
            count=random.choice((10, 30, 60, 90)),
            size=Decimal(random.choice((5, 20, 40, 500))),
            unit="mg",
            counted=True,
            stock=stock_of(random),
        )
        for number, price in enumerate(amounts(random, count, 1, 99_000))
    ]
    pages = pages_of(products, _PER_PAGE)
    routes: dict[str, Route] = {
        _path(number): _listing(shown, number, len(pages)) for number, shown in enumerate(pages)
    }
    return CountrySite(routes, products, start=_path(0), port=port)


def euros(amount: Decimal) -> str:
    turned = f"{amount:,.2f}".translate(str.maketrans(",.", ".,"))
    return f"€ {turned.removesuffix(',00')},-" if turned.endswith(",00") else f"€ {turned}"


def _path(number: int) -> str:
    return f"/pakjes/{number + 1}"


def _listing(products: list[Product], number: int, pages: int) -> str:
    rows = "".join(
        f'<tr class="pakje"><td>{each.code}</td><td>{each.name}</td>'
        f"<td>{each.count} tabletten x {each.size} {each.unit}</td>"
        f'<td class="prijs">{euros(each.price)}</td><td>{_WORDS[each.stock]}</td></tr>'
        for each in products
    )
    more = f'<a class="volgende" href="{_path(number + 1)}">Volgende</a>'
    return (
        f"<!doctype html><title>Medicijnkosten</title><table>{rows}</table>"
        f"{more if number + 1 < pages else ''}"
    )
