"""Strikes, paces, breakers, permits and claims on the same lanes at once: nobody deadlocks."""

import time
from collections.abc import Callable
from functools import partial
from random import Random

import pytest

from swather.model.lane import PacedKind
from swather.model.pacing import AutoPace, CoolDownCurve, Limits
from swather.store import Store
from tests.store.database import Database
from tests.store.given import (
    a_run,
    a_worker,
    claim,
    completed,
    finish,
    released,
    retried,
    targets,
)
from tests.store.threads import together

SECONDS = 2.0
LANES = ["a", "b", "c", ""]
SCRAPERS = ["books", "films"]
CURVE = CoolDownCurve(base_seconds=0.01, cap_seconds=0.05, jitter=0.5)
POLICY = AutoPace(max_seconds=2.0)


def changes(store: Store, random: Random) -> list[Callable[[], object]]:
    """What workers and people do to lanes while others claim."""
    lane = random.choice(LANES[:3])
    scraper = random.choice(SCRAPERS)
    place = random.choice(LANES)
    lanes = store.lanes
    return [
        lambda: lanes.strike(lane, retry_after_seconds=None, reason="429", curve=CURVE),
        lambda: lanes.adapt(
            lane, latency_seconds=random.uniform(0, 3), failed=False, policy=POLICY
        ),
        lambda: lanes.adapt(lane, latency_seconds=0.0, failed=True, policy=POLICY),
        lambda: lanes.set_crawl_delay(lane, random.choice([None, 0.01, 1.5])),
        lambda: lanes.limit(lane, random.choice([Limits(), Limits(0.001, 3, 4)])),
        lambda: lanes.clear(lane),
        lambda: lanes.clear(scraper, PacedKind.SCRAPER),
        lambda: lanes.limit(
            scraper, random.choice([Limits(), Limits(0.001, 9, 9)]), PacedKind.SCRAPER
        ),
        lambda: store.breakers.trip(scraper, place, seen={"503": 9}, probe_seconds=0.01),
        lambda: store.breakers.close(scraper, place),
        store.workers.sweep,
    ]


def deadlocks(database: Database) -> int:
    """How many the server has broken; it counts what closed connections have seen."""
    if database.kind == "sqlite":
        return 0
    sql = "SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()"
    return database.rows(sql)[0][0]


@pytest.mark.slow
def test_everything_at_once_deadlocks_nobody_and_loses_nothing(store: Store, database: Database):
    deadlocks_before = deadlocks(database)
    runs = [
        a_run(store, scraper=scraper, task_limit=limit)
        for scraper, limit in (("books", None), ("films", 900), ("films", None))
    ]
    for run in runs:
        for lane in LANES:
            given = targets([f"{lane}-{n}" for n in range(150)], lane=lane)
            store.tasks.enqueue(run, given)
    until = time.monotonic() + SECONDS
    slowest = []

    def measured(verb: Callable[[], object]) -> object:
        began = time.monotonic()
        answer = verb()
        slowest.append(time.monotonic() - began)
        return answer

    def work(mine: Store, worker: int) -> list[int]:
        random = Random(worker)
        done = []
        while time.monotonic() < until:
            measured(random.choice(changes(mine, random)))
            leases = measured(partial(claim, mine, worker, random.randint(1, 8)))
            outcomes = []
            for lease in leases:
                if random.random() < 0.3:
                    measured(partial(mine.queue.permits, lease.fence, "a"))
                ends = random.choice(
                    [
                        lambda one: completed(one, "item"),
                        lambda one: completed(one, children=targets([f"c{one.task_id}"], lane="b")),
                        released,
                        retried,
                    ]
                )
                outcomes.append(ends(lease))
            assert set(measured(partial(finish, mine, *outcomes))) <= {"accepted"}
            done.append(len(outcomes))
        return done

    assert sum(together(store, work)) > 8
    assert max(slowest) < 15
    assert deadlocks(database) == deadlocks_before
    assert store.upkeep.check() == []
    for lane in LANES[:3]:
        store.lanes.clear(lane)
    for scraper in SCRAPERS:
        store.lanes.clear(scraper, PacedKind.SCRAPER)
    assert store.breakers.find() == []
    left = sum(store.runs.counts(run).ready for run in runs)
    assert len(claim(store, a_worker(store), 10_000)) == left
    assert store.upkeep.check() == []
