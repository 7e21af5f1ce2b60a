"""The scraper of `swather demo --proxies`: that of the demo, through proxies."""

from collections.abc import AsyncIterator
from typing import Any

from swather import Context, Proxies, scraper
from swather.cli.demo_scraper import books


@scraper(name="demo-proxies", rate="8/s", in_flight=24, timeout=10, proxies=Proxies(tags=["demo"]))
async def proxied_books(ctx: Context, url: str) -> AsyncIterator[dict[str, Any]]:
    """Every book of a shop, through proxies."""
    async for book in books.function(ctx, url):
        yield book
