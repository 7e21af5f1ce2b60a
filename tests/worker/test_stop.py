import asyncio
import threading

import pytest

from swather.model.worker import WorkerState
from swather.scraping.scraper import scraper
from tests.worker.given import Shop, until, wait_until


@scraper
async def idle(ctx, target):
    return None


@pytest.mark.slow
def test_an_idle_worker_stops_at_once(either_shop: Shop):
    working = either_shop.start(idle, forever=True)
    wait_until(either_shop.store.workers.find)
    assert working.stop() < 2.0
    assert working.report().reason == "stopped"
    assert either_shop.store.workers.find() == []
    (worker,) = either_shop.store.workers.find(live=False)
    assert worker.state is WorkerState.RETIRED


@pytest.mark.slow
def test_a_busy_worker_finishes_what_runs_and_gives_back_the_rest(either_shop: Shop):
    release, began = threading.Event(), []

    @scraper
    async def work(ctx, target):
        began.append(target)
        await until(release)

    run = either_shop.run(work, 10)
    working = either_shop.start(work, run=run, concurrency=3)
    wait_until(lambda: len(began) == 3)
    working.worker.stop()
    release.set()
    report = working.report()
    assert (report.completed, report.reason) == (3, "stopped")
    assert either_shop.counts(run) == {"completed": 3, "ready": 7}


@pytest.mark.slow
def test_what_does_not_end_within_the_grace_time_goes_back_without_a_charge(shop: Shop):
    began = []

    @scraper
    async def endless(ctx, target):
        began.append(target)
        await asyncio.sleep(1_000)

    @scraper
    def endless_in_thread(ctx, target):
        began.append(target)
        ctx.sleep(1_000)

    for scrape in (endless, endless_in_thread):
        began.clear()
        run = shop.run(scrape, 5)
        working = shop.start(scrape, run=run, concurrency=2, grace_seconds=0.3)
        wait_until(lambda: len(began) == 2)
        assert 0.3 <= working.stop() < 2.5
        assert shop.counts(run) == {"ready": 5}
        assert working.report().released == 2
        assert {task.attempts for task in shop.tasks(run).values()} == {0}


def test_a_second_stop_is_at_once_and_leaves_nothing_leased(shop: Shop):
    began = threading.Event()

    @scraper
    async def endless(ctx, target):
        began.set()
        await asyncio.sleep(1_000)

    run = shop.run(endless, 5)
    working = shop.start(endless, run=run, concurrency=2, grace_seconds=600)
    assert began.wait(20)
    working.worker.stop()
    assert working.stop(now=True) < 2.5
    assert shop.counts(run) == {"ready": 5}


@pytest.mark.slow
def test_a_target_that_ignores_the_stop_does_not_hold_it_up(shop: Shop):
    began, release = threading.Event(), threading.Event()

    @scraper
    def deaf(ctx, target):
        began.set()
        release.wait(600)

    run = shop.run(deaf, 1)
    working = shop.start(deaf, run=run)
    assert began.wait(20)
    assert working.stop(now=True) < 5
    release.set()
    assert shop.counts(run) == {"ready": 1}


def test_a_stop_before_the_start_counts(shop: Shop):
    run = shop.run(idle, 3)
    worker = shop.worker(idle, run=run)
    worker.stop()
    assert worker.run().reason == "stopped"
    assert shop.counts(run) == {"ready": 3}


def test_prefetched_leases_go_back_when_a_worker_stops(shop: Shop):
    done = []

    @scraper
    async def quick(ctx, target):
        done.append(target)
        if len(done) == 400:
            working.worker.stop()

    run = shop.run(quick, 5_000)
    working = shop.start(quick, run=run)
    working.report()
    counts = shop.counts(run)
    assert "leased" not in counts
    assert counts["completed"] + counts["ready"] == 5_000
    assert shop.store.runs.counts(run).retries == 0
