"""Prices that a page has for machines: in JSON-LD, in microdata, in <meta content>."""

from dataclasses import replace

from swather.scraping.prices import NotAPrice, Price, parse_price
from swather.scraping.prices.currencies import CODES
from swather.scraping.site.kinds import NotThisKind, Reading
from swather.scraping.site.match import Match


def data_price(text: str, match: Match, how: Reading) -> Price:
    """The price, in the currency of its own offer."""
    try:
        price = parse_price(text, currency=how.currency, country=how.country)
    except NotAPrice as error:
        raise NotThisKind(str(error)) from error
    code = match.currency.strip().upper()
    return replace(
        price,
        currency=code if code in CODES else price.currency,
        is_from=price.is_from or match.is_from,
    )
