"""On which lanes a run waits, without walking its tasks."""

from datetime import timedelta

from swather.model.waiting import MAX_COUNTED, MAX_LANES, LaneWaiting
from swather.store import Store
from tests.store.given import a_run, a_worker, claim, completed, finish, retried, targets


def test_waiting_tells_how_many_tasks_wait_on_each_lane(store: Store):
    run, worker = a_run(store, 3, lane="a.com"), a_worker(store)
    store.tasks.enqueue(run, [*targets("x", lane="b.com"), *targets(["y"], partition="TX")])
    a_run(store, 5, lane="c.com")
    one, two, _ = claim(store, worker, 3, runs=(run,))
    finish(store, completed(one), retried(two, 300))
    (late,) = [lane for lane in store.tasks.waiting(run).lanes if lane.scheduled]
    assert (late.lane, late.scheduled) == (store.tasks.get(two.task_id).lane, 1)
    ready = {lane.lane: lane.ready for lane in store.tasks.waiting(run).lanes}
    assert sum(ready.values()) == store.runs.counts(run).ready == 2
    assert ready.keys() <= {"", "a.com", "b.com"}


def test_waiting_tells_when_the_next_and_the_last_task_is_due(store: Store):
    run, worker = a_run(store, 3), a_worker(store)
    assert store.tasks.waiting(run).next_due_at is None
    one, two, _ = claim(store, worker, 3)
    finish(store, retried(one, 100), retried(two, 400))
    waiting = store.tasks.waiting(run)
    assert waiting.last_due_at - waiting.next_due_at == timedelta(seconds=300)
    assert waiting.lanes == [LaneWaiting(lane="", scheduled=2)]


def test_waiting_counts_only_so_far(store: Store):
    run = a_run(store, MAX_COUNTED + 10, lane="many.com")
    (many,) = store.tasks.waiting(run).lanes
    assert (many.ready, many.is_counted) == (MAX_COUNTED, False)
    wide = a_run(store)
    lanes = [f"{number}.com" for number in range(MAX_LANES + 10)]
    store.tasks.enqueue(wide, [one for lane in lanes for one in targets([lane], lane=lane)])
    waiting = store.tasks.waiting(wide)
    assert (len(waiting.lanes), waiting.has_all_lanes) == (MAX_LANES, False)


def test_a_leased_task_tells_since_when(store: Store):
    a_run(store, 1)
    (lease,) = claim(store, a_worker(store))
    task = store.tasks.get(lease.task_id)
    assert task.claimed_at is not None
    finish(store, completed(lease))
    assert store.tasks.get(lease.task_id).claimed_at is None
