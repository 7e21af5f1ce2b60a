import asyncio
import math
import threading
import time
from itertools import pairwise
from types import SimpleNamespace
from typing import Any, cast

import pytest

from swather.runs.configuration import delays_now
from swather.scraping.scraper import scraper
from swather.store import Store
from swather.worker.attempt import Attempt
from tests.worker.given import Shop, wait_until

pytestmark = pytest.mark.slow


@scraper(isolation="process", timeout=0.5, retries=0)
def spin_in_child(ctx, target):
    while target == 0:
        pass


def test_a_child_that_spins_is_killed_at_its_deadline(shop: Shop):
    run, _ = shop.scrape(spin_in_child, 3, concurrency=1)
    assert shop.counts(run) == {"completed": 2, "failed": 1}
    assert shop.tasks(run)[0].reason == "timeout"


def test_an_await_that_never_ends_is_cut_and_tells_where_it_hung(shop: Shop):
    @scraper(timeout=0.2, retries=0)
    async def hang(ctx, target):
        if target == 0:
            await asyncio.Event().wait()

    run, _ = shop.scrape(hang, 3, concurrency=1)
    assert shop.counts(run) == {"completed": 2, "failed": 1}
    task = shop.tasks(run)[0]
    assert (task.reason, task.error_class) == ("timeout", "timeout")
    assert task.error == "Timeout after 0.2s"
    assert "await asyncio.Event().wait()" in task.traceback


def test_a_task_that_ignores_its_end_holds_neither_slot_nor_lease_nor_shutdown(
    shop: Shop, caplog: pytest.LogCaptureFixture
):
    release = threading.Event()

    @scraper(timeout=0.2, retries=0)
    async def deaf(ctx, target):
        while target == 0 and not release.is_set():
            try:
                await asyncio.sleep(1_000)
            except asyncio.CancelledError:
                continue

    run, _ = shop.scrape(deaf, 3, concurrency=1)
    assert shop.counts(run) == {"completed": 2, "failed": 1}
    assert shop.tasks(run)[0].reason == "timeout"
    assert "is still running after it was stopped" in caplog.text


def test_a_thread_that_sleeps_on_is_left_behind(shop: Shop, caplog: pytest.LogCaptureFixture):
    release = threading.Event()

    @scraper(timeout=0.2, retries=0)
    def sleepy(ctx, target):
        if target == 0:
            release.wait(3_600)

    run, _ = shop.scrape(sleepy, 3, concurrency=1)
    release.set()
    assert shop.counts(run) == {"completed": 2, "failed": 1}
    assert "release.wait(3_600)" in shop.tasks(run)[0].traceback
    assert "is still running after it was stopped" in caplog.text


def test_a_thread_that_waits_for_the_context_is_cut_without_a_trace(
    shop: Shop, caplog: pytest.LogCaptureFixture
):
    @scraper(timeout=0.2, retries=0)
    def waiting(ctx, target):
        ctx.sleep(1_000)

    run, _ = shop.scrape(waiting, 1, concurrency=1)
    assert shop.tasks(run)[0].reason == "timeout"
    assert "goes on" not in caplog.text


def test_what_a_thread_does_after_it_was_left_behind_is_not_kept(shop: Shop):
    release, tried = threading.Event(), threading.Event()
    raised = []

    @scraper(timeout=0.2, retries=0)
    def late(ctx, target):
        release.wait(60)
        try:
            ctx.checkpoint({"late": True})
        except BaseException as error:
            raised.append(type(error).__name__)
            raise
        finally:
            tried.set()

    run = shop.run(late, 1)
    working = shop.start(late, forever=True, run=run)
    wait_until(lambda: shop.counts(run) == {"failed": 1})
    release.set()
    assert tried.wait(10)
    assert raised == ["LeaseLost"]
    assert working.stop() < 5


def test_after_eight_hanging_threads_a_worker_wants_to_be_started_anew(shop: Shop):
    release = threading.Event()

    @scraper(timeout=0.1, retries=0)
    def hang(ctx, target):
        release.wait(3_600)

    run = shop.run(hang, 20)
    report = shop.start(hang, run=run, concurrency=4).report()
    release.set()
    assert report.reason == "restart"
    assert report.failed >= 8
    assert "leased" not in shop.counts(run)


def test_a_slot_rests_between_targets_if_the_scraper_wants_a_delay(shop: Shop):
    began = []

    @scraper(delay=(0.1, 0.15))
    async def gentle(ctx, target):
        began.append(time.monotonic())

    shop.scrape(gentle, 4, concurrency=1)
    gaps = [later - earlier for earlier, later in pairwise(began)]
    assert min(gaps) >= 0.1


def test_a_delay_that_is_set_holds_for_workers_that_run(shop: Shop):
    changed, seen = threading.Event(), []

    @scraper
    def quick(ctx, target):
        seen.append(target)
        if target == 2:
            shop.store.settings.set("min_delay_seconds", 600)
            assert changed.wait(20)

    def delays(store: Store) -> dict[str, tuple[float, float]]:
        found = delays_now([quick], store)
        if found:
            changed.set()
        return found

    shop.run(quick, 30)
    working = shop.start(quick, concurrency=1, delays=delays)
    wait_until(lambda: len(seen) > 2)
    # One may have started before the worker was told.
    with pytest.raises(AssertionError):
        wait_until(lambda: len(seen) > 4, 1.0)
    working.stop()


def test_an_attempt_names_what_it_still_waits_for():
    """One that asks several sites may wait for several things at once."""
    lease: Any = SimpleNamespace(task_id=1, token=1)
    job: Any = SimpleNamespace(timeout=60.0)
    attempt = Attempt(lease, job, cast("Any", None), time.monotonic())
    attempt.stop_clock("the database")
    attempt.stop_clock("its lane")
    attempt.start_clock("the database")
    assert (attempt.waits_for, attempt.deadline) == ("its lane", math.inf)
    attempt.start_clock("its lane")
    assert attempt.waits_for == ""
    assert attempt.deadline < math.inf
