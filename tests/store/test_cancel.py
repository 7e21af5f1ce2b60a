import pytest

from swather.errors import NotFound
from swather.model.outcome import Item
from swather.model.pacing import Limits
from swather.model.run import RunState
from swather.model.task import State
from swather.model.task_filter import TaskFilter
from swather.store import Store
from swather.store.clock import Clock
from swather.store.postgres import cancel as postgres_cancel
from swather.store.sqlite import cancel as sqlite_cancel
from tests.store.given import (
    a_run,
    a_worker,
    claim,
    completed,
    data,
    failed,
    finish,
    items,
    retried,
    states,
    targets,
    values,
)


def a_run_in_all_states(store: Store) -> tuple[str, list]:
    """Completed 0, failed 1, scheduled 2, leased 3 and 4, ready 5 and 6; and the two leases."""
    run, worker = a_run(store, 7), a_worker(store)
    done, broken, later, *running = claim(store, worker, 5)
    finish(store, completed(done, "kept"), failed(broken), retried(later, 600))
    return run, running


def test_cancelling_a_run_ends_all_that_waits_or_runs(store: Store):
    run, running = a_run_in_all_states(store)
    assert store.runs.cancel(run) == 5
    assert store.runs.get(run).state is RunState.CANCELLED
    assert states(store, run) == {"completed": 1, "failed": 1, "cancelled": 5}
    assert finish(store, *(completed(lease, "late") for lease in running)) == ["stale", "stale"]
    assert data(store, run) == ["kept"]
    assert claim(store, a_worker(store), 5) == []
    assert store.upkeep.check() == []


def test_a_run_cancelled_twice_ends_nothing_more(store: Store):
    run = a_run(store, 2)
    assert store.runs.cancel(run) == 2
    assert store.runs.cancel(run) == 0
    assert states(store, run) == {"cancelled": 2}


@pytest.mark.slow
def test_a_large_run_is_cancelled_whole(store: Store):
    run = a_run(store, 12_000)
    claim(store, a_worker(store), 100)
    assert store.runs.cancel(run) == 12_000
    assert states(store, run) == {"cancelled": 12_000}


@pytest.fixture
def small_batches(monkeypatch: pytest.MonkeyPatch) -> None:
    for module in (sqlite_cancel, postgres_cancel):
        monkeypatch.setattr(module, "BATCH", 4)


@pytest.mark.usefixtures("small_batches")
def test_between_two_batches_a_cancel_tells_how_far_it_is(store: Store):
    told: list[int] = []
    assert store.runs.cancel(a_run(store, 10), told.append) == 10
    assert told == [4, 8]
    told.clear()
    assert store.runs.cancel(a_run(store, 8), told.append) == 8
    assert told == [4]  # the last batch is followed by none
    assert store.upkeep.check() == []


@pytest.mark.usefixtures("small_batches")
def test_a_cancel_that_is_stopped_between_two_batches_is_completed_by_another(store: Store):
    def stop(_done: int) -> None:
        raise InterruptedError

    run = a_run(store, 10)
    with pytest.raises(InterruptedError):
        store.runs.cancel(run, stop)
    assert store.runs.get(run).state is RunState.CANCELLED
    assert states(store, run) == {"cancelled": 4, "ready": 6}
    assert claim(store, a_worker(store), 5) == []
    assert store.runs.cancel(run) == 6
    assert states(store, run) == {"cancelled": 10}
    assert store.upkeep.check() == []


def test_a_cancelled_task_says_so(store: Store):
    run, worker = a_run(store, 1), a_worker(store)
    (lease,) = claim(store, worker)
    store.runs.cancel(run)
    task = store.tasks.get(lease.task_id)
    assert (task.state, task.reason) == (State.CANCELLED, "cancelled")
    assert task.ended_at is not None
    assert store.runs.counts(run).reasons == {"cancelled": 1}


