"""Unpaced claims: for work that touches no site, whatever holds its run and lanes back."""

import pytest

from swather.errors import InputError
from swather.model.lane import PacedKind
from swather.model.lease import ClaimRequest, Strategy
from swather.model.pacing import CoolDownCurve, Limits
from swather.model.task_filter import TaskFilter
from swather.store import Store
from swather.store.clock import Clock
from tests.store.given import (
    a_run,
    a_worker,
    claim,
    completed,
    data,
    finish,
    released,
    retry_after,
    states,
    targets,
    values,
)
from tests.store.threads import together


def held_in_every_way(store: Store) -> dict:
    return {
        "run paused": store.runs.pause,
        "lane paused": lambda _: store.lanes.pause("site"),
        "lane cooling": lambda _: store.lanes.cool("site", 1_000),
        "lane struck": lambda _: store.lanes.strike(
            "site", retry_after_seconds=None, reason="429", curve=CoolDownCurve()
        ),
        "lane paced": lambda _: store.lanes.limit("site", Limits(1_000.0, 1)),
        "lane full": lambda _: store.lanes.limit("site", Limits(in_flight=1)),
        "scraper paused": lambda _: store.lanes.pause("books", PacedKind.SCRAPER),
        "scraper cooling": lambda _: store.lanes.cool("books", 1_000, kind=PacedKind.SCRAPER),
        "scraper full": lambda _: store.lanes.limit(
            "books", Limits(in_flight=1), PacedKind.SCRAPER
        ),
        "breaker open": lambda _: store.breakers.trip(
            "books", "site", seen={}, probe_seconds=1_000
        ),
    }


WAYS = [
    "run paused", "lane paused", "lane cooling", "lane struck", "lane paced",
    "lane full", "scraper paused", "scraper cooling", "scraper full", "breaker open",
]  # fmt: skip


@pytest.mark.parametrize("way", WAYS)
def test_nothing_holds_an_unpaced_claim_back(store: Store, way):
    run, worker = a_run(store, 10, lane="site"), a_worker(store)
    held_in_every_way(store)[way](run)
    ordinary = claim(store, worker, 10)
    assert len(ordinary) <= 1
    assert claim(store, worker, 10) == []
    leases = claim(store, worker, 10, runs=(run,), unpaced=True)
    assert len(leases) == 10 - len(ordinary)
    assert {lease.lane for lease in leases} == {"site"}
    assert claim(store, worker, 10, runs=(run,), unpaced=True) == []


def test_a_runs_own_limits_do_not_hold_it_back(store: Store):
    run = a_run(store, 10, lane="site", lane_limits=Limits(1_000.0, 1, 1))
    assert len(claim(store, a_worker(store), 20, runs=(run,), unpaced=True)) == 10


def test_it_takes_nothing_of_other_runs(store: Store):
    run, other = a_run(store, 3), a_run(store, 3)
    leases = claim(store, a_worker(store), 20, runs=(run,), unpaced=True)
    assert {lease.run_id for lease in leases} == {store.runs.get(run).id}
    assert states(store, other) == {"ready": 3}


def test_it_names_its_runs():
    with pytest.raises(InputError, match="runs"):
        ClaimRequest(worker_id=1, count=1, unpaced=True)


def test_it_charges_nothing_to_the_lane(store: Store):
    run = a_run(store, 5, lane="site")
    ordinary = a_run(store, 5, lane="site")
    store.lanes.limit("site", Limits(1_000.0, 2, 2))
    worker = a_worker(store)
    assert len(claim(store, worker, 5, runs=(run,), unpaced=True)) == 5
    assert store.lanes.get("site").in_flight == 0
    assert len(claim(store, worker, 5, runs=(ordinary,))) == 2


def test_a_cancelled_or_finished_run_gives_nothing(store: Store):
    run = a_run(store, 3)
    store.runs.cancel(run)
    assert claim(store, a_worker(store), 5, runs=(run,), unpaced=True) == []


