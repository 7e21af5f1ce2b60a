"""ctx.note_source and ctx.ask_source, wherever the scraper runs."""

import asyncio

import pytest

from swather.errors import Permanent, Transient
from swather.model.retry import Backoff
from swather.model.source import SourceStats
from swather.scraping.scraper import Scraper, scraper
from tests.worker.given import Shop, wait_until

AT_ONCE = Backoff(factor=1.0, cap_seconds=0.001, jitter=0.0)


@scraper
async def on_the_loop(ctx, target):
    state = await ctx.ask_source("api")
    if not state.is_open:
        ctx.note_source("api", ok=False, seconds=0.5, error=f"HTTP 503 for {target}")
    ctx.note_source("mirror", ok=True, seconds=0.25, counts={"images": 2})
    await ctx.checkpoint(1)
    ctx.note_source("mirror", ok=True, seconds=0.25, counts={"images": 1})


@scraper
def in_a_thread(ctx, target):
    if not ctx.ask_source("api").is_open:
        ctx.note_source("api", ok=False, seconds=0.5, error=f"HTTP 503 for {target}")
    ctx.note_source("mirror", ok=True, seconds=0.25, counts={"images": 2})
    ctx.checkpoint(1)
    ctx.note_source("mirror", ok=True, seconds=0.25, counts={"images": 1})


@scraper(isolation="process")
def in_a_child(ctx, target):
    if not ctx.ask_source("api").is_open:
        ctx.note_source("api", ok=False, seconds=0.5, error=f"HTTP 503 for {target}")
    ctx.note_source("mirror", ok=True, seconds=0.25, counts={"images": 2})
    ctx.checkpoint(1)
    ctx.note_source("mirror", ok=True, seconds=0.25, counts={"images": 1})


def sources(shop: Shop, run: str) -> dict[str, SourceStats]:
    return {stats.source: stats for stats in shop.store.sources.of_run(run)}


@pytest.mark.slow
@pytest.mark.parametrize(
    "made",
    [on_the_loop, in_a_thread, pytest.param(in_a_child, marks=pytest.mark.slow)],
    ids=lambda made: made.name,
)
def test_a_source_that_keeps_failing_is_skipped_and_all_is_counted(
    either_shop: Shop, made: Scraper
):
    run, _ = either_shop.scrape(made, 5, concurrency=1)
    found = sources(either_shop, run)
    api, mirror = found["api"], found["mirror"]
    assert (api.asked, api.failed, api.skipped, api.seconds) == (3, 3, 2, 1.5)
    assert api.failures == {"HTTP 503 for #": 3}
    assert (mirror.asked, mirror.succeeded, mirror.seconds) == (10, 10, 2.5)
    assert mirror.counts == {"images": 15}
    assert (api.breaker.state, mirror.breaker.state) == ("open", "closed")


@pytest.mark.slow
def test_a_failed_attempt_keeps_what_it_noted(shop: Shop):
    @scraper(retries=1, backoff=AT_ONCE, timeout=0.3)
    async def fails(ctx, target):
        ctx.note_source("api", ok=True, seconds=0.5)
        if target == "hangs":
            await asyncio.sleep(60)
        raise Transient("no") if target == "raises" else Permanent("no")

    run, _ = shop.scrape(fails, ["raises", "hangs", "gives up"])
    assert shop.counts(run) == {"failed": 3}
    assert sources(shop, run)["api"].asked == 5  # two attempts, two, and one


@pytest.mark.slow
def test_an_attempt_that_lost_its_lease_has_noted_nothing(shop: Shop):
    @scraper
    async def loses(ctx, target):
        ctx.note_source("api", ok=True, seconds=0.5)
        await asyncio.sleep(60)

    run = shop.run(loses, [1])
    working = shop.start(loses, run=run)
    wait_until(lambda: shop.counts(run) == {"leased": 1})
    shop.store.runs.cancel(run)
    working.report()
    assert sources(shop, run) == {}


def test_secrets_in_errors_of_sources_are_masked(shop: Shop):
    @scraper
    async def leaks(ctx, target):
        ctx.note_source("api", ok=False, seconds=0, error="GET https://api.example/?api_key=s3cret")

    run, _ = shop.scrape(leaks, [1])
    stats = sources(shop, run)["api"]
    assert "s3cret" not in repr(stats)
    assert stats.breaker.reason.startswith("GET https://api.example/")
