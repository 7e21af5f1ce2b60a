import msgspec
import pytest

from swather.errors import NotFound
from swather.model.outcome import LogLine
from swather.model.retry import ErrorClass
from swather.model.task import EventKind
from swather.model.task_filter import TaskFilter
from swather.store import Store
from swather.store.clock import Clock
from tests.store.given import (
    a_fault,
    a_run,
    a_worker,
    claim,
    completed,
    failed,
    finish,
    released,
    retried,
)


def a_full_life(store: Store, clock: Clock) -> str:
    """A run of three tasks to which everything happens that can."""
    run, worker = a_run(store, 3), a_worker(store)
    first, second, third = claim(store, worker, 3)
    store.events.log_started([first.fence])
    store.queue.progress(first.fence, {"page": 1})
    finish(store, retried(first, fault=a_fault("once")), released(second), completed(third))
    first, second = claim(store, worker, 2)
    finish(store, failed(first, "gone", a_fault("404", ErrorClass.PERMANENT)))
    clock.advance(61)
    store.workers.sweep()
    store.tasks.cancel(TaskFilter(run=run, task_ids=(second.task_id,)))
    return run


def kinds(store: Store, run: str, **which) -> list[str]:
    return [event.kind for event in store.events.find(run, **which)]


def test_failures_retries_and_sweeps_are_logged_by_default(store: Store, clock: Clock):
    run = a_full_life(store, clock)
    assert kinds(store, run) == ["retry", "failed", "swept"]


def test_everything_is_logged_when_asked_for(store: Store, clock: Clock):
    store.settings.set("event_level", "all")
    run = a_full_life(store, clock)
    assert set(kinds(store, run)) == set(EventKind)
    first, second, third = (task.id for task in store.tasks.find(TaskFilter(run=run)))
    assert kinds(store, run, task_id=first) == [
        "created", "claimed", "started", "progress", "retry", "claimed", "failed",
    ]  # fmt: skip
    assert kinds(store, run, task_id=second) == [
        "created", "claimed", "released", "claimed", "swept", "cancelled",
    ]  # fmt: skip
    assert kinds(store, run, task_id=third) == ["created", "claimed", "completed"]


def test_nothing_is_logged_when_nothing_is_wanted(store: Store, clock: Clock):
    store.settings.set("event_level", "none")
    assert kinds(store, a_full_life(store, clock)) == []


def test_an_event_says_what_happened_where_and_when(store: Store):
    run, worker = a_run(store, 1), a_worker(store)
    (lease,) = claim(store, worker)
    fault = a_fault("no route to host", ErrorClass.TRANSIENT)
    finish(store, retried(lease, fault=fault))
    (event,) = store.events.find(run)
    assert (event.kind, event.run, event.task_id) == (EventKind.RETRY, run, lease.task_id)
    assert (event.worker_id, event.message) == (worker, "no route to host")
    assert event.data["class"] == "transient"
    assert event.data["group"] == fault.fingerprint
    assert event.at.utcoffset() is not None


def test_a_failure_names_the_proxy_that_was_to_blame_without_its_user(store: Store):
    run, worker = a_run(store, 1), a_worker(store)
    (lease,) = claim(store, worker)
    fault = msgspec.structs.replace(a_fault(), egress="http://10.0.0.1:80#0123456789abcdef")
    finish(store, retried(lease, fault=fault))
    (event,) = store.events.find(run)
    assert event.data["egress"] == "http://10.0.0.1:80"


def test_what_an_attempt_left_through_is_told_also_when_it_is_not_to_blame(store: Store):
    store.settings.set("event_level", "all")
    run, worker = a_run(store, 2), a_worker(store)
    first, second = claim(store, worker, 2)
    finish(store, msgspec.structs.replace(retried(first), egress="http://10.0.0.1:80"))
    finish(store, completed(second, egress="Tor"))
    told = {event.kind: event.data for event in store.events.find(run) if event.data}
    assert told[EventKind.RETRY]["egress"] == "http://10.0.0.1:80"
    assert told[EventKind.COMPLETED] == {"egress": "Tor"}


def test_a_sweep_says_whose_task_was_lost(store: Store, clock: Clock):
    run, worker = a_run(store, 1), a_worker(store)
    (lease,) = claim(store, worker)
    clock.advance(61)
    store.workers.sweep()
    (event,) = store.events.find(run)
    assert (event.kind, event.task_id, event.worker_id) == ("swept", lease.task_id, worker)


