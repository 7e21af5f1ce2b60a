from datetime import timedelta

import msgspec
import pytest

from swather import posix
from swather.errors import NotFound
from swather.model.lease import Strategy
from swather.model.retry import Faults
from swather.model.task_filter import TaskFilter
from swather.model.worker import Leaving, NewWorker, WorkerKind, WorkerState
from swather.store import Store
from swather.store.clock import Clock
from tests.store.given import a_producer, a_run, a_worker, claim, completed, finish, states


def test_find_beside_finds_live_workers_of_the_same_machine_and_container(store: Store):
    here = posix.this_process()
    for other in ({"host": "x"}, {"boot_id": "x"}, {"namespace": "x"}):
        store.workers.register(NewWorker(process=msgspec.structs.replace(here, **other)))
    ended, live = a_worker(store), a_worker(store)
    store.workers.retire(ended)
    a_producer(store, a_run(store))
    process = msgspec.structs.replace(here, pid=1, started="another")
    assert [worker.id for worker in store.workers.find_beside(process)] == [live]


def test_a_worker_is_read_back_as_it_registered(store: Store):
    process = posix.this_process()
    worker = store.workers.get(
        store.workers.register(
            NewWorker(
                process=process,
                name="anna",
                lease_seconds=45,
                strategy=Strategy.LIFO,
                version="1.2",
            )
        )
    )
    assert (worker.name, worker.kind, worker.state) == (
        "anna", WorkerKind.WORKER, WorkerState.LIVE,
    )  # fmt: skip
    assert (worker.process, worker.lease_seconds, worker.run) == (process, 45, None)
    assert (worker.strategy, worker.version, worker.paused) == (Strategy.LIFO, "1.2", False)
    assert (worker.leases, worker.statistics) == (0, {})
    assert worker.registered_at.utcoffset() is not None
    assert worker.beat_at - worker.registered_at < timedelta(seconds=1)


def test_every_start_is_a_worker_of_its_own(store: Store):
    first, second = a_worker(store, name="anna"), a_worker(store, name="anna")
    assert first != second
    a_run(store, 1)
    (lease,) = claim(store, first)
    beat = store.workers.beat(second, [lease.fence])
    assert beat.lost == {lease.fence}
    assert finish(store, completed(lease)) == ["accepted"]


def test_a_worker_without_a_name_gets_one(store: Store):
    names = [store.workers.get(a_worker(store)).name for _ in range(2)]
    assert all(names)


def test_a_beat_finds_all_well(store: Store):
    a_run(store, 3)
    worker = a_worker(store)
    held = [lease.fence for lease in claim(store, worker, 3)]
    beat = store.workers.beat(worker, held)
    assert (beat.alive, beat.lost, beat.released) == (True, frozenset(), 0)
    assert beat.control_version == store.settings.control_version()


def test_a_beat_finds_lost_leases(store: Store):
    run, worker = a_run(store, 3), a_worker(store)
    kept, done, gone = claim(store, worker, 3)
    finish(store, completed(done))
    store.tasks.cancel(TaskFilter(run=run, task_ids=(gone.task_id,)))
    beat = store.workers.beat(worker, [kept.fence, done.fence, gone.fence])
    assert beat.lost == {done.fence, gone.fence}


def test_a_beat_gives_back_what_the_worker_does_not_know_of(store: Store, clock: Clock):
    run, worker = a_run(store, 4), a_worker(store)
    known = claim(store, worker, 1)
    claim(store, worker, 3)
    clock.advance(20)
    beat = store.workers.beat(worker, [lease.fence for lease in known])
    assert (beat.released, beat.lost) == (3, frozenset())
    assert states(store, run) == {"leased": 1, "ready": 3}
    again = claim(store, a_worker(store), 5)
    assert {lease.faults for lease in again} == {Faults()}


def test_a_beat_leaves_the_leases_of_others_alone(store: Store, clock: Clock):
    run = a_run(store, 2)
    mine, other = a_worker(store), a_worker(store)
    (lease,) = claim(store, mine)
    claim(store, other)
    clock.advance(20)
    assert store.workers.beat(mine, [lease.fence]).released == 0
    assert states(store, run) == {"leased": 2}


def test_a_beat_of_a_lost_worker_says_so(store: Store, clock: Clock):
    worker = a_worker(store)
    clock.advance(61)
    store.workers.sweep()
    assert not store.workers.beat(worker, []).alive
    assert store.workers.get(worker).state is WorkerState.LOST


