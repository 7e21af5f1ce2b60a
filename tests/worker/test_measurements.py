"""What workers measure of their runs is what happened, and costs them nothing when it is lost."""

import threading
from collections import Counter

import pytest

import swather.store
from swather.errors import StoreError
from swather.model.history import HistoryPoint
from swather.model.outcome import Completed
from swather.model.retry import Backoff
from swather.model.task import Target
from swather.scraping.scraper import scraper
from swather.store.clock import Clock
from swather.store.sqlite.history import SQLiteHistory
from swather.testing.site import Answer
from swather.worker import engine
from swather.worker.measurements import Measurements
from tests.worker.given import Shop, until, wait_until
from tests.worker.sites import NotingSite

AT_ONCE = Backoff(factor=1.0, cap_seconds=0.0, jitter=0.0)


@scraper(allow_private=True, retries=1, backoff=AT_ONCE)
async def pages(ctx, url):
    await ctx.get(url)
    return {"url": url}


def sums(points: list[HistoryPoint], name: str) -> dict[str, int]:
    counted: Counter[str] = Counter()
    for point in points:
        for each, rate in getattr(point, name).items():
            counted[each] += rate * point.seconds
    return {each: round(n) for each, n in counted.items()}


@pytest.mark.slow
def test_what_a_worker_measured_is_what_happened(either_shop: Shop, site: NotingSite):
    site.routes |= {
        "/moved": Answer(status=302, headers={"Location": "/there"}),
        "/gone": Answer(status=404),
        "/flaky": lambda asked: Answer(status=500 if asked.times == 1 else 200),
        "/broken": Answer(status=500),
    }
    slow = {f"/slow{number}": Answer("slow", seconds=0.4) for number in range(16)}
    site.routes |= slow
    names = [*slow, "/moved", "/gone", "/flaky", "/broken", "/a", "/b"]
    run, report = either_shop.scrape(pages, [site.url + name for name in names])
    told = either_shop.store.history.of_run(run, seconds=3_600)
    assert sums(told, "statuses") == {"200": 16 + 4, "302": 1, "404": 1, "500": 3}
    assert sum(sums(told, "statuses").values()) == len(site.paths())
    assert sums(told, "classes") == {"permanent": 1, "transient": 3}
    assert sum(sums(told, "classes").values()) == report.retried + report.failed
    counts = either_shop.store.runs.counts(run)
    for name, n in {"completed": 20, "failed": 2, "retried": counts.retries, "items": 20}.items():
        assert sum(getattr(point, name) * point.seconds for point in told) == pytest.approx(n)
    latencies = [point.latency_p95 for point in told if point.latency_p95 is not None]
    # As slow as the site at least, and not slower than the run.
    created_at, finished_at = (
        either_shop.store.runs.get(run).created_at,
        either_shop.store.runs.get(run).finished_at,
    )
    assert 0.35 < max(latencies) < 1.2 * (finished_at - created_at).total_seconds() + 0.1
    overall = either_shop.store.history.overall(seconds=3_600)
    assert sums(overall, "statuses") == sums(told, "statuses")


release = threading.Event()


@scraper
async def held(ctx, target):
    if target == 0:
        await until(release)
    return target


@pytest.mark.slow
def test_measurements_are_told_while_the_worker_works(shop: Shop, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(engine, "MEASURED_SECONDS", 0.01)
    release.clear()
    run = shop.run(held, 5)
    working = shop.start(held, run=run)
    try:
        wait_until(lambda: any(p.latency_p50 for p in shop.store.history.of_run(run, seconds=60)))
        assert shop.store.runs.counts(run).leased == 1
    finally:
        release.set()
    working.report()


@pytest.mark.slow
def test_a_note_that_fails_hurts_nobody_and_is_made_good(
    shop: Shop, site: NotingSite, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(engine, "MEASURED_SECONDS", 0.01)
    release.clear()
    failures = threading.Semaphore(0)
    note = SQLiteHistory.note

    def failing(history, run, measured):
        if not release.is_set():
            failures.release()
            raise StoreError("no space left")
        note(history, run, measured)

    monkeypatch.setattr(SQLiteHistory, "note", failing)

    @scraper(allow_private=True)
    async def one_more(ctx, url):
        await ctx.get(url)
        if url.endswith("/0"):
            await until(release)

    run = shop.run(one_more, [f"{site.url}/{number}" for number in range(4)])
    working = shop.start(one_more, run=run)
    try:
        wait_until(lambda: len(site.paths()) == 4)
        assert all(failures.acquire(timeout=20) for _ in range(3))
    finally:
        release.set()
    assert working.report().completed == 4
    assert sums(shop.store.history.of_run(run, seconds=60), "statuses") == {"200": 4}


def test_a_worker_keeps_the_history_of_all_runs_without_a_server(shop: Shop):
    shop.run(pages, ["https://elsewhere.example/"])
    release.clear()
    working = shop.start(held, run=shop.run(held, [0]))
    try:
        wait_until(
            lambda: (
                shop.store.history.overall(seconds=60)[-1].ready
                + shop.store.history.overall(seconds=60)[-1].leased
                == 2
            )
        )
    finally:
        release.set()
    working.report()


def test_a_worker_thins_old_history(shop: Shop):
    long_ago = Clock()
    long_ago.advance(-7_200)
    past = swather.store.open(shop.store.url, clock=long_ago)
    run = shop.run(held, [1])
    for number in range(10):
        past.tasks.enqueue(run, [Target(value=["more", number])])
        assert past.history.sample()
        long_ago.advance(6)
    past.close()
    samples = "SELECT count(*) FROM history_samples WHERE at < unixepoch() - 3600"
    assert shop.store.connection.value(samples) == 10
    shop.start(held, run=run).report()
    # One per minute.
    assert shop.store.connection.value(samples) <= 2


def test_what_is_put_back_is_taken_again_with_the_rest():
    measurements = Measurements()
    outcome = Completed(task_id=1, token=1)
    measurements.answered("a", 200)
    measurements.ended("a", 0.5, outcome)
    measurements.ended("a", 0.5, None)
    taken = measurements.take()
    assert measurements.take() == {}
    measurements.answered("a", 200)
    measurements.answered("b", 404)
    for run, measured in taken.items():
        measurements.put_back(run, measured)
        measurements.put_back(run, measured)
    again = measurements.take()
    assert again["a"].statuses == {"200": 3}
    assert sum(again["a"].latency.values()) == 2
    assert again["b"].statuses == {"404": 1}
