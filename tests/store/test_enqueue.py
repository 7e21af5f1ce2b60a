import pytest

from swather.errors import BadPayload, BadTarget, NotFound, RunCancelled
from swather.model.task import State, Target
from swather.store import Enqueued, Store
from swather.store.clock import Clock
from tests.store.given import (
    a_run,
    a_task,
    a_worker,
    claim,
    completed,
    finish,
    states,
    targets,
    values,
)


def test_targets_become_ready_tasks(store: Store):
    run = a_run(store)
    assert store.tasks.enqueue(run, targets(["a", "b", "c"])) == Enqueued(3, 0)
    assert states(store, run) == {"ready": 3}


@pytest.mark.parametrize("limit", [None, 2])
def test_a_run_that_was_read_takes_targets_as_by_its_name(store: Store, limit):
    run = store.runs.get(a_run(store, task_limit=limit))
    added, over = (3, 0) if limit is None else (2, 1)
    assert store.tasks.enqueue(run, targets(["a", "b", "c"])) == Enqueued(added, 0, over)
    assert store.tasks.enqueue(run.name, targets(["a"])) == Enqueued(0, 1)
    assert states(store, run.name) == {"ready": added}
    store.runs.cancel(run.name)
    with pytest.raises(RunCancelled):
        store.tasks.enqueue(run, targets(["d"]))
    store.runs.remove(run.name)
    with pytest.raises(NotFound):
        store.tasks.enqueue(run, targets(["d"]))


def test_a_task_is_read_back_as_its_target_was_given(store: Store):
    run = a_run(store)
    value = {"url": "http://x/ä?q=😀", "deep": [1, 2.5, None, True, {"k": "\u2028"}]}
    target = Target(value=value, priority=7, lane="site", partition="north")
    task_id = a_task(store, run, target)
    task = store.tasks.get(task_id)
    assert (task.id, task.run, task.state, task.reason) == (task_id, run, State.READY, None)
    assert (task.target, task.priority, task.lane, task.partition) == (value, 7, "site", "north")
    assert (task.attempts, task.crashes, task.worker, task.due_at) == (0, 0, None, None)
    assert (task.ended_at, task.error, task.progress) == (None, None, None)
    assert task.created_at.utcoffset() is not None


def test_the_same_targets_again_are_duplicates(store: Store):
    run = a_run(store)
    store.tasks.enqueue(run, targets(10))
    assert store.tasks.enqueue(run, targets(12)) == Enqueued(2, 10)
    assert states(store, run) == {"ready": 12}


def test_duplicates_within_a_batch_and_across_batches_are_left_out(store: Store):
    run = a_run(store)
    given = targets(["a", "b", "a", "c", "b", "d", "a"])
    assert store.tasks.enqueue(run, given, batch_size=3) == Enqueued(4, 3)
    assert values(claim(store, a_worker(store), 10)) == ["a", "b", "c", "d"]


def test_the_key_decides_what_is_the_same_target(store: Store):
    run = a_run(store)
    given = [Target(value="x", key="1"), Target(value="y", key="1"), Target(value="x", key="2")]
    assert store.tasks.enqueue(run, given) == Enqueued(2, 1)
    assert values(claim(store, a_worker(store), 3)) == ["x", "x"]


def test_the_order_of_names_does_not_make_another_target(store: Store):
    run = a_run(store)
    given = targets([{"a": 1, "b": 2}, {"b": 2, "a": 1}])
    assert store.tasks.enqueue(run, given) == Enqueued(1, 1)


def test_two_runs_may_have_the_same_target(store: Store):
    first, second = a_run(store, 3), a_run(store, 3)
    assert states(store, first) == states(store, second) == {"ready": 3}


def test_a_duplicate_leaves_the_first_as_it_is(store: Store):
    run = a_run(store)
    task_id = a_task(store, run, Target(value="a", priority=3))
    store.tasks.enqueue(run, targets(["a"], priority=9, due_in_seconds=60))
    task = store.tasks.get(task_id)
    assert (task.priority, task.state) == (3, State.READY)


