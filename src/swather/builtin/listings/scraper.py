"""Searches a directory of businesses; yellow_pages.toml describes its pages."""

from dataclasses import replace
from pathlib import Path
from typing import Final

from swather.scraping import site

SITE_FILE: Final = Path(__file__).with_name("yellow_pages.toml")

_ABOUT: Final = """Businesses from a directory, by city and category, each once.

    Targets are objects with city, state and category. Without any, they are made of the cities of
    --states, the largest first, and of the --categories: 309,720 for all states and categories.
    Another directory needs a site file of its own: docs/guides/listings.md has this one.

        swather run listings --states NV,UT --categories plumbers,roofing
        swather enqueue listings --states all
        swather run listings --targets searches.csv --rows --priority-column priority --lowest-first
    """

_made = site.scraper_of(site.load(SITE_FILE))
_made.function.__doc__ = _ABOUT
listings = replace(_made)
