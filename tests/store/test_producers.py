"""When a run is finished: decided once, and only when nothing can come any more."""

import threading
from concurrent.futures import ThreadPoolExecutor, wait

import pytest

from swather.errors import InputError, NotFound
from swather.model.run import RunState
from swather.model.task_filter import TaskFilter
from swather.model.worker import WorkerKind
from swather.store import Store
from swather.store.clock import Clock
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
    states,
    targets,
)
from tests.store.processes import running


def is_finished(store: Store, run: str) -> bool:
    return store.runs.get(run).state is RunState.FINISHED


def drain(store: Store, run: str) -> None:
    worker = a_worker(store)
    while leases := claim(store, worker, 100, runs=(run,)):
        finish(store, *(completed(lease) for lease in leases))


def test_a_drained_run_is_finished_once(store: Store):
    run = a_run(store, 3)
    drain(store, run)
    assert store.runs.settle(run)
    assert not store.runs.settle(run)
    found = store.runs.get(run)
    assert (found.state, found.times_finished) == (RunState.FINISHED, 1)
    assert found.finished_at is not None


def test_failed_and_cancelled_tasks_are_done_too(store: Store):
    run, worker = a_run(store, 2), a_worker(store)
    first, second = claim(store, worker, 2)
    finish(store, failed(first))
    assert not store.runs.settle(run)
    store.tasks.cancel(TaskFilter(run=run, task_ids=(second.task_id,)))
    assert store.runs.settle(run)


def test_a_run_with_a_ready_task_is_not_finished(store: Store):
    run = a_run(store, 1)
    assert not store.runs.settle(run)
    assert not is_finished(store, run)


def test_a_run_with_a_scheduled_task_is_not_finished(store: Store, clock: Clock):
    run, worker = a_run(store, 1), a_worker(store)
    (lease,) = claim(store, worker)
    finish(store, retried(lease, 30))
    assert not store.runs.settle(run)
    clock.advance(31)
    store.workers.sweep()
    assert not store.runs.settle(run)
    drain(store, run)
    assert store.runs.settle(run)


def test_a_run_with_a_leased_task_is_not_finished(store: Store):
    run, worker = a_run(store, 1), a_worker(store)
    (lease,) = claim(store, worker)
    assert not store.runs.settle(run)
    finish(store, completed(lease))
    assert store.runs.settle(run)


def test_a_lost_task_keeps_its_run_open(store: Store, clock: Clock):
    run = a_run(store, 1)
    claim(store, a_worker(store))
    clock.advance(61)
    store.workers.sweep()
    assert not store.runs.settle(run)
    drain(store, run)
    assert store.runs.settle(run)


def test_a_run_that_children_keep_extending_is_finished_after_the_last(store: Store):
    run, worker = a_run(store, 1), a_worker(store)
    for depth in range(5):
        (lease,) = claim(store, worker)
        assert not store.runs.settle(run)
        finish(store, completed(lease, children=targets([f"child{depth}"])))
        assert not store.runs.settle(run)
    (lease,) = claim(store, worker)
    finish(store, completed(lease))
    assert store.runs.settle(run)
    assert store.runs.get(run).times_finished == 1


def test_a_run_still_being_loaded_is_not_finished(store: Store, clock: Clock):
    run = a_run(store, 1)
    loader = a_producer(store, run)
    drain(store, run)
    assert not store.runs.settle(run)
    clock.advance(40)
    store.workers.beat(loader, [])
    clock.advance(40)
    store.workers.sweep()
    assert not store.runs.settle(run)
    store.tasks.enqueue(run, targets(["more"]))
    store.workers.retire(loader)
    assert not store.runs.settle(run)
    drain(store, run)
    assert store.runs.settle(run)
    assert not store.runs.get(run).load_incomplete


def test_a_run_without_targets_is_finished_when_its_loader_is_done(store: Store):
    run = a_run(store)
    loader = a_producer(store, run)
    assert not store.runs.settle(run)
    store.workers.retire(loader)
    assert store.runs.settle(run)


def test_another_runs_loader_does_not_matter(store: Store):
    run = a_run(store)
    a_producer(store, a_run(store))
    assert store.runs.settle(run)


@pytest.mark.slow
def test_a_killed_loader_leaves_its_run_load_incomplete(store: Store, database: Database):
    run = a_run(store)
    program = f"""
store.loads.begin({run!r}, a_load())
loader = a_producer(store, {run!r})
store.tasks.enqueue({run!r}, targets(5))
print(loader, flush=True)
time.sleep(60)
"""
    with running(database.url, program) as loader:
        loader.line()
        drain(store, run)
        assert not store.runs.settle(run)
        loader.kill()
        store.workers.sweep()
    assert store.runs.get(run).load_incomplete
    assert store.runs.settle(run)
    found = store.runs.get(run)
    assert (found.state, found.load_incomplete) == (RunState.FINISHED, True)


