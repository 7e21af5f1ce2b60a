import asyncio
import threading

import pytest

from swather.errors import InputError, NotFound
from swather.model.retry import Backoff
from swather.model.run import RunState
from swather.model.task import Target
from swather.scraping.scraper import scraper
from tests.store.given import a_producer, targets
from tests.worker.given import Shop, until, wait_until


@scraper
async def double(ctx, target):
    yield {"target": target, "double": 2 * target}


@scraper
def double_in_thread(ctx, target):
    return {"target": target, "double": 2 * target}


@scraper(isolation="process")
def double_in_child(ctx, target):
    yield {"target": target, "double": 2 * target}


@scraper(isolation="process")
async def double_in_async_child(ctx, target):
    await asyncio.sleep(0)
    return {"target": target, "double": 2 * target}


@scraper
async def tree(ctx, target):
    """Every node has two children, down to the fourth level."""
    if target < 8:
        ctx.add(2 * target)
        ctx.add(2 * target + 1)
    return {"node": target}


@pytest.mark.slow
@pytest.mark.parametrize("scrape", [double, double_in_thread])
def test_every_target_is_scraped_and_its_items_are_committed(either_shop: Shop, scrape):
    run, report = either_shop.scrape(scrape, 50)
    assert either_shop.counts(run) == {"completed": 50}
    assert sorted(item["double"] for item in either_shop.items(run)) == list(range(0, 100, 2))
    assert (report.completed, report.reason) == (50, "finished")


@pytest.mark.slow
@pytest.mark.parametrize("scrape", [double_in_child, double_in_async_child])
def test_a_child_process_scrapes_like_the_worker_itself(shop: Shop, scrape):
    run, _ = shop.scrape(scrape, 20, concurrency=2)
    assert shop.counts(run) == {"completed": 20}
    assert sorted(item["double"] for item in shop.items(run)) == list(range(0, 40, 2))


@pytest.mark.slow
def test_a_run_is_finished_when_its_last_task_is(either_shop: Shop):
    run, _ = either_shop.scrape(double, 3)
    assert either_shop.store.runs.get(run).state is RunState.FINISHED


@pytest.mark.slow
def test_what_scrapers_add_is_scraped_too(either_shop: Shop):
    run, _ = either_shop.scrape(tree, [1])
    assert sorted(item["node"] for item in either_shop.items(run)) == list(range(1, 16))


@pytest.mark.slow
def test_several_workers_share_a_run(either_shop: Shop):
    run = either_shop.run(double, 500)
    workers = [either_shop.start(double, run=run, concurrency=4) for _ in range(3)]
    reports = [worker.report() for worker in workers]
    assert sum(report.completed for report in reports) == 500
    assert len(either_shop.items(run)) == 500


def test_a_worker_without_a_run_serves_all_runs_of_its_scrapers_and_no_others(shop: Shop):
    first, second = shop.run(double, 5), shop.run(double, 5)
    foreign = shop.run(tree, [1])
    report = shop.start(double).report()
    assert report.completed == 10
    assert shop.counts(first) == shop.counts(second) == {"completed": 5}
    assert shop.counts(foreign) == {"ready": 1}


def test_a_worker_for_ever_waits_for_more(shop: Shop):
    run = shop.run(double, 2)
    working = shop.start(double, forever=True)
    wait_until(lambda: shop.store.runs.get(run).state is RunState.FINISHED)
    again = shop.run(double, 3)
    shop.store.hints.send()
    wait_until(lambda: shop.counts(again) == {"completed": 3})
    assert not working.has_ended


def test_never_more_run_at_once_than_there_are_slots(shop: Shop):
    running, most = 0, 0

    @scraper
    async def busy(ctx, target):
        nonlocal running, most
        running += 1
        most = max(most, running)
        await asyncio.sleep(0.001 * (target % 5))
        running -= 1

    shop.scrape(busy, 200, concurrency=7)
    assert most == 7


def test_quick_tasks_are_committed_many_at_a_time(shop: Shop):
    run, _ = shop.scrape(double, 2_000)
    db = shop.store.connection
    tokens = db.value("SELECT count(DISTINCT token) FROM outcomes")
    assert tokens < 200
    assert shop.counts(run) == {"completed": 2_000}


