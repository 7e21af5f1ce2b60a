"""Class scrapers: made once, set up before and closed after their targets."""

import asyncio

from swather.scraping.scraper import scraper
from tests.scraping.attempts import nothing


def test_plain_setup_and_close_are_called_on_the_loop():
    steps = []

    @scraper
    class Plain:
        def setup(self):
            steps.append("setup")

        async def scrape(self, ctx, target):
            steps.append(target)

        def close(self):
            steps.append("close")

    async def use():
        instance = Plain.new_instance()
        await instance.setup()
        await instance.scrape(None, 1)
        await instance.close()

    asyncio.run(use())
    assert steps == ["setup", 1, "close"]


def test_async_setup_and_close_of_a_plain_scraper_are_run_for_its_thread():
    steps = []

    @scraper
    class Mixed:
        async def setup(self):
            steps.append("setup")

        def scrape(self, ctx, target): ...

        async def close(self):
            steps.append("close")

    instance = Mixed.new_instance()
    instance.setup_blocking(asyncio.run)
    instance.close_blocking(asyncio.run)
    assert steps == ["setup", "close"]


def test_each_instance_is_its_own():
    @scraper
    class Counting:
        def __init__(self):
            self.seen = 0

        def scrape(self, ctx, target):
            self.seen += 1
            return self.seen

    first, second = Counting.new_instance(), Counting.new_instance()
    assert [first.scrape(None, 1), first.scrape(None, 1), second.scrape(None, 1)] == [1, 2, 1]


def test_a_function_has_nothing_to_set_up():
    instance = nothing.new_instance()
    asyncio.run(instance.setup())
    instance.close_blocking(asyncio.run)
