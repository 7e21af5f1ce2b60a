"""Scrapy, one spider over a list of URLs.

Settings: those of its page on broad crawls (concurrency as given and the same per host, no
cookies, retries, redirects or meta refresh, a log level above DEBUG), no delay, no robots file, no
telnet console, and uvloop, which its page on asyncio names. `handler` is "twisted" for the default
download handler, or "aiohttp" for the one that Scrapy ships for running without Twisted's reactor.
Its queue and items are in memory; `crawl` has a JOBDIR, so that a crawl can go on.
"""

import time
from typing import Any

import scrapy
from scrapy.crawler import AsyncCrawlerProcess

from bench import driver, tally


class Pages(scrapy.Spider):
    name = "pages"
    urls = ""
    count = 0
    fetched = 0
    began = 0.0
    ended = 0.0

    async def start(self):
        Pages.began = time.perf_counter()
        for number in range(self.count):
            yield scrapy.Request(f"{self.urls}{number}", callback=self.parse)

    def parse(self, response):
        Pages.fetched += 1
        Pages.ended = time.perf_counter()
        yield {"url": response.url, "bytes": len(response.body)}


def fetch(urls: str, count: int, at_once: int, handler: str = "twisted") -> dict[str, Any]:
    settings: dict[str, Any] = {
        "ASYNCIO_EVENT_LOOP": "uvloop.Loop",
        "CONCURRENT_REQUESTS": at_once,
        "CONCURRENT_REQUESTS_PER_DOMAIN": at_once,
        "COOKIES_ENABLED": False,
        "DOWNLOAD_DELAY": 0,
        "LOG_LEVEL": "WARNING",
        "METAREFRESH_ENABLED": False,
        "REACTOR_THREADPOOL_MAXSIZE": 20,
        "REDIRECT_ENABLED": False,
        "RETRY_ENABLED": False,
        "ROBOTSTXT_OBEY": False,
        "TELNETCONSOLE_ENABLED": False,
    }
    if handler == "aiohttp":
        settings["TWISTED_REACTOR_ENABLED"] = False
    process = AsyncCrawlerProcess(settings)
    process.crawl(Pages, urls=urls, count=count)
    before = driver.spent()["cpu_seconds"]
    process.start()
    assert Pages.fetched == count, f"{Pages.fetched} of {count} fetched"
    spent = driver.spent()
    seconds = Pages.ended - Pages.began
    return {**spent, "cpu_seconds": spent["cpu_seconds"] - before, "seconds": seconds}


class Crawl(scrapy.Spider):
    """Finds all pages on a first one, and marks every page that was parsed."""

    name = "crawl"
    urls = ""
    count = 0

    async def start(self):
        yield scrapy.Request(f"{self.urls}first", callback=self.parse_first)

    def parse_first(self, response):
        for number in range(self.count):
            yield scrapy.Request(f"{self.urls}{number}", callback=self.parse)

    def parse(self, response):
        tally.mark("done", response.url.rpartition("/")[2])


def crawl(urls: str, count: int, at_once: int, keep: str) -> dict[str, Any]:
    """With a JOBDIR, begun again where it is."""
    process = AsyncCrawlerProcess(
        {
            "CONCURRENT_REQUESTS": at_once,
            "CONCURRENT_REQUESTS_PER_DOMAIN": at_once,
            "JOBDIR": keep,
            "LOG_LEVEL": "WARNING",
            "TELNETCONSOLE_ENABLED": False,
        }
    )
    process.crawl(Crawl, urls=urls, count=count)
    process.start()
    return {}


if __name__ == "__main__":
    driver.main(crawl=crawl, fetch=fetch)