def test_a_finished_target_is_not_done_again(store: Store):
    run = a_run(store, 1)
    worker = a_worker(store)
    finish(store, *(completed(lease) for lease in claim(store, worker)))
    assert store.tasks.enqueue(run, targets(1)) == Enqueued(0, 1)
    assert claim(store, worker) == []


def test_no_targets_are_no_trouble(store: Store):
    run = a_run(store)
    assert store.tasks.enqueue(run, []) == Enqueued(0, 0)


def test_a_generator_is_read_no_further_than_it_is_stored(store: Store, other: Store):
    run = a_run(store)
    ahead = []

    def stream():
        for number in range(1_000):
            if number % 50 == 0:
                ahead.append(number - other.runs.counts(run).total)
            yield Target(value=number)

    assert store.tasks.enqueue(run, stream(), batch_size=50) == Enqueued(1_000, 0)
    assert max(ahead) <= 150


def test_a_target_with_a_due_time_is_scheduled_until_then(store: Store, clock: Clock):
    run, worker = a_run(store), a_worker(store, lease_seconds=1_000)
    store.tasks.enqueue(run, targets(2, due_in_seconds=90))
    assert states(store, run) == {"scheduled": 2}
    assert claim(store, worker, 2) == []
    clock.advance(91)
    assert len(claim(store, worker, 2)) == 2


def test_a_due_time_is_shown_on_its_task(store: Store):
    run = a_run(store)
    task_id = a_task(store, run, Target(value="a", due_in_seconds=90))
    task = store.tasks.get(task_id)
    assert task.state is State.SCHEDULED
    assert 80 < (task.due_at - task.created_at).total_seconds() < 100


def test_a_bad_target_leaves_what_came_before_its_batch_and_nothing_of_the_batch(store: Store):
    run = a_run(store)
    given = [*targets(25), Target(value="bad", priority=11), *targets(range(30, 40))]
    with pytest.raises(BadTarget, match=r"target number 26.*11"):
        store.tasks.enqueue(run, given, batch_size=10)
    assert states(store, run) == {"ready": 20}
    assert values(claim(store, a_worker(store), 50)) == list(range(20))


def test_loading_again_after_a_bad_target_completes_the_run(store: Store):
    run = a_run(store)
    with pytest.raises(BadPayload):
        store.tasks.enqueue(run, [*targets(25), Target(value=object())], batch_size=10)
    assert store.tasks.enqueue(run, targets(25), batch_size=10) == Enqueued(5, 20)


def test_a_stream_that_breaks_keeps_its_full_batches(store: Store):
    run = a_run(store)

    def stream():
        yield from targets(25)
        raise ConnectionResetError("the list went away")

    with pytest.raises(ConnectionResetError, match="the list went away"):
        store.tasks.enqueue(run, stream(), batch_size=10)
    assert states(store, run) == {"ready": 20}
    assert store.tasks.enqueue(run, targets(25)) == Enqueued(5, 20)


def test_targets_for_an_unknown_run_are_refused(store: Store):
    with pytest.raises(NotFound, match="nowhere"):
        store.tasks.enqueue("nowhere", targets(3))


def test_a_parent_is_kept(store: Store):
    run = a_run(store)
    parent = a_task(store, run, Target(value="parent"))
    child = a_task(store, run, Target(value="child", parent_id=parent))
    assert store.tasks.get(parent).parent_id is None
    assert store.tasks.get(child).parent_id == parent


def test_an_urgent_newcomer_is_seen_behind_many_taken_tasks(store: Store):
    run, worker = a_run(store, 200), a_worker(store)
    assert len(claim(store, worker, 100)) == 100
    store.tasks.enqueue(run, targets(["late"], priority=10))
    assert "late" in values(claim(store, worker, 200))


def test_an_emptied_lane_is_woken_by_a_new_target(store: Store, other: Store):
    run, worker = a_run(store, 2, lane="site"), a_worker(store)
    assert len(claim(store, worker, 5)) == 2
    assert claim(store, worker, 5) == []
    other.tasks.enqueue(run, targets(["new"], lane="site"))
    assert values(claim(store, worker, 5)) == ["new"]
