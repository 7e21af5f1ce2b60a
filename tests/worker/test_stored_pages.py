"""Pages are kept as they come, and a replay is answered from them alone."""

from collections.abc import Iterator
from typing import Any

import pytest

from swather import Permanent, scraper
from swather.model.lease import Strategy
from swather.model.task_filter import TaskFilter
from swather.runs import replay
from swather.scraping.scraper import Scraper
from swather.testing import Answer, Asked, FakeSite
from tests.worker.given import Shop

pytestmark = pytest.mark.slow


def echo(asked: Asked) -> str:
    return f"{asked.body.decode()} {asked.query}"


@pytest.fixture
def site() -> Iterator[FakeSite]:
    def busy(asked: Asked) -> Answer:
        return Answer("busy", 500) if asked.times == 1 else Answer("fine")

    routes = {"/": "start", "/echo": echo, "/busy": busy, "/gone": Answer("gone", 404)}
    with FakeSite({**routes, **{f"/{n}": f"page {n}" for n in range(5)}}) as opened:
        yield opened


def stored(shop: Shop, made: Scraper, targets: list[Any]) -> str:
    run, _ = shop.scrape(made, targets, concurrency=1)
    return run


def replayed(shop: Shop, made: Scraper, run: str, *, fail: bool = False, **options: Any) -> Any:
    """The items after a replay, which all of its targets survive, or none."""
    replay.begin(shop.store, shop.store.runs.get(run), made)
    shop.start(made, run=run, replay=True, **options).report()
    assert replay.is_done(shop.store, run)
    replay.end(shop.store, run)
    assert list(shop.counts(run)) == ["failed" if fail else "completed"]
    return shop.items(run)


def test_every_request_of_a_target_is_answered_as_it_was(either_shop: Shop, site: FakeSite):
    @scraper(store_pages=True, allow_private=True)
    async def asks(ctx, url):
        for n in range(2):
            page = await ctx.post("/echo", data={"n": n}, params={"q": n})
            yield {"text": page.text, "path": page.url.removeprefix(site.url)}
        page = await ctx.get("/gone", check=False)
        yield {"text": page.text, "status": page.status}

    run = stored(either_shop, asks, [site.url + "/"])
    asked = site.requests.total()
    before = either_shop.items(run)
    assert len(before) == 3
    assert replayed(either_shop, asks, run) == before
    assert site.requests.total() == asked


def test_what_a_retry_brought_takes_the_place_of_what_failed(shop: Shop, site: FakeSite):
    @scraper(store_pages=True, allow_private=True, backoff=1)
    async def waits(ctx, url):
        return {"text": (await ctx.get(url)).text}

    run = stored(shop, waits, [site.url + "/busy"])
    assert replayed(shop, waits, run) == [{"text": "fine"}]


def test_nothing_is_kept_unless_it_is_wanted(shop: Shop, site: FakeSite):
    @scraper(allow_private=True)
    async def plain(ctx, url):
        return {"text": (await ctx.get(url)).text}

    run = stored(shop, plain, [site.url + "/"])
    assert shop.store.pages.tasks(run) == []


def test_the_run_says_whether_pages_are_kept_whatever_the_worker_thinks(shop: Shop, site: FakeSite):
    @scraper(allow_private=True)
    async def plain(ctx, url):
        return {"text": (await ctx.get(url)).text}

    run = shop.run(plain, [site.url + "/"])
    shop.store.runs.record(run, {"store_pages": True})
    shop.start(plain, run=run).report()
    assert len(shop.store.pages.tasks(run)) == 1


def test_a_failure_is_final_at_once_and_the_old_rows_are_outdated(shop: Shop, site: FakeSite):
    @scraper(name="fails", store_pages=True, allow_private=True)
    async def works(ctx, url):
        return {"text": (await ctx.get(url)).text}

    @scraper(name="fails", retries=3, backoff=60)
    async def fails(ctx, url):
        await ctx.get(url)
        raise ValueError("still broken")

    run = stored(shop, works, [site.url + "/"])
    assert replayed(shop, fails, run, fail=True) == []
    counts = shop.store.runs.counts(run)
    assert (counts.retries, counts.items, counts.outdated) == (0, 0, 1)