def test_a_beat_of_an_unknown_worker_says_it_is_not_alive(store: Store):
    assert not store.workers.beat(424_242, []).alive


def test_a_late_beat_that_nobody_swept_saves_the_leases(store: Store, clock: Clock):
    a_run(store, 1)
    worker = a_worker(store)
    (lease,) = claim(store, worker)
    clock.advance(61)
    beat = store.workers.beat(worker, [lease.fence])
    assert (beat.alive, beat.lost) == (True, frozenset())
    assert store.workers.sweep().tasks == 0
    assert finish(store, completed(lease)) == ["accepted"]


def test_statistics_are_kept_from_the_last_beat_that_had_any(store: Store):
    worker = a_worker(store)
    store.workers.beat(worker, [], {"done": 3, "rate": 1.5})
    store.workers.beat(worker, [])
    assert store.workers.get(worker).statistics == {"done": 3, "rate": 1.5}


def test_a_beat_is_seen_on_the_worker(store: Store, clock: Clock):
    worker = a_worker(store)
    clock.advance(20)
    store.workers.beat(worker, [])
    row = store.workers.get(worker)
    assert 15 < (row.beat_at - row.registered_at).total_seconds() < 30


def test_live_workers_are_listed_apart_from_the_gone(store: Store, clock: Clock):
    gone, retired = a_worker(store, name="gone"), a_worker(store, name="retired")
    store.workers.retire(retired)
    clock.advance(61)
    a_worker(store, name="here")
    store.workers.sweep(dead=[gone])
    assert [worker.name for worker in store.workers.find()] == ["here"]
    everyone = {worker.name: worker.state for worker in store.workers.find(live=False)}
    assert everyone == {"gone": "lost", "retired": "retired", "here": "live"}


def test_an_unknown_worker_is_not_found(store: Store):
    for verb in (store.workers.get, store.workers.pause, store.workers.unpause):
        with pytest.raises(NotFound, match="424242"):
            verb(424_242)


def test_many_leases_are_compared_in_one_beat(store: Store, clock: Clock):
    run = a_run(store, 3_000)
    worker = a_worker(store)
    leases = claim(store, worker, 3_000)
    clock.advance(20)
    beat = store.workers.beat(worker, {lease.fence for lease in leases[:2_000]})
    assert (beat.released, beat.lost) == (1_000, frozenset())
    assert states(store, run) == {"leased": 2_000, "ready": 1_000}


def test_tell_writes_what_a_worker_says_and_leaves_its_leases(store: Store, clock: Clock):
    a_run(store, 1)
    worker = a_worker(store)
    (lease,) = claim(store, worker)
    clock.advance(5)
    store.workers.tell(worker, {"busy": 1})
    told = store.workers.get(worker)
    assert (told.statistics, told.leases) == ({"busy": 1}, 1)
    assert told.silent_seconds < 3
    store.workers.sweep([worker])
    store.workers.tell(worker, {"busy": 2})
    assert store.workers.get(worker).statistics == {"busy": 1}
    assert finish(store, completed(lease)) == ["stale"]


def test_a_worker_that_is_asked_to_leave_claims_nothing_and_hears_of_it(store: Store):
    a_run(store, 2)
    worker = a_worker(store)
    (lease,) = claim(store, worker, 1)
    before = store.settings.control_version()
    store.workers.leave(worker, Leaving.DRAIN)
    assert store.settings.control_version() > before
    assert claim(store, worker, 1) == []
    assert store.workers.beat(worker, [lease.fence]).leaving is Leaving.DRAIN
    assert store.workers.get(worker).mode == "draining"
    assert finish(store, completed(lease)) == ["accepted"]


def test_who_leaves_is_not_called_back(store: Store):
    a_run(store, 1)
    worker = a_worker(store)
    store.workers.leave(worker, Leaving.STOP)
    store.workers.leave(worker, Leaving.DRAIN)
    store.workers.unpause(worker)
    assert claim(store, worker, 1) == []
    assert store.workers.beat(worker, []).leaving is Leaving.STOP
    assert store.workers.get(worker).mode == "stopping"


def test_only_a_live_worker_is_asked_to_leave(store: Store):
    worker = a_worker(store)
    assert store.workers.beat(worker, []).leaving is None
    store.workers.retire(worker)
    for number in (worker, 424_242):
        with pytest.raises(NotFound, match=str(number)):
            store.workers.leave(number, Leaving.DRAIN)