def test_a_paused_worker_gets_nothing(store: Store):
    run, worker = a_run(store, 3), a_worker(store)
    store.workers.pause(worker)
    assert claim(store, worker, 5, runs=(run,), unpaced=True) == []


@pytest.mark.parametrize(
    ("strategy", "expected"),
    [(Strategy.FIFO, [1, 2, 3]), (Strategy.LIFO, [3, 2, 1]), (Strategy.PRIORITY, [3, 1, 2])],
)
def test_it_keeps_the_strategys_order(store: Store, strategy, expected):
    run = a_run(store, strategy=strategy)
    for value, priority in ((1, 5), (2, 5), (3, 8)):
        store.tasks.enqueue(run, targets([value], lane="site", priority=priority))
    store.runs.pause(run)
    worker = a_worker(store)
    taken = [
        value for _ in range(3) for value in values(claim(store, worker, runs=(run,), unpaced=True))
    ]
    assert taken == expected


def test_it_does_not_matter_who_owns_a_partition(store: Store):
    run = a_run(store)
    store.tasks.enqueue(run, targets(3, partition="p"))
    owner, worker = a_worker(store), a_worker(store)
    store.partitions.take(owner, run)
    assert claim(store, worker, 5, runs=(run,)) == []
    assert len(claim(store, worker, 5, runs=(run,), unpaced=True)) == 3


def test_what_falls_due_is_given_out(store: Store, clock: Clock):
    run, worker = a_run(store), a_worker(store)
    store.tasks.enqueue(run, targets(["later"], lane="site", due_in_seconds=30))
    store.runs.pause(run)
    waited = retry_after(store, worker, runs=(run,), unpaced=True)
    assert waited == pytest.approx(30, abs=5)
    clock.advance(31)
    assert values(claim(store, worker, runs=(run,), unpaced=True)) == ["later"]


def test_afterwards_the_run_goes_on_as_before(store: Store):
    run, worker = a_run(store, 10, lane="site"), a_worker(store)
    store.lanes.pause("site")
    store.runs.pause(run)
    taken = claim(store, worker, 4, runs=(run,), unpaced=True)
    finish(store, *(released(lease) for lease in taken))
    store.runs.unpause(run)
    assert claim(store, worker, 10) == []
    store.lanes.unpause("site")
    assert len(claim(store, worker, 10)) == 10
    assert store.upkeep.check() == []


def test_a_finished_run_is_replayed_and_its_rows_replaced(store: Store):
    run, worker = a_run(store, 3, lane="site"), a_worker(store)
    finish(store, *(completed(lease, "old") for lease in claim(store, worker, 3)))
    assert store.runs.settle(run)
    store.runs.pause(run)
    assert store.tasks.retry(TaskFilter(run=run)) == 3
    request = ClaimRequest(worker_id=worker, count=2, runs=(run,), unpaced=True)
    leases = store.queue.claim(request).leases
    while leases:
        done = store.queue.finish([completed(lease, "new") for lease in leases], request)
        assert set(done.verdicts) == {"accepted"}
        leases = done.claimed.leases
    store.runs.unpause(run)
    assert store.runs.settle(run)
    assert data(store, run) == ["new"] * 3


@pytest.mark.slow
def test_many_drain_a_paused_run_once_each(store: Store):
    run = a_run(store)
    for lane in range(20):
        store.tasks.enqueue(run, targets([f"{lane}-{n}" for n in range(20)], lane=f"l{lane}"))
    store.runs.pause(run)

    def drain(mine: Store, worker: int) -> list[int]:
        taken: list[int] = []
        while mine.runs.counts(run).unfinished:
            leases = claim(mine, worker, 10, runs=(run,), unpaced=True)
            finish(mine, *(completed(lease) for lease in leases))
            taken += [lease.task_id for lease in leases]
        return taken

    taken = together(store, drain)
    assert len(taken) == len(set(taken)) == 400
    assert store.upkeep.check() == []
