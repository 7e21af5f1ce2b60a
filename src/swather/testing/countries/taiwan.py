"""Taiwan: a page for each drug code, as a query; prices as NT$ 1,200 or 12.50元."""

from decimal import Decimal
from random import Random
from typing import Final

from swather.testing.countries.product import CountrySite, Product, amounts, stock_of
from swather.testing.site import Answer, Asked, Route

_NAMES: Final = ("普拿疼", "胃乳片", "脈優錠", "冠脂妥", "立普妥")
_WORDS: Final = {"in_stock": "現貨", "out_of_stock": "缺貨", "limited": "僅剩 3 盒"}
_FIELD: Final = "code="


def site(random: Random, count: int, port: int) -> CountrySite:
    products = [
        Product(
            code=f"AC{30_000 + number}100",
            name=f"{random.choice(_NAMES)} {number}",
            price=price,
            currency="TWD",
            count=random.choice((10, 28, 100)),
            size=None,
            unit="",
            counted=True,
            stock=stock_of(random),
        )
        for number, price in enumerate(amounts(random, count, 1, 90_000))
    ]
    by_code = {product.code: product for product in products}
    routes: dict[str, Route] = {"/drug": lambda asked: _page(by_code, asked)}
    return CountrySite(routes, products, start="/drug?code={code}", codes=True, port=port)


def _page(by_code: dict[str, Product], asked: Asked) -> str | Answer:
    product = by_code.get(asked.query.removeprefix(_FIELD))
    if product is None:
        return Answer("<p>查無資料</p>", 404)
    return (
        "<!doctype html><title>健保用藥</title><dl>"
        f'<dt>藥品代碼</dt><dd class="code">{product.code}</dd>'
        f'<dt>藥品名稱</dt><dd class="name">{product.name}</dd>'
        f'<dt>規格</dt><dd class="spec">{product.count}錠/盒</dd>'
        f'<dt>價格</dt><dd class="price">{_price(product.price)}</dd>'
        f'<dt>庫存</dt><dd class="stock">{_WORDS[product.stock]}</dd></dl>'
    )


def _price(amount: Decimal) -> str:
    return f"健保價：{amount}元" if amount < 100 else f"NT$ {amount:,}"
