"""Prices, packs and availability, as the pages of the world write them."""

from swather.errors import NotAPack, NotAPrice
from swather.scraping.prices.availability import Availability, parse_availability
from swather.scraping.prices.pack import Pack, UnitPrice, parse_pack, unit_price
from swather.scraping.prices.parse import parse_price
from swather.scraping.prices.price import Price

__all__ = [
    "Availability",
    "NotAPack",
    "NotAPrice",
    "Pack",
    "Price",
    "UnitPrice",
    "parse_availability",
    "parse_pack",
    "parse_price",
    "unit_price",
]
