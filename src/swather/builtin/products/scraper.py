"""Prices of products, read from pages and price lists as their country writes them."""

from dataclasses import replace
from functools import partial
from typing import Any

from swather.builtin.products.item import Where, item_of
from swather.builtin.products.params import Params
from swather.builtin.products.sites import COUNTRIES, site_of
from swather.errors import BadTarget
from swather.net.request import is_http
from swather.scraping.context import Context
from swather.scraping.scraper import Scraper, scraper
from swather.scraping.site.load_more import loaded_page
from swather.scraping.site.scraper import scrape_page
from swather.scraping.site.template import Template


@scraper(params=Params, version="1")
async def products(ctx: Context, target: Any) -> None:
    """Reads prices, packs and stock from product pages and price lists.

    A target is the URL of a page, or a code that --address makes a URL of. Each product is an item
    with its price, its currency, what its pack holds and what one unit costs; the texts of the
    page are kept beside them.

    Sites: any (JSON-LD or microdata); India, Malaysia, the Netherlands, Taiwan, Argentina, Russia
    and Quebec, whose price lists are PDF files.
    """
    params: Params = ctx.params
    country = params.country.lower() or COUNTRIES[params.site]
    site = site_of(params.site, country)
    located = _located(target, params)
    page = await loaded_page(ctx, site, site.url_of(located))
    where = Where(page.url, country)
    await scrape_page(site, ctx, located, page, item_of=partial(item_of, where=where))


def through_tor(country: str = "") -> Scraper:
    """`products` whose requests leave through Tor: in a country, by its code of two letters."""
    return replace(products, options=replace(products.options, tor=country or True))


def _located(target: Any, params: Params) -> Any:
    """A target with a URL: itself, or the code that it is."""
    url = target.get("url") if isinstance(target, dict) else target
    if isinstance(url, str) and is_http(url.strip()):
        return target
    if not params.address:
        raise BadTarget(
            f"products takes the URLs of pages, got {target!r}; for codes, name where they are "
            "looked up: --address 'https://example.com/drug?code={code}'"
        )
    template = Template(params.address)
    fields = target if isinstance(target, dict) else {template.fields[0]: target}
    return {**fields, "url": template.filled(fields, escape=True)}
