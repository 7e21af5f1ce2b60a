"""Prices that a page has for machines: in JSON-LD, in microdata, in <meta content>."""

from dataclasses import replace

from swather.scraping.prices import NotAPrice, Price, parse_price
from swather.scraping.prices.currencies import CODES
from swather.scraping.site.kinds import NotThisKind, Reading
from swather.scraping.site.match import Match


def data_price(text: str, match: Match, how: Reading) -> Price:
    """The price, in the currency of its own offer."""
    code = match.currency.strip().upper()
    currency = code if code in CODES else how.currency
    try:
        price = parse_price(text, currency=currency, country=how.country, for_machines=True)
    except NotAPrice as error:
        raise NotThisKind(str(error)) from error
    return replace(price, is_from=price.is_from or match.is_from)
