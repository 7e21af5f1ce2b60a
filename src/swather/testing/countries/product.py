"""A product of a stand-in, as it is: what a scraper of its pages should find."""

from dataclasses import dataclass
from decimal import Decimal
from random import Random
from typing import Any, Final, Literal

from swather.errors import InputError
from swather.testing.site import FakeSite, Route

Stock = Literal["in_stock", "out_of_stock", "limited"]
_STOCKS: Final[tuple[Stock, ...]] = ("in_stock", "in_stock", "in_stock", "limited", "out_of_stock")
_TO_BASE: Final = {
    "g": Decimal("0.001"), "kg": Decimal(1), "ml": Decimal("0.001"), "l": Decimal(1),
}  # fmt: skip
_BASES: Final = {"g": "kg", "kg": "kg", "ml": "l", "l": "l"}


@dataclass(frozen=True, kw_only=True)
class Product:
    """`counted` are things that are taken one by one: then a unit price is for one of them."""

    code: str
    name: str
    price: Decimal
    currency: str
    count: int
    size: Decimal | None
    unit: str
    counted: bool
    stock: Stock

    @property
    def truth(self) -> dict[str, Any]:
        """What an item should say, by its fields."""
        whole = Decimal(self.count)
        if not self.counted and self.size is not None:
            whole *= self.size * _TO_BASE[self.unit]
        each = (self.price / whole).quantize(Decimal("0.0001"))
        return {
            "code": self.code,
            "name": self.name,
            "price": str(self.price),
            "currency": self.currency,
            "pack_count": self.count,
            "pack_size": None if self.size is None else str(self.size),
            "pack_unit": self.unit,
            "unit_price": str(each),
            "unit_price_per": "piece" if self.counted else _BASES[self.unit],
            "availability": self.stock,
        }


class CountrySite(FakeSite):
    """The price pages of a country, with the products that are on them."""

    def __init__(
        self,
        routes: dict[str, Route],
        products: list[Product],
        *,
        start: str = "/",
        codes: bool = False,
        port: int = 0,
    ) -> None:
        super().__init__(routes, port=port)
        self.products = products
        self._start = start
        self._codes = codes

    @property
    def offers(self) -> str:
        """What it has, in words."""
        return f"{len(self.products)} products"

    @property
    def home(self) -> str:
        """Where a scraper begins, or where codes are looked up."""
        return f"{self.url}{self._start}"

    @property
    def targets(self) -> list[str]:
        """What to scrape: the page to start from, or the codes of all products."""
        if self._codes:
            return [product.code for product in self.products]
        return [self.home]

    @property
    def address(self) -> str:
        """Where a code is looked up; '' if targets are pages."""
        return self.home if self._codes else ""


def amounts(random: Random, count: int, low: int, high: int, *, places: int = 2) -> list[Decimal]:
    """Prices of all magnitudes between the two, such as are written in several groups of digits."""
    found = []
    for _ in range(count):
        top = 10 ** random.uniform(len(str(low)) - 1, len(str(high)))
        cents = int(min(max(top, low), high) * 10**places)
        found.append(Decimal(cents).scaleb(-places))
    return found


def stock_of(random: Random) -> Stock:
    return random.choice(_STOCKS)


def pages_of(products: list[Product], per_page: int) -> list[list[Product]]:
    return [products[at : at + per_page] for at in range(0, len(products), per_page)]


def number_in(query: str, name: str, default: int = 1) -> int:
    """A whole number in a query; InputError for anything else."""
    for pair in query.split("&"):
        key, _, value = pair.partition("=")
        if key == name:
            if not value.isdecimal():
                raise InputError(f"{name} must be a number, got {value!r}")
            return int(value)
    return default
