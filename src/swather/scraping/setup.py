"""Makes an instance of a scraper for an attempt, and sets it up."""

import asyncio

from swather.scraping.blocking import Run, SyncWeb
from swather.scraping.context import Context
from swather.scraping.instance import Instance
from swather.scraping.scraper import Scraper


async def set_up(scraper: Scraper, context: Context) -> Instance:
    """On this event loop; what its setup() fetches is fetched for this attempt."""
    instance = scraper.new_instance()
    await instance.setup(context._web())  # noqa: SLF001 - not for scrapers
    return instance


def set_up_blocking(
    scraper: Scraper, context: Context, run: Run, *, run_setup: Run = asyncio.run
) -> Instance:
    """In this thread; `run` runs what the web is asked for, `run_setup` a setup() that is async."""
    instance = scraper.new_instance()
    instance.setup_blocking(run_setup, SyncWeb(context._web(), run))  # noqa: SLF001 - see above
    return instance
