"""A scraper that says "later": the target comes back at its time, and nothing was its fault."""

import pytest

from swather.errors import Later
from swather.runs.why import why_run, why_task
from swather.scraping.scraper import scraper
from tests.worker.given import Shop, wait_until


@scraper(retries=0)
async def early(ctx, target):
    if target == "premiere":
        raise Later("premieres in 2 hours", after=7200)
    return {"target": target}


@scraper(retries=0, isolation="process")
def early_in_a_child(ctx, target):
    if target == "premiere":
        raise Later("premieres in 2 hours", after=7200)
    return {"target": target}


@pytest.mark.slow
@pytest.mark.parametrize("postponing", [early, early_in_a_child], ids=lambda one: one.name)
def test_a_postponed_target_waits_for_its_time_and_says_so(either_shop: Shop, postponing):
    shop = either_shop
    run = shop.run(postponing, ["premiere", "film"])
    working = shop.start(postponing, run=run)
    wait_until(lambda: shop.counts(run) == {"scheduled": 1, "completed": 1})
    task = shop.tasks(run)["premiere"]
    told = [reason.text for reason in why_task(shop.store, task.id)]
    assert any(
        text.startswith("Its scraper postponed it to ") and text.endswith(": premieres in 2 hours")
        for text in told
    ), told
    (waiting,) = (
        reason for reason in why_run(shop.store, run) if reason.code == "waiting_to_retry"
    )
    assert "The scraper has postponed targets 1 time." in waiting.text
    assert waiting.values["postponed"] == 1
    working.stop()
    assert shop.store.breakers.find(scraper=postponing.name) == []
    assert working.report().failed == 0


def test_a_target_that_is_postponed_without_end_fails_as_too_late(shop: Shop):
    times = []

    @scraper
    async def never(ctx, target):
        times.append(ctx.attempt)
        raise Later("not yet", after=0)

    run, report = shop.scrape(never, [1])
    task = shop.only(run)
    assert (task.state, task.reason) == ("failed", "too_late")
    assert task.error == "postponed 100 times, and still: not yet"
    assert times == [1] * 101
    assert report.failed == 1
