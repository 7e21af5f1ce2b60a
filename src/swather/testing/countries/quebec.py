"""Quebec: price lists as PDF, whose tables go on over the pages; prices as 1 234,56 $."""

from decimal import Decimal
from random import Random
from typing import Final

from swather.testing.countries.pdf_file import LETTER, Text, pdf
from swather.testing.countries.product import CountrySite, Product, amounts, pages_of, stock_of
from swather.testing.site import Answer, Route

HEAD: Final = ("Code", "Dénomination", "Format", "Prix unitaire", "Statut")
_NAMES: Final = ("Acétaminophène", "Énalapril", "Métformine (générique)", "Salbutamol", "Warfarine")
_WORDS: Final = {
    "in_stock": "Disponible", "out_of_stock": "Rupture de stock", "limited": "Derniers",
}  # fmt: skip
_LISTS: Final = 2
_PER_PAGE: Final = 12
# Left edges of the columns; the price is aligned to the right edge of its own.
_LEFT: Final = (40, 100, 270, 360, 470)
_PRICE_RIGHT: Final = 360 + len(HEAD[3]) * 9 * LETTER


def site(random: Random, count: int, port: int) -> CountrySite:
    products = [
        Product(
            code=f"{2_240_000 + number:08}",
            name=f"{random.choice(_NAMES)} {number}",
            price=price,
            currency="CAD",
            count=random.choice((30, 60, 100)),
            size=None,
            unit="",
            counted=True,
            stock=stock_of(random),
        )
        for number, price in enumerate(amounts(random, count, 2, 40_000))
    ]
    share = -(-len(products) // _LISTS)
    lists = pages_of(products, share)
    links = "".join(
        f'<li><a class="liste" href="/liste-{number}.pdf">Liste {number}</a></li>'
        for number in range(1, len(lists) + 1)
    )
    routes: dict[str, Route] = {
        "/": f"<!doctype html><title>Listes de prix</title><ul>{links}</ul>"
    }
    for number, listed in enumerate(lists, start=1):
        body = _price_list(listed, number)
        routes[f"/liste-{number}.pdf"] = Answer(body, headers={"Content-Type": "application/pdf"})
    return CountrySite(routes, products, port=port)


def dollars(amount: Decimal) -> str:
    return f"{amount:,.2f} $".replace(",", "\u00a0").replace(".", ",")


def _price_list(products: list[Product], number: int) -> bytes:
    pages = pages_of(products, _PER_PAGE)
    return pdf([_page(shown, at, len(pages), number) for at, shown in enumerate(pages, start=1)])


def _page(products: list[Product], at: int, pages: int, number: int) -> list[Text]:
    texts = [Text(40, 800, f"Régie - Liste de prix {number}", 14)]
    texts += [Text(x, 770, name) for x, name in zip(_LEFT, HEAD, strict=True)]
    for row, product in enumerate(products):
        y = 750 - 22 * row
        price = dollars(product.price)
        texts += [
            Text(_LEFT[0], y, product.code),
            Text(_LEFT[1], y, product.name),
            Text(_LEFT[2], y, f"{product.count}"),
            # A cell of two lines.
            Text(_LEFT[2], y - 10, "comprimés"),
            Text(_PRICE_RIGHT - len(price) * 9 * LETTER, y, price),
            Text(_LEFT[4], y, _WORDS[product.stock]),
        ]
    texts.append(Text(250, 30, f"Page {at} de {pages}", 8))
    return texts
