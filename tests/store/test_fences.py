"""A stale token can change nothing, on any verb, and the checks here can fail."""

from collections.abc import Callable
from typing import Any

import msgspec
import pytest

from swather.model.lease import Lease
from swather.model.outcome import File, Item, Memory, Verdict
from swather.model.pacing import Limits
from swather.model.source import Answer, SourceNote
from swather.model.task_filter import TaskFilter
from swather.store import Store
from swather.store.clock import Clock
from tests.store.database import Database
from tests.store.given import (
    a_run,
    a_worker,
    cancelled,
    claim,
    completed,
    failed,
    finish,
    released,
    retried,
    run_of,
    states,
    targets,
)

Write = Callable[[Store, Lease], Any]
Loss = Callable[[Store, Clock, Lease], None]

TABLES = (
    "tasks", "ready", "scheduled", "leases", "outcomes", "faults", "error_groups", "checkpoints",
    "items", "files", "lanes", "memories", "source_counts",
    "source_breakers",
)  # fmt: skip

STALE_NOTE = SourceNote(name="api", answer=Answer.FAILED, error="stale")


def complete(store: Store, lease: Lease) -> Verdict:
    return finish(store, completed(lease))[0]


def complete_with_items(store: Store, lease: Lease) -> Verdict:
    return finish(store, completed(lease, "stale", "items"))[0]


def complete_with_everything(store: Store, lease: Lease) -> Verdict:
    file = File(name="f", sha256="ab" * 32, size_bytes=1)
    outcome = completed(
        lease,
        Item("stale"),
        children=targets(["child"]),
        files=[file],
        memories=[Memory("stale")],
        sources=[STALE_NOTE],
    )
    return finish(store, outcome)[0]


def retry(store: Store, lease: Lease) -> Verdict:
    return finish(store, msgspec.structs.replace(retried(lease), sources=[STALE_NOTE]))[0]


def retry_later(store: Store, lease: Lease) -> Verdict:
    return finish(store, retried(lease, 60))[0]


def fail(store: Store, lease: Lease) -> Verdict:
    return finish(store, msgspec.structs.replace(failed(lease), sources=[STALE_NOTE]))[0]


def release(store: Store, lease: Lease) -> Verdict:
    return finish(store, released(lease))[0]


def cancel(store: Store, lease: Lease) -> Verdict:
    return finish(store, cancelled(lease))[0]


def progress(store: Store, lease: Lease) -> Verdict:
    return store.queue.progress(lease.fence, {"stale": True})


def checkpoint(store: Store, lease: Lease) -> Verdict:
    return store.queue.checkpoint(
        lease.fence,
        part=0,
        cursor="stale",
        items=[Item("stale")],
        children=targets(["child"]),
        files=[File(name="f", sha256="ab" * 32, size_bytes=1)],
        memories=[Memory("stale")],
        sources=[STALE_NOTE],
    )


def permits(store: Store, lease: Lease) -> Verdict:
    return (
        Verdict.ACCEPTED if store.queue.permits(lease.fence, "site", 2).granted else Verdict.STALE
    )


WRITES: list[Write] = [
    complete, complete_with_items, complete_with_everything, retry, retry_later, fail, release,
    cancel, progress, checkpoint, permits,
]  # fmt: skip


def swept(store: Store, clock: Clock, _: Lease) -> None:
    clock.advance(61)
    assert store.workers.sweep().tasks == 1


def swept_and_claimed_by_another(store: Store, clock: Clock, lease: Lease) -> None:
    swept(store, clock, lease)
    (again,) = claim(store, a_worker(store))
    assert again.task_id == lease.task_id


def swept_and_completed_by_another(store: Store, clock: Clock, lease: Lease) -> None:
    swept(store, clock, lease)
    assert finish(store, completed(claim(store, a_worker(store))[0])) == [Verdict.ACCEPTED]


def released_and_claimed_again_by_the_same(store: Store, _: Clock, lease: Lease) -> None:
    (row,) = [w for w in store.workers.find() if w.leases]
    finish(store, released(lease))
    assert len(claim(store, row.id)) == 1


def its_task_cancelled(store: Store, _: Clock, lease: Lease) -> None:
    which = TaskFilter(run=run_of(store, lease), task_ids=(lease.task_id,))
    assert store.tasks.cancel(which) == 1


def its_run_cancelled(store: Store, _: Clock, lease: Lease) -> None:
    assert store.runs.cancel(run_of(store, lease)) == 1


def its_task_cancelled_and_retried(store: Store, clock: Clock, lease: Lease) -> None:
    its_task_cancelled(store, clock, lease)
    which = TaskFilter(run=run_of(store, lease), task_ids=(lease.task_id,))
    assert store.tasks.retry(which) == 1


