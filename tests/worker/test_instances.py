import asyncio
import threading
from collections.abc import Callable
from typing import Any

import pytest

from swather.model.task_filter import TaskFilter
from swather.scraping.scraper import Scraper, scraper
from tests.worker.given import Shop, until, wait_until


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


class Ledger:
    """Who was set up, and who was closed."""

    def __init__(self):
        self.opened: list[int] = []
        self.closed: list[int] = []

    def is_balanced(self) -> bool:
        return sorted(self.opened) == sorted(self.closed)


def counted(ledger: Ledger, kind: str, scrape: Callable[[Any], None], **options: Any) -> Scraper:
    """A class that calls `scrape` with each target; what that returns is slept for."""

    class Counted:
        def __init__(self):
            self.number = len(ledger.opened)

        def setup(self):
            self.number = len(ledger.opened)
            ledger.opened.append(self.number)

        def close(self):
            ledger.closed.append(self.number)

    class InTask(Counted):
        async def scrape(self, ctx, target):
            await ctx.sleep(scrape(target) or 0.0)

    class InThread(Counted):
        def scrape(self, ctx, target):
            ctx.sleep(scrape(target) or 0.0)

    return scraper(name=f"counted_in_{kind}", **{"retries": 0, **options})(
        InTask if kind == "task" else InThread
    )


KINDS = pytest.mark.parametrize("kind", ["task", "thread"])


@pytest.mark.slow
@KINDS
def test_an_instance_is_closed_after_a_timeout(either_shop: Shop, kind: str):
    ledger = Ledger()
    made = counted(ledger, kind, lambda target: 100 if target < 8 else 0, timeout=0.2)
    run, _ = either_shop.scrape(made, 12, concurrency=4)
    assert either_shop.counts(run) == {"completed": 4, "failed": 8}
    assert len(ledger.opened) >= 9
    assert ledger.is_balanced()


@pytest.mark.slow
@KINDS
def test_an_instance_is_closed_after_a_lost_lease(either_shop: Shop, kind: str):
    ledger, began = Ledger(), threading.Event()
    made = counted(ledger, kind, lambda _: began.set() or 100)
    run = either_shop.run(made, 1)
    working = either_shop.start(made, run=run, forever=True)
    assert began.wait(20)
    either_shop.store.tasks.cancel(TaskFilter(run=run))
    wait_until(lambda: ledger.closed)
    working.stop()
    assert ledger.opened == ledger.closed == [0]


@pytest.mark.slow
@KINDS
def test_instances_are_closed_when_their_worker_is_stopped(either_shop: Shop, kind: str):
    ledger, began = Ledger(), []
    made = counted(ledger, kind, lambda target: began.append(target) or (100 if target else 0))
    run = either_shop.run(made, 4)
    working = either_shop.start(made, run=run, concurrency=3)
    wait_until(lambda: len(began) == 4)
    working.stop(now=True)
    assert either_shop.counts(run) == {"completed": 1, "ready": 3}
    assert ledger.is_balanced()


@pytest.mark.slow
def test_a_thread_that_was_left_behind_closes_its_instance_when_it_ends(shop: Shop):
    ledger, release = Ledger(), threading.Event()
    made = counted(ledger, "thread", lambda _: release.wait(60) and 0, timeout=0.2)
    run = shop.run(made, 1)
    working = shop.start(made, run=run, forever=True)
    wait_until(lambda: shop.counts(run) == {"failed": 1})
    assert ledger.closed == []
    release.set()
    wait_until(lambda: ledger.closed == [0])
    working.stop()
    assert ledger.opened == ledger.closed == [0]


@pytest.mark.slow
def test_a_thread_that_outlives_its_worker_closes_what_it_has_when_it_ends(shop: Shop):
    """An instance of another scraper, too, that had waited in it for its next target."""
    ledger, release = Ledger(), threading.Event()
    quick = scraper(name="quick")(counted(ledger, "thread", lambda _: 0).function)
    hung = counted(ledger, "thread", lambda _: release.wait(60) and 0, timeout=0.2)
    working = shop.start(quick, hung, forever=True, concurrency=1)
    first = shop.run(quick, 1)
    wait_until(lambda: shop.counts(first) == {"completed": 1})
    second = shop.run(hung, 1)
    wait_until(lambda: shop.counts(second) == {"failed": 1})
    working.stop()
    assert (ledger.opened, ledger.closed) == ([0, 1], [])
    release.set()
    wait_until(ledger.is_balanced)


@pytest.mark.slow
def test_a_task_that_will_not_end_has_its_instance_closed_with_the_worker(shop: Shop):
    ledger = Ledger()

    @scraper(timeout=0.2, retries=0)
    class Deaf:
        async def setup(self):
            ledger.opened.append(0)

        async def scrape(self, ctx, target):
            while True:
                try:
                    await asyncio.sleep(1_000)
                except asyncio.CancelledError:
                    continue

        async def close(self):
            ledger.closed.append(0)

    run, _ = shop.scrape(Deaf, 1)
    assert shop.counts(run) == {"failed": 1}
    assert ledger.opened == ledger.closed == [0]


@KINDS
def test_a_slot_does_not_wait_for_an_instance_to_be_closed(shop: Shop, kind: str):
    ledger, release = Ledger(), threading.Event()

    class InTask:
        async def setup(self):
            ledger.opened.append(len(ledger.opened))

        async def scrape(self, ctx, target):
            await ctx.sleep(0 if target else 100)

        async def close(self):
            await until(release)
            ledger.closed.append(len(ledger.closed))

    class InThread:
        def setup(self):
            ledger.opened.append(len(ledger.opened))

        def scrape(self, ctx, target):
            ctx.sleep(0 if target else 100)

        def close(self):
            release.wait(60)
            ledger.closed.append(len(ledger.closed))

    made = scraper(timeout=0.3, retries=0)(InTask if kind == "task" else InThread)
    run = shop.run(made, 3)
    working = shop.start(made, run=run, concurrency=1, forever=True)
    wait_until(lambda: shop.counts(run) == {"completed": 2, "failed": 1}, 4)
    assert ledger.closed == []
    release.set()
    working.stop()
    assert ledger.is_balanced()


def test_an_instance_that_cannot_be_closed_is_told_and_closed_once(
    shop: Shop, caplog: pytest.LogCaptureFixture
):
    tried = []

    @scraper(timeout=0.2, retries=0)
    class Broken:
        async def scrape(self, ctx, target):
            await ctx.sleep(100)

        async def close(self):
            tried.append(self)
            raise OSError("it is gone")

    shop.scrape(Broken, 1)
    assert len(tried) == 1
    assert "closing an instance of Broken failed" in caplog.text