def test_cancelling_one_run_leaves_the_others(store: Store):
    run, other = a_run(store, 2), a_run(store, 2)
    store.runs.cancel(run)
    assert states(store, other) == {"ready": 2}
    assert len(claim(store, a_worker(store), 5)) == 2


def test_a_worker_notices_a_cancelled_task_with_its_next_beat(store: Store):
    run, worker = a_run(store, 2), a_worker(store)
    kept, gone = claim(store, worker, 2)
    before = store.settings.control_version()
    store.tasks.cancel(TaskFilter(run=run, task_ids=(gone.task_id,)))
    beat = store.workers.beat(worker, [kept.fence, gone.fence])
    assert beat.lost == {gone.fence}
    assert beat.control_version > before


@pytest.mark.parametrize(
    ("state", "ended"), [(State.SCHEDULED, 1), (State.READY, 2), (State.LEASED, 2)]
)
def test_tasks_are_cancelled_by_their_state(store: Store, state, ended):
    run, _ = a_run_in_all_states(store)
    assert store.tasks.cancel(TaskFilter(run=run, states=frozenset({state}))) == ended
    assert states(store, run)["cancelled"] == ended
    assert state not in states(store, run)
    assert store.runs.get(run).state is RunState.OPEN


def test_ended_tasks_cannot_be_cancelled(store: Store):
    run, _ = a_run_in_all_states(store)
    ended = frozenset({State.COMPLETED, State.FAILED})
    assert store.tasks.cancel(TaskFilter(run=run, states=ended)) == 0
    assert store.tasks.cancel(TaskFilter(run=run)) == 5
    assert states(store, run) == {"completed": 1, "failed": 1, "cancelled": 5}


def test_tasks_are_cancelled_by_their_lane(store: Store):
    run = a_run(store)
    for lane in ("a", "b"):
        store.tasks.enqueue(run, targets([f"{lane}0", f"{lane}1"], lane=lane))
    claim(store, a_worker(store), 2)
    assert store.tasks.cancel(TaskFilter(run=run, lane="a")) == 2
    left = store.tasks.find(TaskFilter(run=run, states=frozenset({State.READY, State.LEASED})))
    assert [task.lane for task in left] == ["b", "b"]


def test_a_scheduled_task_that_was_cancelled_does_not_come_back(store: Store, clock: Clock):
    run, worker = a_run(store), a_worker(store, lease_seconds=1_000)
    store.tasks.enqueue(run, targets(2, due_in_seconds=30))
    store.tasks.cancel(TaskFilter(run=run))
    clock.advance(31)
    assert store.workers.sweep().promoted == 0
    assert claim(store, worker, 5) == []
    assert states(store, run) == {"cancelled": 2}


def test_a_cancelled_lease_frees_its_place(store: Store):
    run, worker = a_run(store, 2, lane="site"), a_worker(store)
    store.lanes.limit("site", Limits(in_flight=1))
    (lease,) = claim(store, worker, 5)
    store.tasks.cancel(TaskFilter(run=run, task_ids=(lease.task_id,)))
    assert values(claim(store, worker, 5)) == [1]


def test_items_of_a_cancelled_task_stay_partial(store: Store):
    run, worker = a_run(store, 1), a_worker(store)
    (lease,) = claim(store, worker)
    store.queue.checkpoint(lease.fence, part=0, cursor=1, items=[Item("early")])
    store.runs.cancel(run)
    assert [item.partial for item in items(store, run)] == [True]


def test_a_filter_on_an_unknown_run_is_refused(store: Store):
    for verb in (store.tasks.cancel, store.tasks.retry, store.tasks.count, store.tasks.find):
        with pytest.raises(NotFound, match="nowhere"):
            verb(TaskFilter(run="nowhere"))


def test_task_ids_of_another_run_are_left_alone(store: Store):
    run, other = a_run(store, 1), a_run(store, 1)
    (task,) = store.tasks.find(TaskFilter(run=other))
    assert store.tasks.cancel(TaskFilter(run=run, task_ids=(task.id,))) == 0
    assert states(store, other) == {"ready": 1}
