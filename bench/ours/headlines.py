"""The scrapers of the part headlines, all without limits of their own: searches of a directory by
state, directly and through the pool, and slow pages.
"""

import time

from bench import tally
from swather import Proxies, scraper


def _state(target):
    return target["state"]


async def _search(ctx, target):
    """A page of results: its businesses are the items."""
    page = await ctx.get(target["url"])
    for row in page.css("div.search-results div.result"):
        phone = row.css_first(".phones")
        yield {
            "state": target["state"],
            "name": row.css_first("a.business-name").text(),
            "phone": phone and phone.text(),
        }
    _done()


direct = scraper(name="direct", partition=_state, in_flight=None)(_search)
pooled = scraper(name="pooled", partition=_state, in_flight=None, proxies=True)(_search)
own_five = scraper(
    name="own_five", partition=_state, in_flight=None, proxies=Proxies(per_worker=5)
)(_search)


@scraper(in_flight=None)
async def slow_page(ctx, url):
    page = await ctx.get(url)
    _done()
    return {"url": url, "bytes": len(page.content)}


def _done():
    tally.mark("done", str(time.monotonic_ns()))
