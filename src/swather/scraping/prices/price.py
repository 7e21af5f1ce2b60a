"""A price, and what was said around it."""

from dataclasses import dataclass
from decimal import Decimal


@dataclass(frozen=True, kw_only=True)
class Price:
    """An amount of money as a page states it.

    `currency` is its ISO code, '' if nothing told it; `is_assumed`: it is that of the country or of
    the hint, and the text does not say it. `is_from`: the page says "from 12.50", others
    cost more. `per` is the unit that it buys, such as 'kg' or '100 g'; `quantity` how many pieces,
    3 in "3 for €10". `old` is the price before, if the text has it. `raw` is the text itself.
    """

    amount: Decimal
    currency: str
    raw: str
    is_assumed: bool = False
    is_from: bool = False
    per: str = ""
    quantity: int = 1
    old: Decimal | None = None
