"""The site files that ship, one for each country and one for any shop."""

from dataclasses import replace
from functools import cache
from importlib.resources import files
from typing import Final

from swather.scraping.site import Site, load

# Whose prices they have.
COUNTRIES: Final = {
    "any": "", "argentina": "ar", "india": "in", "malaysia": "my", "netherlands": "nl",
    "quebec": "ca-qc", "russia": "ru", "taiwan": "tw",
}  # fmt: skip


@cache
def site_of(name: str, country: str = "") -> Site:
    """A site file of the package; people who read its pages write prices as `country` does."""
    text = files("swather.builtin.products").joinpath(f"sites/{name}.toml").read_text("utf-8")
    site = load(text)
    if not country:
        return site
    fields = {
        field: tuple(replace(way, people=country) if way.kind == "price" else way for way in ways)
        for field, ways in site.fields.items()
    }
    return replace(site, fields=fields)
