"""Russia: a page that goes on by a cursor; prices in roubles and kopeks."""

from decimal import Decimal
from random import Random
from typing import Final

from swather.testing.countries.product import (
    CountrySite,
    Product,
    amounts,
    number_in,
    stock_of,
)
from swather.testing.site import Asked, Route

_NAMES: Final = ("Анальгин", "Нурофен", "Арбидол", "Линекс", "Эналаприл")
_WORDS: Final = {
    "in_stock": "В наличии", "out_of_stock": "Нет в наличии", "limited": "Осталось мало",
}  # fmt: skip
_PER_PAGE: Final = 8


def site(random: Random, count: int, port: int) -> CountrySite:
    products = [
        Product(
            code=f"RU{number:05}",
            name=f"{random.choice(_NAMES)} {number}",
            price=price,
            currency="RUB",
            count=random.choice((10, 20, 40)),
            size=Decimal(random.choice((50, 200, 500))),
            unit="мг",
            counted=True,
            stock=stock_of(random),
        )
        for number, price in enumerate(amounts(random, count, 20, 500_000))
    ]
    routes: dict[str, Route] = {"/apteka": lambda asked: _listing(products, asked)}
    return CountrySite(routes, products, start="/apteka", port=port)


def roubles(amount: Decimal) -> str:
    whole, _, kopeks = f"{amount:.2f}".partition(".")
    return f"{int(whole):,} руб. {kopeks} коп.".replace(",", "\u00a0")


def _listing(products: list[Product], asked: Asked) -> str:
    start = number_in(asked.query, "after", 0)
    shown = products[start : start + _PER_PAGE]
    rows = "".join(
        f'<div class="tovar"><b>{each.name}</b><i>{each.code}</i>'
        f"<em>Таблетки {each.size} {each.unit}, {each.count} шт.</em>"
        f'<span class="cena"><small>Цена:</small> {roubles(each.price)}</span>'
        f'<span class="nal">{_WORDS[each.stock]}</span></div>'
        for each in shown
    )
    following = start + _PER_PAGE
    more = f'<div id="more" data-cursor="{following}"></div>' if following < len(products) else ""
    return f"<!doctype html><meta charset=utf-8><title>Аптека</title>{rows}{more}"
