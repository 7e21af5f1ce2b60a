"""What tests begin with, in a word each: a run with targets, a worker, leases, outcomes."""

import time
from collections.abc import Callable, Iterable
from typing import Any

from swather import posix
from swather.model.lease import ClaimRequest, Lease
from swather.model.outcome import (
    Cancelled,
    Completed,
    Failed,
    Fault,
    Item,
    Released,
    Retry,
    Verdict,
)
from swather.model.results import StoredFile, StoredItem
from swather.model.retry import ErrorClass
from swather.model.run import Load, NewRun
from swather.model.task import Target
from swather.model.task_filter import TaskFilter
from swather.model.worker import NewWorker, WorkerKind
from swather.store import Store


def targets(values: Iterable[Any] | int, **fields: Any) -> list[Target]:
    """Targets 0, 1, 2 … or of the given values, all with the same fields."""
    if isinstance(values, int):
        values = range(values)
    return [Target(value=value, **fields) for value in values]


def a_run(
    store: Store, count: int = 0, *, lane: str = "", scraper: str = "books", **fields: Any
) -> str:
    """A run with `count` targets: 0, 1, 2 …"""
    run = store.runs.create(NewRun(scraper=scraper, **fields)).name
    if count:
        store.tasks.enqueue(run, targets(count, lane=lane))
    return run


def a_task(store: Store, run: str, target: Target) -> int:
    """The id of a new task of the run."""
    before = max((task.id for task in store.tasks.find(TaskFilter(run=run))), default=0)
    store.tasks.enqueue(run, [target])
    (task,) = store.tasks.find(TaskFilter(run=run), after_id=before)
    return task.id


def a_worker(store: Store, **fields: Any) -> int:
    return store.workers.register(NewWorker(process=posix.this_process(), **fields))


def a_producer(store: Store, run: str, **fields: Any) -> int:
    return a_worker(store, kind=WorkerKind.PRODUCER, run=run, **fields)


def a_load(source: str = "urls.txt", content: str = "1") -> Load:
    return Load(source=source, content=content, name=source)


def claim(store: Store, worker: int, count: int = 1, **fields: Any) -> list[Lease]:
    return store.queue.claim(ClaimRequest(worker_id=worker, count=count, **fields)).leases


def retry_after(store: Store, worker: int, count: int = 1, **fields: Any) -> float | None:
    """How long a claim that must come back empty says to wait."""
    claimed = store.queue.claim(ClaimRequest(worker_id=worker, count=count, **fields))
    assert claimed.leases == []
    return claimed.retry_after_seconds


def a_lease(store: Store, worker: int | None = None, **fields: Any) -> Lease:
    """The only task of a new run, claimed."""
    run = a_run(store, 1, **fields)
    (lease,) = claim(store, a_worker(store) if worker is None else worker, runs=(run,))
    return lease


def run_of(store: Store, lease: Lease) -> str:
    return store.tasks.get(lease.task_id).run


def a_fault(message: str = "it broke", error_class: ErrorClass = ErrorClass.TRANSIENT, **fields):
    return Fault(error_class=error_class, message=message, **fields)


def completed(lease: Lease, *items: Any, **fields: Any) -> Completed:
    """A success with plain values as its items."""
    rows = [item if isinstance(item, Item) else Item(item) for item in items]
    return Completed(task_id=lease.task_id, token=lease.token, items=rows, **fields)


def retried(lease: Lease, after_seconds: float = 0.0, fault: Fault | None = None) -> Retry:
    return Retry(
        task_id=lease.task_id,
        token=lease.token,
        fault=fault or a_fault(),
        after_seconds=after_seconds,
    )


def failed(lease: Lease, reason: str = "permanent", fault: Fault | None = None) -> Failed:
    fault = fault or a_fault(error_class=ErrorClass.PERMANENT)
    return Failed(task_id=lease.task_id, token=lease.token, reason=reason, fault=fault)


def released(lease: Lease) -> Released:
    return Released(task_id=lease.task_id, token=lease.token)


def cancelled(lease: Lease, reason: str = "cancelled") -> Cancelled:
    return Cancelled(task_id=lease.task_id, token=lease.token, reason=reason)


def finish(store: Store, *outcomes: Any) -> list[Verdict]:
    return store.queue.finish(outcomes).verdicts


def values(leases: Iterable[Lease]) -> list[Any]:
    return [lease.target for lease in leases]


def states(store: Store, run: str) -> dict[str, int]:
    """The counts that are not zero, by state."""
    counts = store.runs.counts(run)
    names = ("scheduled", "ready", "leased", "completed", "failed", "cancelled")
    return {name: getattr(counts, name) for name in names if getattr(counts, name)}


def until(condition: Callable[[], bool], timeout_seconds: float = 30.0) -> None:
    """Wait for what must come true soon; whether it did is for the caller's assertions to say."""
    deadline = time.monotonic() + timeout_seconds
    while not condition() and time.monotonic() < deadline:
        time.sleep(0.005)


def items(store: Store, run: str, **fields: Any) -> list[StoredItem]:
    """The run's items, once nobody else's open transaction holds them back any more: readers in
    commit order wait for all older ones, on PostgreSQL those of other databases too.
    """
    count = store.runs.counts(run).items
    until(lambda: len(store.results.items(run, limit=100_000)) >= count)
    return store.results.items(run, **fields)


def files(store: Store, run: str) -> list[StoredFile]:
    count = store.runs.counts(run).files
    until(lambda: len(store.results.files(run, limit=100_000)) >= count)
    return store.results.files(run)


def data(store: Store, run: str, **fields: Any) -> list[Any]:
    """What the run's items hold, in their order."""
    return [item.data for item in items(store, run, **fields)]
