"""The views for people with a SQL shell, the same on both databases."""

from swather import posix
from swather.model.supervisor import NewSupervisor
from swather.store import Store
from tests.store.database import Database
from tests.store.given import (
    a_producer,
    a_run,
    a_worker,
    claim,
    completed,
    failed,
    finish,
    retried,
    targets,
)


def test_active_tasks_are_those_that_wait_or_run(store: Store, database: Database):
    run = a_run(store, scraper="books")
    store.tasks.enqueue(run, targets(["a", "b", "c"], lane="site", priority=7, partition="p"))
    worker = a_worker(store, name="anna")
    store.partitions.take(worker, run)
    first, second = claim(store, worker, 2)
    finish(store, retried(second, 60))
    rows = database.rows(
        "SELECT task_id, run, scraper, state, priority, lane, partition, attempts, worker"
        " FROM v_active_tasks ORDER BY task_id"
    )
    common = (run, "books")
    assert [row[1:] for row in rows] == [
        (*common, "leased", 7, "site", "p", 0, "anna"),
        (*common, "scheduled", 7, "site", "p", 1, None),
        (*common, "ready", 7, "site", "p", 0, None),
    ]
    finish(store, completed(first))
    assert len(database.rows("SELECT 1 FROM v_active_tasks")) == 2


def test_active_tasks_show_their_times(store: Store, database: Database):
    run, worker = a_run(store, 1), a_worker(store)
    store.tasks.enqueue(run, targets(["later"], due_in_seconds=60))
    claim(store, worker)
    rows = database.rows("SELECT state, due_at, claimed_at, created_at FROM v_active_tasks")
    found = {row[0]: [value is not None for value in row[1:]] for row in rows}
    assert found == {"leased": [False, True, True], "scheduled": [True, False, True]}


def test_worker_status_shows_what_each_is_doing(store: Store, database: Database):
    a_run(store, 2)
    busy, idle = a_worker(store, name="busy"), a_worker(store, name="idle")
    leases = claim(store, busy, 2)
    store.workers.pause(idle)
    rows = database.rows(
        "SELECT name, kind, state, leases, current_task_id, lease_seconds FROM v_worker_status"
        " ORDER BY name"
    )
    first = min(lease.task_id for lease in leases)
    assert rows == [
        ("busy", "worker", "live", 2, first, 60.0),
        ("idle", "worker", "live", 0, None, 60.0),
    ]
    paused = database.rows("SELECT name FROM v_worker_status WHERE paused")
    assert paused == [("idle",)]


def test_task_stats_are_the_counts(store: Store, database: Database):
    run, worker = a_run(store, 5, scraper="books"), a_worker(store)
    a, b, _ = claim(store, worker, 3)
    finish(store, completed(a), failed(b))
    rows = database.rows("SELECT run, scraper, state, tasks FROM v_task_stats ORDER BY state")
    assert [(r, s, state, int(n)) for r, s, state, n in rows] == [
        (run, "books", "completed", 1),
        (run, "books", "failed", 1),
        (run, "books", "leased", 1),
        (run, "books", "ready", 2),
    ]


def test_jobs_are_one_row_about_workers_and_all_that_was_done(store: Store, database: Database):
    def jobs() -> tuple:
        ((status, *numbers),) = database.rows(
            "SELECT status, active_workers, num_workers, total_processed, total_failed FROM v_jobs"
        )
        return (status, *map(int, numbers))

    assert jobs() == ("idle", 0, 0, 0, 0)
    a_run(store, 2), a_run(store, 2)
    supervisor = store.supervisors.register(
        NewSupervisor(name="barn", process=posix.this_process(), wanted=3)
    )
    assert jobs() == ("running", 0, 3, 0, 0)
    first, second = a_worker(store), a_worker(store)
    for worker in (first, second):
        a, b = claim(store, worker, 2)
        finish(store, completed(a), failed(b))
    a_producer(store, a_run(store))
    assert jobs() == ("running", 2, 3, 2, 2)
    store.supervisors.ask_stop(supervisor)
    store.workers.retire(first)
    assert jobs() == ("running", 1, 0, 2, 2)
    store.workers.retire(second)
    assert jobs() == ("idle", 0, 0, 2, 2)
