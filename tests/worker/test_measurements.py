"""What workers measure of their runs is what happened, and costs them nothing when it is lost."""

import threading
from collections import Counter

import pytest

import swather.store
from swather.errors import StoreError
from swather.model.history import HistoryPoint
from swather.model.history_bounds import MOST_LANES
from swather.model.outcome import Completed, Failed, Fault, Retry, Verdict
from swather.model.retry import Backoff, ErrorClass
from swather.model.task import Target
from swather.runs import group_times
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
    measurements.answered("a", "a.example", 200)
    measurements.ended("a", 0.5, outcome)
    measurements.ended("a", 0.5, None)
    taken = measurements.take()
    assert measurements.take() == {}
    measurements.answered("a", "a.example", 200)
    measurements.answered("b", "", 404)
    for run, measured in taken.items():
        measurements.put_back(run, measured)
        measurements.put_back(run, measured)
    again = measurements.take()
    assert again["a"].statuses == {"200": 3}
    assert sum(again["a"].latency.values()) == 2
    assert again["a"].lanes == {"a.example": (3, 0)}
    assert again["b"].statuses == {"404": 1}
    assert again["b"].lanes == {}


@pytest.mark.slow
def test_groups_and_lanes_are_as_the_store_and_the_site_count_them(
    either_shop: Shop, site: NotingSite
):
    site.routes |= {
        "/gone": Answer(status=404),
        "/busy": lambda asked: Answer(
            status=429 if asked.times == 1 else 200, headers={"Retry-After": "1"}
        ),
        "/flaky": lambda asked: Answer(status=500 if asked.times == 1 else 200),
        "/broken": Answer(status=500),
    }
    names = ["/gone", "/busy", "/flaky", "/broken", "/a", "/b"]
    first, _ = either_shop.scrape(pages, [site.url + name for name in names])
    second, _ = either_shop.scrape(pages, [f"{site.url}/gone?again"])
    store = either_shop.store
    groups = store.results.error_groups()
    keys = [(group.run, group.fingerprint) for group in groups]
    times = store.history.group_times(keys, seconds=3_600)
    told = {key: sum(counts.values()) for key, counts in times.times.items()}
    assert told == {(group.run, group.fingerprint): group.count for group in groups}
    assert sum(told.values()) == 6
    assert {run for run, _ in told} == {first, second}
    for group in groups:
        quarters = group_times.data_of(times, (group.run, group.fingerprint))
        assert sum(quarter["count"] for quarter in quarters) == group.count
    (lane,) = store.history.lane_answers(seconds=3_600).values()
    assert (lane.answers, lane.too_many) == (len(site.paths()), 1)
    assert not lane.is_about


def test_another_time_a_lost_lease_and_what_was_refused_are_counted_as_the_store_does():
    measurements = Measurements()
    fault = Fault(error_class=ErrorClass.PERMANENT, message="gone")
    later = Fault(error_class=ErrorClass.LATER, message="not yet")
    counted = Failed(task_id=1, token=1, reason="failed", fault=fault)
    stale = Failed(task_id=2, token=2, reason="failed", fault=fault)
    another_time = Retry(task_id=3, token=3, fault=later)
    fine = Completed(task_id=4, token=4)
    for outcome in (counted, stale, another_time, fine):
        measurements.ended("a", 0.1, outcome)
    assert measurements.take()["a"].groups == {}
    refused = Failed(task_id=4, token=4, reason="bad_input", fault=fault)
    measurements.committed(counted, Verdict.ACCEPTED)
    measurements.committed(stale, Verdict.STALE)
    measurements.committed(another_time, Verdict.ACCEPTED)
    measurements.committed(refused, Verdict.ACCEPTED)
    # Of an attempt that has not ended here.
    measurements.committed(counted, Verdict.ACCEPTED)
    assert measurements.take()["a"].groups == {fault.fingerprint: 2}


def test_a_crawl_of_very_many_hosts_takes_little_memory():
    measurements = Measurements()
    for number in range(20_000):
        measurements.answered("a", f"{number}.example", 200)
        measurements.answered("a", "angry.example", 429)
    measured = measurements.take()["a"]
    assert len(measured.lanes) == MOST_LANES
    assert measured.lanes["angry.example"] == (20_000, 20_000)
    named = sum(answers for answers, _ in measured.lanes.values())
    assert named + measured.lanes_left_out == 40_000
