import threading

from swather.scraping.scraper import scraper
from tests.worker.given import Shop


def test_a_class_has_an_instance_per_slot_set_up_first_and_closed_at_the_end(shop: Shop):
    made = []

    @scraper
    class Browser:
        def __init__(self):
            self.log = ["made"]
            made.append(self.log)

        async def setup(self):
            self.log.append("set up")

        async def scrape(self, ctx, target):
            self.log.append(target)
            await ctx.sleep(0.002)

        async def close(self):
            self.log.append("closed")

    shop.scrape(Browser, 30, concurrency=3)
    assert len(made) == 3
    assert all(log[:2] == ["made", "set up"] and log[-1] == "closed" for log in made)
    assert sorted(target for log in made for target in log[2:-1]) == list(range(30))


def test_a_plain_class_stays_in_its_thread(shop: Shop):
    threads: dict[int, set[int]] = {}

    @scraper
    class Driver:
        def setup(self):
            threads[id(self)] = {threading.get_ident()}

        def scrape(self, ctx, target):
            threads[id(self)].add(threading.get_ident())

        def close(self):
            threads[id(self)].add(threading.get_ident())

    shop.scrape(Driver, 20, concurrency=2)
    assert 1 <= len(threads) <= 2
    assert all(len(seen) == 1 for seen in threads.values())


def test_a_setup_that_fails_is_the_failure_of_its_target(shop: Shop):
    @scraper(retries=0)
    class Broken:
        async def setup(self):
            raise ConnectionError("no browser here")

        async def scrape(self, ctx, target):
            return None

    run, _ = shop.scrape(Broken, 2)
    assert shop.counts(run) == {"failed": 2}
    assert "no browser here" in shop.tasks(run)[0].error


def test_an_instance_whose_target_was_cut_is_not_used_again(shop: Shop):
    used = []

    @scraper(timeout=0.1, retries=0)
    class Fragile:
        async def scrape(self, ctx, target):
            used.append(id(self))
            kept.append(self)
            if target == 0:
                await ctx.sleep(100)

    kept = []
    shop.scrape(Fragile, 3, concurrency=1)
    assert used[0] != used[1] == used[2]