def test_events_are_read_page_by_page(store: Store):
    run, worker = a_run(store, 25), a_worker(store)
    finish(store, *(failed(lease) for lease in claim(store, worker, 25)))
    seen, after = [], 0
    while page := store.events.find(run, after_id=after, limit=10):
        seen += page
        after = page[-1].id
    assert len(seen) == len({event.task_id for event in seen}) == 25


def test_the_newest_events_are_read_page_by_page(store: Store):
    run, other = a_run(store, 25), a_run(store, 1)
    finish(store, *(failed(lease) for lease in claim(store, a_worker(store), 26)))
    seen, before = [], None
    while page := store.events.newest(run, before_id=before, limit=10):
        seen += page
        before = page[-1].id
    assert seen == store.events.find(run)[::-1]
    assert len(seen) == 25
    assert store.events.newest(run, before_id=2**63) == seen
    assert store.events.newest(run, before_id=0) == []
    assert [event.run for event in store.events.newest(other)] == [other]
    with pytest.raises(NotFound):
        store.events.newest("nothing of this name")


def test_events_are_read_by_worker(store: Store):
    run = a_run(store, 2)
    first, second = a_worker(store), a_worker(store)
    for worker in (first, second):
        finish(store, *(failed(lease) for lease in claim(store, worker)))
    (event,) = store.events.find(run, worker_id=second)
    assert event.worker_id == second


def test_events_of_other_runs_stay_out(store: Store):
    worker = a_worker(store)
    mine, other = a_run(store, 1), a_run(store, 1)
    finish(store, *(failed(lease) for lease in claim(store, worker, 2)))
    assert len(store.events.find(mine)) == len(store.events.find(other)) == 1


def test_a_started_event_of_a_stale_attempt_is_not_logged(store: Store):
    store.settings.set("event_level", "all")
    run, worker = a_run(store, 1), a_worker(store)
    (lease,) = claim(store, worker)
    finish(store, completed(lease))
    store.events.log_started([lease.fence])
    assert "started" not in kinds(store, run)


@pytest.mark.parametrize("days", [2, 0.5])
def test_events_past_their_retention_are_pruned(store: Store, clock: Clock, days):
    store.settings.set("event_days", days)
    run = a_run(store, 2)
    worker = a_worker(store, lease_seconds=1_000_000)
    finish(store, *(failed(lease) for lease in claim(store, worker)))
    clock.advance(days * 86_400 - 60)
    finish(store, *(failed(lease) for lease in claim(store, worker)))
    store.upkeep.prune()
    assert len(kinds(store, run)) == 2
    clock.advance(120)
    store.upkeep.prune()
    assert len(kinds(store, run)) == 1


def test_a_long_message_is_clipped_and_a_strange_one_made_safe(store: Store):
    run, worker = a_run(store, 1), a_worker(store)
    (lease,) = claim(store, worker)
    message = "NUL \0, lone \ud800, " + "long " * 10_000
    assert finish(store, failed(lease, fault=a_fault(message))) == ["accepted"]
    (event,) = store.events.find(run)
    assert event.message.startswith("NUL \ufffd, lone ?, long")
    assert len(event.message) <= 10_000
    assert store.tasks.get(lease.task_id).error.startswith("NUL \ufffd")


def test_what_a_scraper_logged_dropped_and_skipped_is_committed_with_its_outcome(store: Store):
    run, worker = a_run(store, 3), a_worker(store)
    leases = claim(store, worker, 3)
    log = [LogLine("info", "one"), LogLine("warning", "two \0 \ud800")]
    made = [
        completed(leases[0]),
        retried(leases[1], after_seconds=100),
        failed(leases[2]),
    ]
    outcomes = [msgspec.structs.replace(outcome, log=log) for outcome in made]
    outcomes[0] = msgspec.structs.replace(outcomes[0], dropped=7, skipped=5)
    finish(store, *outcomes)
    finish(store, *outcomes)  # stale: nothing is kept twice
    for lease in leases:
        told = store.events.find(run, task_id=lease.task_id)
        lines = [(event.data["level"], event.message) for event in told if "level" in event.data]
        assert lines == [("info", "one"), ("warning", "two \N{REPLACEMENT CHARACTER} ?")]
    counts = store.runs.counts(run)
    assert (counts.dropped, counts.skipped) == (7, 5)
