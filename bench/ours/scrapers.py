"""The jobs as Swather's scrapers, without the default limits: 5/s and 8 in flight per host."""

from bench import jobs, tally
from swather import scraper


@scraper(rate="none", in_flight=None)
async def nothing(ctx, url):
    jobs.nothing(url)


@scraper(rate="none", in_flight=None)
async def stamp(ctx, url):
    jobs.stamp(url)


@scraper(rate="none", in_flight=None)
async def wait(ctx, url):
    await jobs.wait_async(url)


@scraper(rate="none", in_flight=None)
async def pages(ctx, url):
    page = await ctx.get(url)
    tally.count()
    return {"url": url, "bytes": len(page.content)}
