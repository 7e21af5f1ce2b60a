from swather.model.outcome import Item
from swather.model.run import Counts
from swather.model.task import State
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
    targets,
)

COUNTED = (
    "scheduled", "ready", "leased", "completed", "failed", "cancelled", "items", "files", "total",
)  # fmt: skip


def in_tables(database: Database, run_id: int) -> dict[str, int]:
    """The states counted the slow way, over the tables that hold them."""
    (counted,) = database.rows(
        f"""
        SELECT
          (SELECT count(*) FROM scheduled WHERE run_id = {run_id}),
          (SELECT count(*) FROM ready JOIN tasks ON tasks.id = task_id WHERE run_id = {run_id}),
          (SELECT count(*) FROM leases WHERE run_id = {run_id}),
          (SELECT count(*) FROM outcomes WHERE run_id = {run_id} AND state = 'completed'),
          (SELECT count(*) FROM outcomes WHERE run_id = {run_id} AND state = 'failed'),
          (SELECT count(*) FROM outcomes WHERE run_id = {run_id} AND state = 'cancelled'),
          (SELECT count(*) FROM items WHERE run_id = {run_id}),
          (SELECT count(*) FROM files WHERE run_id = {run_id}),
          (SELECT count(*) FROM tasks WHERE run_id = {run_id})
        """
    )
    return dict(zip(COUNTED, counted, strict=True))


def test_a_new_run_counts_nothing(store: Store):
    assert store.runs.counts(a_run(store)) == Counts()


def test_counts_always_add_up(store: Store, clock: Clock, database: Database):
    run = a_run(store, 40, lane="site")
    run_id = store.runs.get(run).id
    worker = a_worker(store)

    def check() -> None:
        counts = store.runs.counts(run)
        expected = in_tables(database, run_id)
        assert {name: getattr(counts, name) for name in expected} == expected
        assert sum(counts.reasons.values()) == counts.done
        assert store.upkeep.check() == []

    check()
    store.tasks.enqueue(run, targets(range(30, 50), due_in_seconds=30))
    check()
    a, b, c, d, e, f, *rest = claim(store, worker, 20)
    check()
    store.queue.checkpoint(a.fence, part=0, cursor=1, items=[Item("x", "k"), Item("y", "k")])
    finish(store, completed(a, "z", part=1, children=targets([0, "child"])))
    finish(store, retried(b), retried(c, 60), failed(d), released(e), cancelled(f))
    check()
    finish(store, completed(a), failed(rest[0]), failed(rest[0]))
    check()
    store.tasks.cancel(TaskFilter(run=run, task_ids=(rest[1].task_id, rest[2].task_id)))
    check()
    clock.advance(61)
    store.workers.sweep()
    check()
    store.tasks.retry(TaskFilter(run=run, states=frozenset({State.COMPLETED, State.FAILED})))
    check()
    worker = a_worker(store)
    finish(store, *(completed(lease, "new", "rows") for lease in claim(store, worker, 30)))
    check()
    claim(store, worker, 5)
    store.workers.retire(worker)
    check()
    store.runs.cancel(run)
    check()
    store.tasks.retry(TaskFilter(run=run))
    check()
    store.workers.sweep()
    check()


def test_reasons_are_counted_each(store: Store):
    run, worker = a_run(store, 5), a_worker(store)
    a, b, c, d, e = claim(store, worker, 5)
    finish(store, completed(a), completed(b, reason="no_subtitles"), completed(c))
    finish(store, failed(d, "blocked"), cancelled(e))
    assert store.runs.counts(run).reasons == {
        "ok": 2, "no_subtitles": 1, "blocked": 1, "cancelled": 1,
    }  # fmt: skip


def test_every_stale_outcome_is_counted(store: Store):
    run, worker = a_run(store, 2), a_worker(store)
    a, b = claim(store, worker, 2)
    finish(store, completed(a), completed(a), failed(a), completed(b))
    finish(store, failed(a), failed(a), failed(b))
    assert store.runs.counts(run).stale == 5


def test_counting_does_not_walk_the_tasks(store: Store, database: Database):
    run = a_run(store, 5)
    database.execute("DELETE FROM ready")
    database.execute("DELETE FROM tasks")
    assert store.runs.counts(run).ready == 5


def test_counts_are_told_apart_by_run(store: Store):
    first, second = a_run(store, 2), a_run(store, 3)
    assert (store.runs.counts(first).total, store.runs.counts(second).total) == (2, 3)


def test_the_sums_are_the_same_after_chores(store: Store):
    run, worker = a_run(store, 50), a_worker(store)
    for _ in range(5):
        for lease in claim(store, worker, 5):
            finish(store, completed(lease))
    before = store.runs.counts(run)
    for _ in range(3):
        store.workers.sweep()
    assert store.runs.counts(run) == before
    assert (before.completed, before.ready) == (25, 25)
