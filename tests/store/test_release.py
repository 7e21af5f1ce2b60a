from swather.model.outcome import Released
from swather.model.retry import Faults
from swather.model.worker import WorkerState
from swather.store import Store
from swather.store.clock import Clock
from tests.store.given import a_run, a_worker, claim, finish, released, states, values


def test_prefetched_tasks_go_back_without_a_charge(store: Store):
    run, worker = a_run(store, 5), a_worker(store)
    leases = claim(store, worker, 5)
    finish(store, *(released(lease) for lease in leases[1:]))
    assert states(store, run) == {"leased": 1, "ready": 4}
    again = claim(store, a_worker(store), 5)
    assert values(again) == [1, 2, 3, 4]
    assert {lease.faults for lease in again} == {Faults()}


def test_a_worker_that_retires_leaves_nothing_leased(store: Store):
    run, worker = a_run(store, 5), a_worker(store)
    claim(store, worker, 3)
    assert store.workers.retire(worker) == 3
    assert states(store, run) == {"ready": 5}
    assert store.workers.get(worker).state is WorkerState.RETIRED
    again = claim(store, a_worker(store), 5)
    assert values(again) == [0, 1, 2, 3, 4]
    assert {lease.faults for lease in again} == {Faults()}


def test_a_worker_that_holds_nothing_retires_too(store: Store):
    worker = a_worker(store)
    assert store.workers.retire(worker) == 0
    assert store.workers.retire(worker) == 0
    assert store.workers.find() == []


def test_a_retired_worker_is_not_swept_later(store: Store, clock: Clock):
    worker = a_worker(store)
    store.workers.retire(worker)
    clock.advance(61)
    assert store.workers.sweep().workers == ()
    assert store.workers.get(worker).state is WorkerState.RETIRED


def test_a_released_task_is_there_for_others_at_once(store: Store, other: Store):
    a_run(store, 1, lane="site")
    (lease,) = claim(store, a_worker(store))
    waiting = a_worker(other)
    assert claim(other, waiting) == []
    finish(store, released(lease))
    assert values(claim(other, waiting)) == [0]


def test_a_task_may_be_released_for_later(store: Store, clock: Clock):
    run, worker = a_run(store, 1), a_worker(store)
    (lease,) = claim(store, worker)
    later = Released(task_id=lease.task_id, token=lease.token, after_seconds=30)
    finish(store, later)
    assert states(store, run) == {"scheduled": 1}
    assert claim(store, worker) == []
    clock.advance(31)
    (again,) = claim(store, worker)
    assert again.faults == Faults()
