import asyncio
import sys

import pytest

from swather.errors import Blocked, Permanent, Transient
from swather.model.lane import PacedKind
from swather.model.outcome import Item
from swather.model.retry import Backoff
from swather.scraping.scraper import scraper
from tests.worker.given import Shop

AT_ONCE = Backoff(factor=1.0, cap_seconds=0.0, jitter=0.0)


def test_a_failed_task_carries_message_and_traceback(shop: Shop):
    @scraper(retries=0)
    async def broken(ctx, target):
        return {"a": 1}[target]

    run, report = shop.scrape(broken, ["b"])
    task = shop.tasks(run)["b"]
    assert (task.state, task.reason, task.error_class) == ("failed", "transient", "transient")
    assert task.error == "KeyError: 'b'"
    assert 'return {"a": 1}[target]' in task.traceback
    assert report.failed == 1


def test_three_retries_are_four_executions(shop: Shop):
    attempts = []

    @scraper(retries=3, backoff=AT_ONCE)
    async def broken(ctx, target):
        attempts.append(ctx.attempt)
        raise Transient("not yet")

    run, report = shop.scrape(broken, [1])
    assert attempts == [1, 2, 3, 4]
    assert (report.retried, report.failed) == (3, 1)
    assert shop.tasks(run)[1].attempts == 4


def test_a_permanent_failure_is_not_tried_again(shop: Shop):
    attempts = []

    @scraper(backoff=AT_ONCE)
    def hopeless(ctx, target):
        attempts.append(target)
        raise Permanent("this video has none", reason="no_subtitles")

    run, _ = shop.scrape(hopeless, [1])
    assert attempts == [1]
    assert shop.tasks(run)[1].reason == "no_subtitles"


def test_no_error_of_a_scraper_stops_the_worker(shop: Shop):
    class OwnError(BaseException):
        pass

    raising = [ValueError("x"), SystemExit(3), OwnError("y"), MemoryError(), RecursionError()]

    @scraper(retries=0)
    async def nasty(ctx, target):
        if target < len(raising):
            raise raising[target]

    @scraper(retries=0)
    def nasty_in_thread(ctx, target):
        if target == 0:
            sys.exit("leaving")
        if target == 1:
            raise OwnError

    run, _ = shop.scrape(nasty, 10, concurrency=2)
    assert shop.counts(run) == {"completed": 5, "failed": 5}
    run, _ = shop.scrape(nasty_in_thread, 10, concurrency=2)
    assert shop.counts(run) == {"completed": 8, "failed": 2}


def test_an_exit_in_a_task_that_a_scraper_has_started_is_the_scrapers_own(shop: Shop):
    async def leave():
        sys.exit(0)

    @scraper(retries=0)
    async def gathering(ctx, target):
        if target % 4 == 0:
            await asyncio.gather(asyncio.sleep(0.01), leave())

    run, report = shop.scrape(gathering, 10, concurrency=2)
    assert report.reason == "finished"
    assert shop.counts(run) == {"completed": 7, "failed": 3}


def test_what_an_attempt_produced_before_it_failed_is_not_kept(shop: Shop):
    @scraper(retries=1, backoff=AT_ONCE)
    async def halfway(ctx, target):
        if target != "first":
            return
        ctx.emit({"attempt": ctx.attempt})
        ctx.add(f"child of attempt {ctx.attempt}")
        if ctx.attempt == 1:
            raise ConnectionError

    run, _ = shop.scrape(halfway, ["first"])
    assert set(shop.tasks(run)) == {"first", "child of attempt 2"}
    assert shop.items(run) == [{"attempt": 2}]


def test_an_item_that_is_no_json_fails_its_target_and_no_other(shop: Shop):
    @scraper
    async def odd(ctx, target):
        return {"value": object() if target == 1 else target}

    run, _ = shop.scrape(odd, 20)
    assert shop.counts(run) == {"completed": 19, "failed": 1}
    task = shop.tasks(run)[1]
    assert task.reason == "bad_item"
    assert "is not JSON" in task.error


def test_a_result_that_the_store_refuses_fails_its_task_and_no_other(shop: Shop):
    @scraper
    async def sneaky(ctx, target):
        if target == 3:
            ctx.collected().items.append(Item({"not": object()}))
        return {"target": target}

    run, _ = shop.scrape(sneaky, 50)
    assert shop.counts(run) == {"completed": 49, "failed": 1}
    assert "not JSON" in shop.tasks(run)[3].error


@pytest.mark.slow
def test_a_site_that_refuses_one_target_is_left_alone(shop: Shop):
    @scraper(lane="example.com")
    async def refused(ctx, target):
        if ctx.attempt == 1:
            raise Blocked("HTTP 429", after=0.4)

    run = shop.run(refused, [1])
    working = shop.start(refused, run=run)
    assert working.report().completed == 1
    lane = shop.store.lanes.get("example.com", PacedKind.LANE)
    assert lane.cool_reason.startswith("HTTP")
