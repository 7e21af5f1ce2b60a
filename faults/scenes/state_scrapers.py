"""What the scene of fifty states scrapes: a page for each number of a state."""

import os

from swather import scraper

SITE = os.environ.get("SCENE_SITE", "")
SHARED = {
    "partition": lambda target: target["state"],
    "rate": "none",
    "in_flight": None,
    "robots": False,
    "timeout": 20,
    "version": "1",
}


async def scrape(ctx, target):
    page = await ctx.get(
        f"{SITE}/{target['state']}/{target['number']}", headers={"X-Worker": str(os.getpid())}
    )
    yield {"state": target["state"], "number": target["number"], "said": page.text}


@scraper(proxies=True, **SHARED)
async def proxied(ctx, target):
    """Through the pool."""
    async for item in scrape(ctx, target):
        yield item


@scraper(allow_private=True, **SHARED)
async def direct(ctx, target):
    """Without a proxy, so that what the site says is said to all."""
    async for item in scrape(ctx, target):
        yield item
