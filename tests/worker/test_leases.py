import asyncio
import threading
import time

import pytest

from swather.errors import DatabaseUnreachable, DatabaseUnusable
from swather.model.task_filter import TaskFilter
from swather.model.worker import WorkerState
from swather.scraping.scraper import scraper
from swather.store.sqlite.workers import SQLiteWorkers
from swather.testing.site import Answer, FakeSite
from tests.store.given import targets
from tests.worker.given import Shop, until, wait_until


@pytest.mark.slow
def test_a_task_longer_than_its_lease_runs_once(either_shop: Shop):
    runs = []

    @scraper(timeout=30)
    async def long(ctx, target):
        runs.append(target)
        await asyncio.sleep(4.5)

    run = either_shop.run(long, 1)
    # Long enough that a busy machine is never late with two beats.
    first = either_shop.start(long, run=run, lease_seconds=2.0)
    second = either_shop.start(long, run=run, lease_seconds=2.0, poll_seconds=0.1)
    first.report()
    second.report()
    assert runs == [0]
    assert either_shop.counts(run) == {"completed": 1}


@pytest.mark.slow
def test_a_scraper_that_blocks_the_loop_for_two_leases_keeps_its_leases(either_shop: Shop):
    runs = []

    @scraper(timeout=30)
    async def blocking(ctx, target):
        runs.append(target)
        await asyncio.sleep(0)
        if target == 0:
            time.sleep(4.0)  # noqa: ASYNC251

    run = either_shop.run(blocking, 4)
    first = either_shop.start(blocking, run=run, lease_seconds=2.0, concurrency=4)
    wait_until(lambda: 0 in runs)
    second = either_shop.start(blocking, run=run, lease_seconds=2.0, poll_seconds=0.1)
    assert first.report().completed == 4
    second.report()
    assert sorted(runs) == [0, 1, 2, 3]
    assert either_shop.counts(run) == {"completed": 4}


@pytest.mark.slow
def test_cancelling_a_task_stops_its_attempt_within_two_seconds(either_shop: Shop):
    stopped = threading.Event()
    began = threading.Event()

    @scraper
    async def endless(ctx, target):
        began.set()
        try:
            await asyncio.sleep(1_000)
        except asyncio.CancelledError:
            stopped.set()
            raise

    run = either_shop.run(endless, 1)
    working = either_shop.start(endless, run=run)
    assert began.wait(20)
    either_shop.store.tasks.cancel(TaskFilter(run=run))
    assert stopped.wait(2.0)
    assert working.report().lost == 1
    assert either_shop.counts(run) == {"cancelled": 1}


def test_a_pause_is_noticed_and_its_end_too(shop: Shop):
    seen = []

    @scraper
    async def quick(ctx, target):
        seen.append(target)

    run = shop.run(quick, 5)
    shop.store.runs.pause(run)
    working = shop.start(quick, run=run)
    wait_until(shop.store.workers.find)
    assert not working.has_ended
    assert seen == []
    began = time.monotonic()
    shop.store.runs.unpause(run)
    working.report()
    assert time.monotonic() - began < 3
    assert len(seen) == 5


@pytest.mark.slow
def test_a_worker_given_up_for_dead_registers_anew_and_loses_what_it_held(shop: Shop):
    release = threading.Event()
    attempts = []

    @scraper
    async def once(ctx, target):
        attempts.append(ctx.attempt)
        if ctx.attempt == 1:
            await until(release)
        return {"attempt": ctx.attempt}

    run = shop.run(once, 1)
    working = shop.start(once, run=run, lease_seconds=3.0)
    wait_until(lambda: attempts == [1])
    (worker,) = shop.store.workers.find()
    shop.store.workers.sweep([worker.id])
    report = working.report()
    release.set()
    assert attempts == [1, 2]
    assert shop.items(run) == [{"attempt": 2}]
    assert report.lost == 1
    assert shop.store.workers.get(worker.id).state is WorkerState.LOST


def test_while_beats_fail_nothing_is_claimed(
    shop: Shop, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
):
    seen, failing = [], threading.Event()
    beat = SQLiteWorkers.beat

    def fail(self, *args):
        if failing.is_set():
            raise DatabaseUnreachable("away")
        return beat(self, *args)

    @scraper
    async def quick(ctx, target):
        seen.append(target)

    monkeypatch.setattr(SQLiteWorkers, "beat", fail)
    run = shop.run(quick)
    shop.start(quick, run=run, forever=True, lease_seconds=0.6)
    wait_until(shop.store.workers.find)
    failing.set()
    wait_until(lambda: "waiting for the database" in caplog.text)
    shop.store.tasks.enqueue(run, targets(1))
    shop.store.hints.send()
    time.sleep(0.3)
    assert seen == []
    failing.clear()
    wait_until(lambda: seen == [0])


def test_a_worker_whose_beat_finds_the_database_unusable_ends(
    shop: Shop, monkeypatch: pytest.MonkeyPatch
):
    """One that has nothing to do would not notice otherwise."""
    failing = threading.Event()
    beat = SQLiteWorkers.beat

    def fail(self, *args):
        if failing.is_set():
            raise DatabaseUnusable("malformed")
        return beat(self, *args)

    @scraper
    async def quick(ctx, target):
        pass

    monkeypatch.setattr(SQLiteWorkers, "beat", fail)
    working = shop.start(quick, run=shop.run(quick), forever=True, lease_seconds=0.6)
    wait_until(shop.store.workers.find)
    failing.set()
    with pytest.raises(DatabaseUnusable, match="malformed"):
        working.report()


def test_a_beat_never_gives_back_what_is_being_claimed(shop: Shop):
    """Beats as fast as they can go, between claims of very quick tasks."""

    @scraper
    async def quick(ctx, target):
        return None

    _, report = shop.scrape(quick, 3_000, beat_seconds=0.002)
    assert (report.completed, report.lost) == (3_000, 0)


@pytest.mark.slow
def test_statistics_and_current_targets_are_in_the_worker_row(shop: Shop):
    release = threading.Event()

    @scraper(version="1.2", allow_private=True, robots=False)
    async def some(ctx, target):
        if target == 3:
            await ctx.get(f"{site.url}/moved")
            raise ValueError(target)
        if target == 4:
            await until(release)
        await asyncio.sleep(0.01)

    def statistics():
        found = [worker for worker in shop.store.workers.find() if worker.name == "reaper-1"]
        return found and found[0].statistics.get("retried") == 1 and found[0]

    moved = Answer(status=302, headers={"Location": "/here"})
    with FakeSite({"/moved": moved, "/here": "here"}) as site:
        run = shop.run(some, 5)
        working = shop.start(some, run=run, lease_seconds=1.0, name="reaper-1")
        worker = wait_until(statistics)
    told = worker.statistics
    assert worker.version == "some 1.2"
    assert told["completed"] == 3
    assert (told["attempts"], told["requests"]) == (4, 2)
    assert told["slots"] == 10
    assert told["average_seconds"] > 0
    (current,) = told["current"]
    assert (current["target"], current["run"]) == ("4", run)
    assert (current["attempt"], current["timeout"]) == (1, some.options.timeout)
    assert 0 < current["seconds"] < 60
    assert (told["busy"], told["running"]) == (1, {run: 1})
    assert told["recent"][run]["ended"] == 3
    release.set()
    working.worker.stop()
    working.report()
    # Also what it did last is known after its end.
    assert shop.store.workers.get(worker.id).statistics["completed"] == 4
