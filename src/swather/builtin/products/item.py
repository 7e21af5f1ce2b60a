"""The item of a product: its price, its pack and what one unit costs."""

from contextlib import suppress
from decimal import Decimal
from typing import Any, Final, NamedTuple

from swather.scraping.prices import (
    NotAPack,
    Pack,
    Price,
    parse_availability,
    parse_pack,
    unit_price,
)
from swather.scraping.prices.currencies import CODES, CURRENCY_OF, MINOR_DIGITS
from swather.scraping.site import Row

_OWN: Final = ("code", "name", "price", "currency", "pack", "availability")


class Where(NamedTuple):
    """The page of a product, and the country that its notation is of."""

    url: str
    country: str


def item_of(row: Row, where: Where) -> dict[str, Any]:
    """Flat, so that it fits a table; what the page does not say is None or ''."""
    values = row.values
    price: Price = values["price"]
    pack = _pack(values.get("pack"), where.country)
    said = str(values.get("availability") or "")
    currency = _currency(price, values.get("currency"), where.country)
    return {
        "code": values.get("code"),
        "name": values.get("name"),
        "price": _money(price.amount, currency),
        "currency": currency,
        "price_text": price.raw,
        "price_from": price.is_from,
        "price_per": price.per,
        "price_quantity": price.quantity,
        "old_price": None if price.old is None else _money(price.old, currency),
        "pack_text": values.get("pack") or "",
        "pack_count": pack.count if pack else None,
        "pack_size": _text(pack.size if pack else None),
        "pack_unit": pack.unit if pack else "",
        **_unit_price(price, pack, where.country),
        "availability": str(parse_availability(said)),
        "availability_text": said,
        "country": where.country,
        "url": where.url,
        **{name: value for name, value in row.item.items() if name not in _OWN},
    }


def _pack(text: Any, country: str) -> Pack | None:
    with suppress(NotAPack):
        return parse_pack(str(text or ""), country=country)
    return None


def _money(amount: Decimal, currency: str) -> str:
    """With as many decimals as the currency has, or more if the page has more."""
    places = MINOR_DIGITS.get(currency, 2) if currency else 0
    exponent = amount.as_tuple().exponent
    assert isinstance(exponent, int)
    return f"{amount:.{max(places, -exponent)}f}"


def _currency(price: Price, said: Any, country: str) -> str:
    """As the price itself says, then the page's data, then the country."""
    if price.currency and not price.is_assumed:
        return price.currency
    code = str(said or "").strip().upper()
    known = code if code in CODES else ""
    return known or price.currency or CURRENCY_OF.get(country.partition("-")[0], "")


def _unit_price(price: Price, pack: Pack | None, country: str) -> dict[str, Any]:
    """Of the pack, unless the price itself is that of a unit; what we do not know stays a unit."""
    if price.per:
        pack = _pack(price.per if price.per[0].isdigit() else f"1 {price.per}", country)
        if pack is None:
            return {"unit_price": f"{price.amount:.4f}", "unit_price_per": price.per}
    if pack is None:
        return {"unit_price": None, "unit_price_per": ""}
    each = unit_price(price.amount / price.quantity, pack)
    return {"unit_price": str(each.amount), "unit_price_per": each.unit}


def _text(size: Decimal | None) -> str | None:
    return None if size is None else str(size)