def already_completed(store: Store, _: Clock, lease: Lease) -> None:
    assert finish(store, completed(lease)) == [Verdict.ACCEPTED]


def already_retried(store: Store, _: Clock, lease: Lease) -> None:
    assert finish(store, retried(lease, 600)) == [Verdict.ACCEPTED]


def its_worker_retired(store: Store, _: Clock, __: Lease) -> None:
    (row,) = [w for w in store.workers.find() if w.leases]
    assert store.workers.retire(row.id) == 1


LOSSES: list[Loss] = [
    swept,
    swept_and_claimed_by_another,
    swept_and_completed_by_another,
    released_and_claimed_again_by_the_same,
    its_task_cancelled,
    its_run_cancelled,
    its_task_cancelled_and_retried,
    already_completed,
    already_retried,
    its_worker_retired,
]


def a_paced_lease(store: Store) -> Lease:
    """A lease on a lane whose pace a stale permit would move."""
    store.lanes.limit("site", Limits(1.0, 50))
    run = a_run(store, 1, lane="site")
    (lease,) = claim(store, a_worker(store), runs=(run,))
    return lease


def everything(store: Store, database: Database, run: str) -> dict[str, Any]:
    """All that a stale write could change."""
    counts = store.runs.counts(run)
    found: dict[str, Any] = {"states": states(store, run), "reasons": counts.reasons}
    found |= {"items": counts.items, "files": counts.files, "retries": counts.retries}
    for table in TABLES:
        found[table] = sorted(map(repr, database.rows(f"SELECT * FROM {table}")))
    return found


def refuse(store: Store, database: Database, run: str, write: Write, lease: Lease) -> None:
    """Assert that a write is stale and leaves no trace."""
    before = everything(store, database, run)
    assert write(store, lease) is Verdict.STALE
    assert everything(store, database, run) == before


by_write = pytest.mark.parametrize("write", WRITES, ids=lambda write: write.__name__)
by_loss = pytest.mark.parametrize("lose", LOSSES, ids=lambda lose: lose.__name__)


@by_write
def test_a_held_lease_is_accepted_on_every_verb(store: Store, database: Database, write: Write):
    lease = a_paced_lease(store)
    run = run_of(store, lease)
    before = everything(store, database, run)
    assert write(store, lease) is Verdict.ACCEPTED
    assert everything(store, database, run) != before


@pytest.mark.slow
@by_loss
def test_a_lost_lease_changes_nothing_on_any_verb(
    store: Store, clock: Clock, database: Database, lose: Loss
):
    lease = a_paced_lease(store)
    run = run_of(store, lease)
    lose(store, clock, lease)
    for write in WRITES:
        refuse(store, database, run, write, lease)


@by_loss
def test_a_beat_tells_of_a_lost_lease_and_renews_nothing(
    store: Store, clock: Clock, database: Database, lose: Loss
):
    lease = a_paced_lease(store)
    run = run_of(store, lease)
    (worker,) = [row.id for row in store.workers.find() if row.leases]
    lose(store, clock, lease)
    mine = database.rows(f"SELECT task_id, token FROM leases WHERE worker_id = {worker}")
    before = everything(store, database, run)
    assert store.workers.beat(worker, {lease.fence, *mine}).lost == {lease.fence}
    assert everything(store, database, run) == before


@by_write
def test_a_token_nobody_was_given_is_refused(store: Store, database: Database, write: Write):
    lease = a_paced_lease(store)
    run = run_of(store, lease)
    for token in (0, lease.token + 1, -lease.token):
        refuse(store, database, run, write, msgspec.structs.replace(lease, token=token))
    assert write(store, lease) is Verdict.ACCEPTED


def test_stale_outcomes_are_counted(store: Store, clock: Clock):
    lease = a_paced_lease(store)
    run = run_of(store, lease)
    swept(store, clock, lease)
    assert store.runs.counts(run).stale == 0
    finish(store, completed(lease))
    finish(store, failed(lease))
    assert store.runs.counts(run).stale == 2


def test_a_stale_outcome_does_not_sink_those_beside_it(store: Store, clock: Clock):
    lost = a_paced_lease(store)
    clock.advance(61)
    store.workers.sweep()
    worker = a_worker(store)
    (mine,) = claim(store, worker)
    held = a_paced_lease(store)
    assert finish(store, completed(lost), completed(mine), completed(held)) == [
        Verdict.STALE, Verdict.ACCEPTED, Verdict.ACCEPTED,
    ]  # fmt: skip
