"""Makes an instance of a scraper for an attempt, and sets it up."""

import asyncio

from swather.scraping.attempt import RunCoroutine
from swather.scraping.context import Context
from swather.scraping.instance import Instance
from swather.scraping.scraper import Scraper


async def set_up(scraper: Scraper, context: Context) -> Instance:
    """On this event loop, ready for the target of this attempt; setup() fetches on its behalf."""
    instance = Instance(scraper)
    await instance.setup(context._for_instance() if scraper.sets_up_with_web else None)  # noqa: SLF001 - not for scrapers
    instance.serve(context)
    return instance


def set_up_blocking(
    scraper: Scraper,
    context: Context,
    run: RunCoroutine,
    *,
    run_setup: RunCoroutine = asyncio.run,
) -> Instance:
    """In this thread; `run` runs the web's coroutines, `run_setup` an async setup()."""
    instance = Instance(scraper)
    web = context._for_instance(run) if scraper.sets_up_with_web else None  # noqa: SLF001 - see above
    instance.setup_blocking(run_setup, web)
    instance.serve(context, run)
    return instance
