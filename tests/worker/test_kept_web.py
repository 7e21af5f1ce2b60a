"""A class that keeps the web its setup was given, however it is isolated."""

import threading

import pytest

from swather.errors import AttemptOver, LeaseLost
from swather.scraping.scraper import Scraper, scraper
from tests.worker.given import Shop, wait_until
from tests.worker.sites import NotingSite


class Keeping:
    async def setup(self, web):
        self.web = web
        await web.get(f"{web.params['site']}/setup/")

    async def scrape(self, ctx, url):
        # Its own, and one next to it: neither has to do with what came before.
        own, near = await self.web.get(), await self.web.get("near")
        return [own.url, near.url]


class PlainKeeping:
    def setup(self, web):
        self.web = web
        web.get(f"{web.params['site']}/setup/")

    def scrape(self, ctx, url):
        own, near = self.web.get(), self.web.get("near")
        return [own.url, near.url]


OPTIONS = {"in_flight": None, "retries": 0, "allow_private": True, "timeout": 60}
in_task = scraper(name="keeping_in_task", **OPTIONS)(Keeping)
in_thread = scraper(name="keeping_in_thread", **OPTIONS)(PlainKeeping)
in_child = scraper(name="keeping_in_child", isolation="process", **OPTIONS)(Keeping)
in_plain_child = scraper(name="keeping_in_plain_child", isolation="process", **OPTIONS)(
    PlainKeeping
)


@pytest.mark.slow
@pytest.mark.parametrize(
    "keeping",
    [
        in_task,
        in_thread,
        pytest.param(in_child, marks=pytest.mark.slow),
        pytest.param(in_plain_child, marks=pytest.mark.slow),
    ],
    ids=lambda keeping: keeping.name,
)
def test_a_web_that_is_kept_fetches_for_every_target(
    either_shop: Shop, site: NotingSite, keeping: Scraper
):
    urls = [f"{site.url}/{number}/" for number in range(4)]
    run = either_shop.run(keeping, urls, params={"site": site.url})
    either_shop.start(keeping, run=run, concurrency=1).report()
    assert either_shop.counts(run) == {"completed": 4}
    pages = [url for own in urls for url in (own, f"{own}near")]
    assert sorted(either_shop.items(run)) == sorted(pages)
    assert site.paths().count("/setup/") == 1


@pytest.mark.slow
def test_a_web_that_is_kept_is_cut_with_the_attempt_it_fetches_for(
    either_shop: Shop, site: NotingSite
):
    """And what it raises in one attempt says nothing about another one."""
    met: list[BaseException] = []

    @scraper(**{**OPTIONS, "timeout": 0.3})
    class Slow:
        def setup(self, web):
            self.web = web

        def scrape(self, ctx, url):
            if not url.endswith("/0/"):
                return self.web.get().url
            release.wait(30)
            try:
                return self.web.get().url
            except LeaseLost as error:
                met.append(error)
                raise

    release = threading.Event()
    urls = [f"{site.url}/{number}/" for number in range(3)]
    run = either_shop.run(Slow, urls)
    working = either_shop.start(Slow, run=run, concurrency=1, forever=True)
    wait_until(lambda: either_shop.counts(run) == {"completed": 2, "failed": 1})
    release.set()
    wait_until(lambda: met)
    working.stop()
    lost = either_shop.tasks(run)[urls[0]]
    assert lost.reason == "timeout"
    (error,) = met
    assert error.task_id == lost.id
    assert "/0/" not in site.paths()


@pytest.mark.slow
def test_the_lost_lease_of_another_attempt_is_a_failure_like_any_other(either_shop: Shop):
    """It has an outcome, and the run an end."""

    @scraper(retries=0, timeout=60)
    async def borrowing(ctx, target):
        raise LeaseLost("of somebody else", task_id=10**6, token=1)

    run, report = either_shop.scrape(borrowing, 2)
    assert either_shop.counts(run) == {"failed": 2}
    assert report.lost == 0
    assert "of somebody else" in either_shop.tasks(run)[0].error


@pytest.mark.parametrize("is_async", [True, False], ids=["task", "thread"])
def test_a_web_that_is_kept_fetches_for_nobody_between_targets(
    shop: Shop, site: NotingSite, is_async: bool
):
    raised: list[BaseException] = []

    class Leaving:
        async def setup(self, web):
            self.web = web

        async def scrape(self, ctx, url):
            return (await self.web.get()).url

        async def close(self):
            try:
                await self.web.get(f"{site.url}/closing")
            except AttemptOver as error:
                raised.append(error)

    class PlainLeaving:
        def setup(self, web):
            self.web = web

        def scrape(self, ctx, url):
            return self.web.get().url

        def close(self):
            try:
                self.web.get(f"{site.url}/closing")
            except AttemptOver as error:
                raised.append(error)

    made = scraper(name="leaving", **OPTIONS)(Leaving if is_async else PlainLeaving)
    run, _ = shop.scrape(made, [f"{site.url}/0"], concurrency=1)
    assert shop.counts(run) == {"completed": 1}
    (error,) = raised
    assert "can be used only in setup() and scrape()" in str(error)
    assert "/closing" not in site.paths()
