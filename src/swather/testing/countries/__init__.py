"""Stand-ins for the price pages of seven countries, each with its own notation and layout.

with country_site("india") as site:
    …                                   # scrape site.targets
assert found == [product.truth for product in site.products]
"""

from collections.abc import Callable
from random import Random
from typing import Final

from swather.errors import InputError
from swather.testing.countries import (
    argentina,
    india,
    malaysia,
    netherlands,
    quebec,
    russia,
    taiwan,
)
from swather.testing.countries.product import CountrySite, Product

__all__ = ["COUNTRIES", "CountrySite", "Product", "country_site"]

_SITES: Final[dict[str, Callable[[Random, int, int], CountrySite]]] = {
    "argentina": argentina.site,
    "india": india.site,
    "malaysia": malaysia.site,
    "netherlands": netherlands.site,
    "quebec": quebec.site,
    "russia": russia.site,
    "taiwan": taiwan.site,
}
COUNTRIES: Final = tuple(_SITES)


def country_site(country: str, *, seed: int = 1, products: int = 60, port: int = 0) -> CountrySite:
    """The stand-in of a country, the same for the same seed; serves in a `with` block."""
    if country not in _SITES:
        raise InputError(f"there is no stand-in for {country!r}; expected {', '.join(_SITES)}")
    return _SITES[country](Random(seed), products, port)
