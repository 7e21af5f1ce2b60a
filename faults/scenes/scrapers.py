"""What the scenes scrape: nothing, for as long as they say, and a file if they ask for one."""

import asyncio
import os

from swather import scraper

LEDGER = os.environ.get("SCENE_LEDGER", os.devnull)


def content_of(url, size):
    """Other bytes for each target."""
    return (url.encode() * (size // len(url) + 1))[:size]


@scraper(rate="none", in_flight=None, robots=False, version="1")
class shelf:  # noqa: N801 - the name of the scraper
    """Notes each execution outside of the database, if asked to, and leaves one item."""

    def setup(self):
        self.ledger = os.open(LEDGER, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)

    async def scrape(self, ctx, url):
        if seconds := ctx.params.get("seconds"):
            os.write(self.ledger, f"{url} {os.getpid()}\n".encode())
            await asyncio.sleep(float(seconds))
        if size := ctx.params.get("bytes"):
            await ctx.save(content_of(url, int(size)), name=f"{url.rpartition('/')[2]}.bin")
        yield {"url": url}

    def close(self):
        os.close(self.ledger)