def test_slow_tasks_are_not_held_back_from_other_workers(shop: Shop):
    release = threading.Event()
    began = []

    @scraper
    async def slow(ctx, target):
        began.append(target)
        await until(release)

    run = shop.run(slow, 4)
    first = shop.start(slow, run=run, concurrency=2)
    wait_until(lambda: len(began) == 2)
    assert shop.counts(run) == {"leased": 2, "ready": 2}
    second = shop.start(slow, run=run, concurrency=2)
    wait_until(lambda: len(began) == 4)
    release.set()
    assert first.report().completed + second.report().completed == 4


@pytest.mark.slow
def test_leases_that_wait_behind_a_slow_task_are_given_back(shop: Shop):
    release = threading.Event()
    slow_began = threading.Event()

    @scraper
    async def uneven(ctx, target):
        if target == 100:
            slow_began.set()
            await until(release)

    run = shop.run(uneven, 1_000)
    first = shop.start(uneven, run=run, concurrency=1)
    assert slow_began.wait(20)
    wait_until(lambda: shop.counts(run).get("leased") == 1, 10)
    second = shop.start(uneven, run=run, concurrency=1)
    wait_until(lambda: shop.counts(run).get("completed") == 999)
    release.set()
    assert first.report().completed + second.report().completed == 1_000
    assert shop.store.runs.counts(run).retries == 0


def test_a_retry_waits_for_its_time_and_not_in_a_slot(shop: Shop):
    attempts = []

    @scraper(retries=1, backoff=Backoff(factor=1.0, cap_seconds=0.3, jitter=0.0), timeout=5)
    async def flaky(ctx, target):
        attempts.append(ctx.attempt)
        if target == 0 and ctx.attempt == 1:
            raise ConnectionError("reset by peer")

    run, report = shop.scrape(flaky, 3, concurrency=1)
    assert attempts == [1, 1, 1, 2]
    assert shop.counts(run) == {"completed": 3}
    assert report.retried == 1


def test_a_run_that_waits_for_its_producer_is_not_left(shop: Shop):
    run = shop.run(double)
    producer = a_producer(shop.store, run)
    working = shop.start(double, run=run, poll_seconds=0.05)
    shop.store.tasks.enqueue(run, targets(1))
    shop.store.hints.send()
    wait_until(lambda: shop.counts(run) == {"completed": 1})
    assert not working.has_ended
    shop.store.workers.retire(producer)
    assert working.report().completed == 1


def test_a_worker_without_the_scraper_of_its_run_says_so(shop: Shop):
    run = shop.run(tree, [1])
    with pytest.raises(InputError, match="scraper 'tree', which this worker does not have"):
        shop.start(double, run=run).report()


def test_a_run_that_is_not_there_is_told(shop: Shop):
    with pytest.raises(NotFound):
        shop.start(double, run="nowhere").report()


def test_a_worker_with_another_version_says_so(shop: Shop, caplog: pytest.LogCaptureFixture):
    @scraper(version="2")
    async def versioned(ctx, target):
        return None

    run = shop.run(versioned, 1)
    shop.store.connection.execute("UPDATE runs SET version = '1'")
    shop.start(versioned, run=run).report()
    assert "version '1' of scraper versioned; this worker has version '2'" in caplog.text


@pytest.mark.slow
def test_a_cancelled_run_ends_its_worker(shop: Shop):
    @scraper
    async def endless(ctx, target):
        await asyncio.sleep(1_000)

    run = shop.run(endless, 20)
    working = shop.start(endless, run=run, concurrency=2)
    wait_until(lambda: shop.counts(run).get("leased") == 2)
    shop.store.runs.cancel(run)
    assert working.report(8).reason == "cancelled"
    assert shop.counts(run) == {"cancelled": 20}


def test_partitions_are_served_by_whoever_has_room(shop: Shop):
    @scraper(partition=lambda target: f"p{target % 3}")
    async def by_state(ctx, target):
        return {"target": target}

    run = shop.run(by_state, 9)
    workers = [shop.start(by_state, run=run, concurrency=1, poll_seconds=0.05) for _ in range(2)]
    assert sum(worker.report().completed for worker in workers) == 9


@pytest.mark.slow
def test_a_partition_that_comes_late_is_served(shop: Shop):
    @scraper
    async def nothing(ctx, target): ...

    run = shop.run(nothing, 1)
    worker = shop.start(nothing, run=run, forever=True, poll_seconds=60)
    wait_until(lambda: shop.counts(run) == {"completed": 1})
    shop.store.tasks.enqueue(run, [Target(value="late", partition="north")])
    shop.store.hints.send()
    wait_until(lambda: shop.counts(run) == {"completed": 2})
    worker.stop()