def test_checkpoints_of_a_failed_target_are_made_anew(shop: Shop, site: FakeSite):
    def made(text: str, *, fail: bool) -> Scraper:
        @scraper(name="parts", store_pages=True, allow_private=True)
        async def parts(ctx, url):
            for n in range(ctx.cursor or 0, 3):
                page = await ctx.get(f"/{n}")
                ctx.emit({"text": f"{text} {page.text}"})
                await ctx.checkpoint(n + 1)
            if fail:
                raise Permanent("no")

        return parts

    run = stored(shop, made("old", fail=True), [site.url + "/"])
    assert len(shop.items(run)) == 3
    items = replayed(shop, made("new", fail=False), run)
    assert items == [{"text": f"new page {n}"} for n in range(3)]


def test_what_is_not_stored_is_said(shop: Shop, site: FakeSite):
    def made(path: str) -> Scraper:
        @scraper(name="asks", store_pages=True, allow_private=True)
        async def asks(ctx, url):
            return {"text": (await ctx.get(path)).text}

        return asks

    run = stored(shop, made("/1"), [site.url + "/"])
    replayed(shop, made("/2"), run, fail=True)
    (task,) = shop.store.tasks.find(TaskFilter(run=run))
    assert (task.state, task.reason) == ("failed", "not_stored")
    assert site.requests["/2"] == 0


def test_what_a_class_fetched_in_its_setup_is_found_for_any_target(shop: Shop, site: FakeSite):
    @scraper(store_pages=True, allow_private=True)
    class Members:
        async def setup(self, web):
            page = await web.post(f"{site.url}/echo", data={"user": "me"})
            self.token = page.text

        async def scrape(self, ctx, url):
            return {"text": (await ctx.get(url)).text, "token": self.token}

    run = stored(shop, Members, [f"{site.url}/{n}" for n in range(5)])
    asked = site.requests.total()
    items = replayed(shop, Members, run, strategy=Strategy.LIFO, concurrency=1)
    assert sorted(item["text"] for item in items) == [f"page {n}" for n in range(5)]
    assert {item["token"] for item in items} == {"user=me "}
    assert site.requests.total() == asked


def test_partitions_and_rates_hold_nothing_back(shop: Shop, site: FakeSite):
    @scraper(store_pages=True, allow_private=True, partition=lambda url: url[-1], rate="50/s")
    async def paced(ctx, url):
        return {"text": (await ctx.get(url)).text}

    run = stored(shop, paced, [f"{site.url}/{n}" for n in range(5)])
    host = site.url.removeprefix("http://")
    shop.store.lanes.pause(host)
    shop.store.lanes.cool(host, 600)
    assert len(replayed(shop, paced, run)) == 5


def test_a_replay_asks_no_source_and_notes_none(shop: Shop, site: FakeSite):
    @scraper(store_pages=True, allow_private=True)
    async def asks(ctx, url):
        page = await ctx.get(url)
        ctx.note_source("api", ok=False, seconds=0.5, error="HTTP 500")
        await ctx.checkpoint(1)
        ctx.note_source("api", ok=False, seconds=0.5, error="HTTP 500")
        yield {"text": page.text, "skipped": (await ctx.ask_source("api")).is_open}

    run = stored(shop, asks, [f"{site.url}/{n}" for n in range(3)])
    before = shop.store.sources.of_run(run)
    assert [stats.failed for stats in before] == [6]
    assert [item["skipped"] for item in shop.items(run)] == [False, True, True]
    assert not any(item["skipped"] for item in replayed(shop, asks, run))
    assert [stats.failed for stats in shop.store.sources.of_run(run)] == [6]


def test_a_replay_knows_nothing_and_remembers_nothing(shop: Shop, site: FakeSite):
    values = iter(range(4))

    @scraper(store_pages=True, allow_private=True)
    async def remembers(ctx, url):
        page = await ctx.get(url)
        if "seen" not in await ctx.recall(["seen"]):
            yield {"text": page.text}
        ctx.remember("seen", next(values))
        await ctx.checkpoint(1)
        ctx.remember("seen", next(values))

    run = stored(shop, remembers, [f"{site.url}/1"])
    assert replayed(shop, remembers, run) == [{"text": "page 1"}]
    assert shop.store.memories.recall("remembers", ["seen"]) == {"seen": 1}