def test_a_new_target_opens_a_finished_run_again(store: Store):
    run = a_run(store, 1)
    drain(store, run)
    assert store.runs.settle(run)
    store.tasks.enqueue(run, targets(["new"]))
    found = store.runs.get(run)
    assert (found.state, found.finished_at) == (RunState.OPEN, None)
    drain(store, run)
    assert store.runs.settle(run)
    assert store.runs.get(run).times_finished == 2


def test_duplicates_alone_leave_a_finished_run_finished(store: Store):
    run = a_run(store, 1)
    drain(store, run)
    store.runs.settle(run)
    store.tasks.enqueue(run, targets(1))
    store.runs.settle(run)
    assert is_finished(store, run)
    assert states(store, run) == {"completed": 1}


def test_a_cancelled_run_is_not_finished_as_well(store: Store):
    run = a_run(store, 1)
    store.runs.cancel(run)
    assert not store.runs.settle(run)
    assert store.runs.get(run).state is RunState.CANCELLED


def test_a_paused_run_may_come_to_its_end(store: Store):
    run, worker = a_run(store, 1), a_worker(store)
    (lease,) = claim(store, worker)
    store.runs.pause(run)
    finish(store, completed(lease))
    assert store.runs.settle(run)


def test_a_target_on_its_way_in_keeps_the_run_open(store: Store, database: Database):
    """Who adds a task holds the run until it is there; whoever settles waits for that."""
    run = a_run(store, 1)
    run_id = store.runs.get(run).id
    drain(store, run)
    (head_id,) = database.rows(f"SELECT id FROM heads WHERE run_id = {run_id}")[0]
    with ThreadPoolExecutor(1) as threads:
        with database.transaction() as connection:
            if not database.one_writer:
                connection.execute(f"SELECT FROM runs WHERE id = {run_id} FOR KEY SHARE")
            connection.execute(
                "INSERT INTO scheduled (task_id, run_id, head_id, priority, due_at)"
                f" SELECT 0, {run_id}, {head_id}, 5, created_at FROM runs WHERE id = {run_id}"
            )
            settling = threads.submit(store.runs.settle, run)
            assert not wait([settling], timeout=0.3).done
        assert not settling.result(timeout=10)
    assert not is_finished(store, run)


def test_eight_who_settle_at_once_finish_it_once(store: Store):
    run = a_run(store, 20)
    drain(store, run)
    start = threading.Barrier(8)

    def settle() -> bool:
        mine = store.another()
        start.wait(timeout=20)
        try:
            return mine.runs.settle(run)
        finally:
            mine.close()

    with ThreadPoolExecutor(8) as threads:
        answers = [one.result(timeout=40) for one in [threads.submit(settle) for _ in range(8)]]
    assert answers.count(True) == 1
    assert store.runs.get(run).times_finished == 1


@pytest.mark.slow
def test_a_run_is_never_finished_under_those_who_extend_it(store: Store):
    """Workers finish, enqueue children and settle all at once; only the last finds the end."""
    run = a_run(store, 8)

    def work(number: int) -> int:
        mine = store.another()
        worker, finished, grown = a_worker(mine), 0, 0
        while not finished:
            leases = claim(mine, worker, 1)
            for lease in leases:
                grown += 1
                children = targets([f"{number}-{grown}"]) if grown < 20 else []
                finish(mine, completed(lease, children=children))
            finished += mine.runs.settle(run)
            if is_finished(mine, run):
                break
        mine.close()
        return finished

    with ThreadPoolExecutor(4) as threads:
        running_ = [threads.submit(work, number) for number in range(4)]
        finished = sum(one.result(timeout=50) for one in running_)
    assert finished == store.runs.get(run).times_finished == 1
    counts = store.runs.counts(run)
    assert (counts.unfinished, counts.completed) == (0, counts.total)


def test_a_producer_is_listed_with_its_run(store: Store):
    run = a_run(store)
    loader = store.workers.get(a_producer(store, run))
    assert (loader.kind, loader.run) == (WorkerKind.PRODUCER, run)


def test_a_producer_needs_a_run_that_is_there(store: Store):
    with pytest.raises(NotFound, match="nowhere"):
        a_producer(store, "nowhere")
    with pytest.raises(InputError):
        a_worker(store, kind=WorkerKind.PRODUCER)
