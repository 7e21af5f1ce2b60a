"""ctx.remember and ctx.recall, wherever the scraper runs."""

import pytest

from swather.errors import Permanent, Transient
from swather.model.retry import Backoff
from swather.scraping.scraper import Scraper, scraper
from tests.worker.given import Shop

AT_ONCE = Backoff(factor=1.0, cap_seconds=0.001, jitter=0.0)


@scraper
async def on_the_loop(ctx, target):
    known = await ctx.recall(["seen", "never"], max_age=3_600)
    ctx.remember("seen", {"target": target, "big": 2**70})
    yield known


@scraper
def in_a_thread(ctx, target):
    known = ctx.recall(["seen", "never"], max_age=3_600)
    ctx.remember("seen", {"target": target, "big": 2**70})
    return known


@scraper(isolation="process")
def in_a_child(ctx, target):
    known = ctx.recall(["seen", "never"], max_age=3_600)
    ctx.remember("seen", {"target": target, "big": 2**70})
    ctx.checkpoint(1)
    return known


@pytest.mark.slow
@pytest.mark.parametrize(
    "made",
    [on_the_loop, in_a_thread, pytest.param(in_a_child, marks=pytest.mark.slow)],
    ids=lambda made: made.name,
)
def test_a_later_run_recalls_what_an_earlier_one_remembered(either_shop: Shop, made: Scraper):
    first, _ = either_shop.scrape(made, ["a"])
    second, _ = either_shop.scrape(made, ["b"])
    assert either_shop.items(first) == [{}]
    assert either_shop.items(second) == [{"seen": {"target": "a", "big": 2**70}}]


def test_only_what_is_committed_is_remembered(shop: Shop):
    @scraper(retries=1, backoff=AT_ONCE)
    async def tries(ctx, target):
        if ctx.attempt == 1:
            ctx.remember("checkpointed")
            await ctx.checkpoint(1)
            ctx.remember("lost")
            raise Transient("the site went away")
        if target == "fails":
            raise Permanent("no", reason="gone")
        ctx.remember("completed")
        yield sorted(await ctx.recall(["checkpointed", "lost", "completed"]))

    run, _ = shop.scrape(tries, ["completes"])
    assert shop.items(run) == [["checkpointed"]]
    shop.scrape(tries, ["fails"])
    keys = ["checkpointed", "lost", "completed"]
    assert sorted(shop.store.memories.recall("tries", keys)) == ["checkpointed", "completed"]
