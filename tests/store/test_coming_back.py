"""A claim that comes back short says when to ask again."""

import pytest

from swather.model.lane import PacedKind
from swather.model.lease import ClaimRequest
from swather.store import Store
from swather.store.clock import Clock
from tests.store.given import (
    a_run,
    a_worker,
    claim,
    retry_after,
    targets,
)


def test_an_empty_claim_on_an_empty_database_knows_no_time(store: Store):
    assert retry_after(store, a_worker(store)) is None


def test_an_empty_claim_says_when_a_scheduled_task_is_due(store: Store):
    run, worker = a_run(store), a_worker(store)
    store.tasks.enqueue(run, targets(["later"], due_in_seconds=90))
    store.tasks.enqueue(run, targets(["sooner"], due_in_seconds=40))
    assert retry_after(store, worker) == pytest.approx(40, abs=5)


def test_coming_back_when_a_claim_said_finds_the_task(store: Store, clock: Clock):
    run, worker = a_run(store), a_worker(store)
    store.tasks.enqueue(run, targets(1, due_in_seconds=30))
    clock.advance(retry_after(store, worker) + 0.01)
    assert len(claim(store, worker)) == 1


def test_a_short_claim_says_when_more_is_due(store: Store):
    run, worker = a_run(store, 1), a_worker(store)
    store.tasks.enqueue(run, targets(["later"], due_in_seconds=30))
    claimed = store.queue.claim(ClaimRequest(worker_id=worker, count=2))
    assert len(claimed.leases) == 1
    assert claimed.retry_after_seconds == pytest.approx(30, abs=5)


def test_a_full_claim_needs_no_time(store: Store):
    run, worker = a_run(store, 1), a_worker(store)
    store.tasks.enqueue(run, targets(["later"], due_in_seconds=30))
    assert store.queue.claim(ClaimRequest(worker_id=worker, count=1)).retry_after_seconds is None


def test_another_runs_due_time_does_not_matter(store: Store):
    mine, other_run = a_run(store), a_run(store)
    store.tasks.enqueue(other_run, targets(1, due_in_seconds=5))
    store.tasks.enqueue(mine, targets(1, due_in_seconds=90))
    after = retry_after(store, a_worker(store), runs=(mine,))
    assert after == pytest.approx(90, abs=5)


def test_a_cooling_scraper_says_when_it_goes_on(store: Store):
    a_run(store, 1, scraper="books")
    worker = a_worker(store)
    store.lanes.cool("books", 30, kind=PacedKind.SCRAPER)
    assert retry_after(store, worker) == pytest.approx(30, abs=5)


def test_a_paused_run_has_no_known_time(store: Store):
    run, worker = a_run(store, 1), a_worker(store)
    store.runs.pause(run)
    assert retry_after(store, worker) is None
