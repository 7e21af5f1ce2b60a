"""Plain scrapers whose requests leave through the pool."""

from swather import scraper


@scraper(name="in_thread", proxies=True, rate="none", in_flight=None)
def in_thread(ctx, url):
    return {"via": ctx.get(url).text}


@scraper(name="in_process", proxies=True, rate="none", in_flight=None, isolation="process")
def in_process(ctx, url):
    return {"via": ctx.get(url).text}
