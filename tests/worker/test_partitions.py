import threading

import pytest

from swather.model.assignment import Balanced, Plan
from swather.scraping.scraper import scraper
from swather.worker import engine
from tests.store.given import a_worker
from tests.worker.given import Shop, until, wait_until

PLAN = Plan({0: ("p0", "p1"), 1: ("p2",)})


def names(shop: Shop, run: str) -> dict[str, str | None]:
    """Who serves each partition."""
    return {each.name: each.owner for each in shop.store.partitions.find(run)}


@scraper(partition=lambda target: f"p{target % 3}")
async def by_state(ctx, target):
    return {"target": target}


def blocked_by(event: threading.Event):
    @scraper(partition=lambda target: f"p{target % 3}")
    async def blocked(ctx, target):
        await until(event)
        return {"target": target}

    return blocked


@pytest.fixture(autouse=True)
def looks_often(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(engine, "PARTITIONS_SECONDS", 0.05)
    monkeypatch.setattr(engine, "TICK_SECONDS", 0.05)


@pytest.mark.slow
def test_a_worker_that_serves_all_runs_serves_their_partitions(either_shop: Shop):
    run = either_shop.run(by_state, 9)
    either_shop.start(by_state, forever=True, poll_seconds=0.05)
    wait_until(lambda: either_shop.counts(run) == {"completed": 9})


@pytest.mark.slow
def test_partitions_return_to_their_planned_worker_when_it_starts(either_shop: Shop):
    shop, event = either_shop, threading.Event()
    scrape = blocked_by(event)
    run = shop.run(scrape, 60)
    often = {"run": run, "planning": PLAN, "poll_seconds": 0.05, "concurrency": 2}
    shop.start(scrape, name="one", number=1, **{**often, "concurrency": 100})
    wait_until(lambda: set(names(shop, run).values()) == {"one"})
    wait_until(lambda: shop.counts(run) == {"leased": 60})
    zero = shop.start(scrape, name="zero", number=0, **often)
    asked = {"p0", "p1"}
    wait_until(lambda: asked == {p.name for p in shop.store.partitions.find(run) if p.leaving})
    shop.enqueue(run, scrape, range(60, 90))
    wait_until(lambda: shop.counts(run) == {"leased": 70, "ready": 20})
    assert set(names(shop, run).values()) == {"one"}
    event.set()
    assert zero.report().completed == 20
    assert shop.counts(run) == {"completed": 90}


@pytest.mark.slow
def test_what_a_stopped_worker_served_is_served_by_others(either_shop: Shop):
    shop, event = either_shop, threading.Event()
    scrape = blocked_by(event)
    run = shop.run(scrape, 30)
    often = {"run": run, "planning": PLAN, "poll_seconds": 0.05, "concurrency": 2}
    zero = shop.start(scrape, name="zero", number=0, **often)
    wait_until(lambda: names(shop, run)["p1"] == "zero")
    one = shop.start(scrape, name="one", number=1, **often)
    wait_until(lambda: names(shop, run)["p2"] == "one")
    assert names(shop, run) == {"p0": "zero", "p1": "zero", "p2": "one"}
    event.set()
    zero.stop()
    one.report()
    assert shop.counts(run) == {"completed": 30}


@pytest.mark.slow
def test_what_nobody_serves_is_taken_even_without_room_once_a_lease_has_passed(shop: Shop):
    event = threading.Event()
    scrape = blocked_by(event)
    run = shop.run(scrape, 30)
    options = {"run": run, "planning": PLAN, "concurrency": 2, "poll_seconds": 0.05}
    worker = shop.start(scrape, name="zero", number=0, lease_seconds=1.0, **options)
    wait_until(lambda: shop.counts(run).get("leased") == 2)
    wait_until(lambda: names(shop, run)["p2"] == "zero")
    assert shop.counts(run) == {"leased": 2, "ready": 28}
    event.set()
    worker.report()


def test_what_a_dead_worker_served_is_taken_at_once_even_without_room(shop: Shop):
    event = threading.Event()
    scrape = blocked_by(event)
    run = shop.run(scrape, 30)
    dead = a_worker(shop.store, number=1)
    shop.store.partitions.plan(run, PLAN.numbers)
    shop.store.partitions.take_planned(dead, run)
    worker = shop.start(scrape, name="zero", number=0, run=run, concurrency=2, poll_seconds=0.05)
    wait_until(lambda: shop.counts(run).get("leased") == 2)
    wait_until(lambda: names(shop, run)["p1"] == "zero")
    shop.store.workers.sweep([dead])
    wait_until(lambda: names(shop, run)["p2"] == "zero")
    event.set()
    worker.report()


def test_with_only_own_the_rest_is_left_alone(shop: Shop):
    run = shop.run(by_state, 9)
    worker = shop.start(
        by_state, run=run, number=1, planning=PLAN, only_own=True, poll_seconds=0.05
    )
    wait_until(lambda: shop.counts(run) == {"completed": 3, "ready": 6})
    worker.stop()
    assert {item["target"] % 3 for item in shop.items(run)} == {2}


def test_a_balanced_plan_is_made_once_and_widened_for_a_worker_beyond_it(shop: Shop):
    event = threading.Event()
    scrape = blocked_by(event)
    run = shop.run(scrape, 30)
    often = {"run": run, "planning": Balanced(2), "poll_seconds": 0.05}
    workers = [shop.start(scrape, number=0, **often)]
    wait_until(lambda: shop.store.partitions.planned(run) == {"p0": 0, "p1": 1, "p2": 0})
    workers.append(shop.start(scrape, number=2, **often))
    wait_until(lambda: shop.store.partitions.planned(run) == {"p0": 0, "p1": 1, "p2": 2})
    event.set()
    for worker in workers:
        worker.report()
    assert shop.counts(run) == {"completed": 30}


def test_a_plan_that_was_changed_meanwhile_is_not_overwritten(shop: Shop):
    event = threading.Event()
    scrape = blocked_by(event)
    run = shop.run(scrape, 9)
    shop.start(scrape, run=run, number=0, planning=PLAN, poll_seconds=0.05)
    wait_until(lambda: shop.store.partitions.planned(run) == PLAN.numbers)
    shop.store.partitions.plan(run, {"p2": 0})
    wait_until(lambda: names(shop, run)["p2"] is not None)
    event.set()
    wait_until(lambda: shop.counts(run) == {"completed": 9})
    assert shop.store.partitions.planned(run) == {"p2": 0}
