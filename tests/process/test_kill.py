import os
import signal
import time
from pathlib import Path

import psycopg

from swather.model.worker import WorkerState
from swather.store.ports import Store
from swather.store.sqlite.store import SQLiteStore
from tests.process.given import WorkerProcess, Yard
from tests.worker.given import wait_until

IN_TRANSACTION = """
SELECT count(*) FROM pg_stat_activity
WHERE datname = current_database() AND pid <> pg_backend_pid() AND xact_start IS NOT NULL
"""


def stop_between_transactions(process: WorkerProcess, store: Store) -> None:
    """One stopped inside a transaction holds up all others until it goes on or is killed."""
    if isinstance(store, SQLiteStore):
        with store.connection.transaction():
            process.signal(signal.SIGSTOP)
        return
    with psycopg.connect(store.url, autocommit=True) as connection:
        for _ in range(100):
            process.signal(signal.SIGSTOP)
            time.sleep(0.05)
            if connection.execute(IN_TRANSACTION).fetchone() == (0,):
                return
            process.signal(signal.SIGCONT)
            time.sleep(0.01)
    raise AssertionError("it is always in a transaction")


def test_what_a_killed_process_held_is_scraped_at_once_by_the_next(either_yard: Yard):
    run = either_yard.run("patient", [{"seconds": 600}, *[{"seconds": 0}] * 20])
    first = either_yard.start(run, "patient", lease_seconds=600.0)
    either_yard.wait_for("began-0")
    first.kill()
    began = time.monotonic()
    either_yard.start(run, "patient", lease_seconds=600.0)
    either_yard.wait_for("began-0", times=2)
    assert time.monotonic() - began < 5
    wait_until(lambda: either_yard.counts(run) == {"completed": 20, "leased": 1})


def test_a_neighbour_notices_a_killed_process(yard: Yard):
    run = yard.run("patient", [{}])
    first = yard.start(run, "patient", lease_seconds=600.0)
    yard.wait_for("began-0")
    second = yard.start(run, "patient", lease_seconds=600.0)
    wait_until(lambda: len(yard.store.workers.find()) == 2)
    first.kill()
    assert yard.wait_for("began-0", times=2, patience_seconds=10) == second.pid


def test_a_process_that_was_stopped_past_its_lease_loses_it_and_goes_on(either_yard: Yard):
    run = either_yard.run("patient", [{"seconds": 2.5}])
    first = either_yard.start(run, "patient", lease_seconds=4.0)
    either_yard.wait_for("began-0")
    stop_between_transactions(first, either_yard.store)
    second = either_yard.start(run, "patient", lease_seconds=4.0)
    assert either_yard.wait_for("began-0", times=2) == second.pid
    first.signal(signal.SIGCONT)
    assert (first.end(), second.end()) == (0, 0)
    assert either_yard.counts(run) == {"completed": 1}
    assert either_yard.store.runs.counts(run).items == 1
    states = {worker.state for worker in either_yard.store.workers.find(live=False)}
    assert WorkerState.LOST in states


def test_children_end_with_the_worker_that_started_them(yard: Yard):
    run = yard.run("in_child", [{}])
    worker = yard.start(run, "in_child")
    child = yard.wait_for("began-0")
    assert child != worker.pid
    worker.kill()
    wait_until(lambda: not Path(f"/proc/{child}").exists(), 8)


def test_a_worker_ends_when_the_process_that_started_it_is_gone(yard: Yard):
    run = yard.run("patient", [{}, {}])
    ours, theirs = os.pipe()
    worker = yard.start(
        run,
        "patient",
        pass_fds=[ours],
        environment={"SWATHER_PARENT_FD": str(ours)},
        grace_seconds=0.1,
    )
    os.close(ours)
    yard.wait_for("began-1")
    os.close(theirs)
    assert worker.end(10) == 130
    assert yard.counts(run) == {"ready": 2}


def test_what_was_noted_of_sources_adds_up_after_kills(either_yard: Yard):
    run = either_yard.run("asks_two", [{"seconds": 0.02}] * 200)
    first, second = (either_yard.start(run, "asks_two", concurrency=5) for _ in range(2))
    either_yard.wait_for("asked-mirror", times=40)
    first.kill()
    either_yard.wait_for("asked-mirror", times=100)
    third = either_yard.start(run, "asks_two", concurrency=5)
    second.kill()
    assert third.end() == 0
    api, mirror = either_yard.store.sources.of_run(run)
    assert len(either_yard.happened("asked-mirror")) > 200
    assert (api.succeeded, api.failed, api.failures) == (100, 100, {"HTTP 500": 100})
    assert (mirror.succeeded, mirror.counts) == (200, {"images": 400})
    assert (api.seconds, mirror.seconds) == (100.0, 50.0)
