import time

import pytest

from swather import posix
from swather.model.retry import Faults
from swather.model.task import State
from swather.model.worker import NewWorker, Process, WorkerState
from swather.store import Store
from swather.store.clock import Clock
from tests.store.database import Database
from tests.store.given import (
    a_run,
    a_worker,
    claim,
    completed,
    finish,
    retried,
    states,
    targets,
    values,
)
from tests.store.processes import running

HOLD_TWO = """
worker = a_worker(store, name="victim")
print(worker, len(claim(store, worker, 2)), flush=True)
time.sleep(60)
"""


def from_elsewhere(**changes) -> Process:
    """A process whose life or death nobody here can see."""
    mine = posix.this_process()
    fields = {"host": mine.host, "boot_id": mine.boot_id, "namespace": "pid:[elsewhere]"}
    return Process(**{**fields, "pid": 1, "started": "1", **changes})


@pytest.mark.slow
@pytest.mark.parametrize("way", ["kill", "kill_unreaped"])
def test_a_dead_process_of_this_host_is_swept_at_once(store: Store, database: Database, way):
    run = a_run(store, 3)
    with running(database.url, HOLD_TWO) as victim:
        worker = int(victim.line().split()[0])
        assert store.workers.sweep().workers == ()
        assert states(store, run) == {"ready": 1, "leased": 2}
        getattr(victim, way)()
        swept = store.workers.sweep()
    assert (swept.workers, swept.tasks) == (("victim",), 2)
    assert store.workers.get(worker).state is WorkerState.LOST
    assert states(store, run) == {"ready": 3}


def test_a_reaped_child_is_swept_at_once(store: Store):
    run = a_run(store, 2)
    child = store.workers.register(NewWorker(process=from_elsewhere(), name="child"))
    claim(store, child, 2)
    assert store.workers.sweep().workers == ()
    swept = store.workers.sweep(dead=[child])
    assert (swept.workers, swept.tasks) == (("child",), 2)
    assert states(store, run) == {"ready": 2}


def test_a_worker_that_cannot_be_seen_is_lost_when_its_lease_ends(store: Store, clock: Clock):
    run = a_run(store, 2)
    worker = store.workers.register(NewWorker(process=from_elsewhere(), lease_seconds=30))
    claim(store, worker, 2)
    clock.advance(25)
    assert store.workers.sweep().tasks == 0
    clock.advance(6)
    assert store.workers.sweep().tasks == 2
    assert store.workers.get(worker).state is WorkerState.LOST
    assert states(store, run) == {"ready": 2}


def test_a_worker_of_another_boot_is_dead_where_all_share_one_host(
    store: Store, database: Database
):
    a_run(store, 1)
    worker = store.workers.register(NewWorker(process=posix.this_process()))
    claim(store, worker)
    database.execute("UPDATE workers SET boot_id = 'an earlier one'")
    assert store.workers.sweep().tasks == (1 if database.one_host else 0)


def test_beats_keep_a_long_task_with_its_worker(store: Store, clock: Clock):
    a_run(store, 1)
    worker = a_worker(store)
    (lease,) = claim(store, worker)
    for _ in range(10):
        clock.advance(40)
        assert store.workers.beat(worker, [lease.fence]).alive
        assert store.workers.sweep().tasks == 0
    assert finish(store, completed(lease)) == ["accepted"]


def test_a_lost_lease_counts_as_a_crash_and_spends_no_attempt(store: Store, clock: Clock):
    run = a_run(store, 1)
    for crashes in range(5):
        (lease,) = claim(store, a_worker(store))
        assert lease.faults == Faults(crashes=crashes)
        assert lease.attempt == crashes + 1
        clock.advance(61)
        store.workers.sweep()
    task = store.tasks.get(lease.task_id)
    assert (task.state, task.attempts, task.crashes) == (State.READY, 0, 5)
    assert states(store, run) == {"ready": 1}


def test_crashes_and_attempts_are_kept_beside_each_other(store: Store, clock: Clock):
    a_run(store, 1)
    (lease,) = claim(store, a_worker(store))
    finish(store, retried(lease))
    claim(store, a_worker(store))
    clock.advance(61)
    store.workers.sweep()
    (lease,) = claim(store, a_worker(store))
    assert lease.faults == Faults(attempts=1, crashes=1)


def test_leases_of_a_worker_without_a_row_are_found(store: Store, database: Database):
    run = a_run(store, 2)
    worker = a_worker(store)
    claim(store, worker, 2)
    database.execute(f"DELETE FROM workers WHERE id = {worker}")
    assert store.workers.sweep().tasks == 2
    assert states(store, run) == {"ready": 2}
    assert {lease.faults.crashes for lease in claim(store, a_worker(store), 2)} == {1}


def test_leases_of_a_worker_already_given_up_are_found(store: Store, database: Database):
    run = a_run(store, 2)
    worker = a_worker(store)
    claim(store, worker, 2)
    database.execute("UPDATE workers SET state = 'lost'")
    assert store.workers.sweep().tasks == 2
    assert states(store, run) == {"ready": 2}


def test_a_sweep_leaves_the_living_alone(store: Store, clock: Clock):
    a_run(store, 2)
    quiet, lively = a_worker(store, name="quiet"), a_worker(store, name="lively")
    claim(store, quiet)
    (kept,) = claim(store, lively)
    clock.advance(40)
    store.workers.beat(lively, [kept.fence])
    clock.advance(21)
    swept = store.workers.sweep()
    assert (swept.workers, swept.tasks) == (("quiet",), 1)
    assert finish(store, completed(kept)) == ["accepted"]


def test_a_second_sweep_finds_nothing(store: Store, clock: Clock):
    a_run(store, 2)
    claim(store, a_worker(store), 2)
    clock.advance(61)
    assert store.workers.sweep().tasks == 2
    again = store.workers.sweep()
    assert (again.workers, again.tasks) == ((), 0)


def test_a_sweep_makes_due_tasks_ready(store: Store, clock: Clock):
    run = a_run(store)
    store.tasks.enqueue(run, targets(3, due_in_seconds=30))
    store.tasks.enqueue(run, targets(["later"], due_in_seconds=90))
    assert store.workers.sweep().promoted == 0
    clock.advance(31)
    assert store.workers.sweep().promoted == 3
    assert states(store, run) == {"scheduled": 1, "ready": 3}


def test_a_swept_task_is_there_for_others_at_once(store: Store, clock: Clock, other: Store):
    a_run(store, 2, lane="site")
    claim(store, a_worker(store), 2)
    clock.advance(61)
    waiting = a_worker(other)
    assert claim(other, waiting) == []
    store.workers.sweep()
    assert values(claim(other, waiting, 5)) == [0, 1]


@pytest.mark.slow
def test_many_leases_are_swept_together(store: Store, clock: Clock):
    run = a_run(store, 2_500)
    claim(store, a_worker(store), 2_500)
    clock.advance(61)
    assert store.workers.sweep().tasks == 2_500
    assert states(store, run) == {"ready": 2_500}


def test_a_wall_clock_that_steps_back_keeps_no_dead_worker_alive(
    store: Store, clock: Clock, database: Database, monkeypatch: pytest.MonkeyPatch
):
    a_run(store, 1)
    claim(store, a_worker(store, lease_seconds=60))
    if database.one_host:
        monkeypatch.setattr(clock, "wall", lambda: time.time() - 3_600 + clock.offset_seconds)
    else:
        clock.advance(-3_600)
    store.workers.sweep()
    clock.advance(61)
    assert store.workers.sweep().tasks == 1
