import pytest

from swather.model.retry import ErrorClass, Faults
from swather.model.run import RunState
from swather.model.task import State
from swather.model.task_filter import TaskFilter
from swather.store import Store
from tests.store.given import (
    a_fault,
    a_run,
    a_worker,
    claim,
    completed,
    failed,
    finish,
    retried,
    states,
    values,
)

BLOCKED, TIMEOUT, PERMANENT = ErrorClass.BLOCKED, ErrorClass.TIMEOUT, ErrorClass.PERMANENT


def a_run_with_failures(store: Store) -> str:
    """0 completed; 1, 2 blocked by the same wall, 3 timed out, 4 gone; 5 cancelled; 6 ready."""
    run, worker = a_run(store, 7), a_worker(store)
    ok, wall1, wall2, slow, gone, stopped = claim(store, worker, 6)
    finish(
        store,
        completed(ok),
        failed(wall1, "blocked", a_fault("captcha at 1", BLOCKED, where="books.py:3")),
        failed(wall2, "blocked", a_fault("captcha at 2", BLOCKED, where="books.py:3")),
        failed(slow, "timeout", a_fault("30 s passed", TIMEOUT)),
        failed(gone, "gone", a_fault("404", PERMANENT)),
    )
    store.tasks.cancel(TaskFilter(run=run, task_ids=(stopped.task_id,)))
    return run


def again(store: Store) -> list:
    return values(claim(store, a_worker(store), 10))


def test_failed_tasks_are_made_ready_again(store: Store):
    run = a_run_with_failures(store)
    assert store.tasks.retry(TaskFilter(run=run, states=frozenset({State.FAILED}))) == 4
    assert states(store, run) == {"completed": 1, "cancelled": 1, "ready": 5}
    assert again(store) == [1, 2, 3, 4, 6]


@pytest.mark.parametrize(
    ("chosen", "expected"),
    [
        ({"error_class": BLOCKED}, [1, 2, 6]),
        ({"error_class": TIMEOUT}, [3, 6]),
        ({"reasons": frozenset({"gone", "timeout"})}, [3, 4, 6]),
        ({"reasons": frozenset({"gone"}), "error_class": TIMEOUT}, [6]),
        ({"states": frozenset({State.CANCELLED})}, [5, 6]),
        ({"states": frozenset({State.COMPLETED})}, [0, 6]),
        ({"states": frozenset({State.READY})}, [6]),
    ],
)
def test_tasks_are_retried_by_what_ended_them(store: Store, chosen, expected):
    run = a_run_with_failures(store)
    which = TaskFilter(run=run, **chosen)
    assert store.tasks.retry(which) == len(expected) - 1
    assert again(store) == expected


def test_tasks_are_retried_by_their_error_group(store: Store):
    run = a_run_with_failures(store)
    (group,) = [group for group in store.results.errors(run) if group.error_class == BLOCKED]
    assert group.count == 2
    assert store.tasks.retry(TaskFilter(run=run, fingerprint=group.fingerprint)) == 2
    assert again(store) == [1, 2, 6]


def test_one_task_is_retried_by_its_id(store: Store):
    run = a_run_with_failures(store)
    (slow,) = store.tasks.find(TaskFilter(run=run, error_class=TIMEOUT))
    assert store.tasks.retry(TaskFilter(run=run, task_ids=(slow.id,))) == 1
    assert again(store) == [3, 6]


def test_tasks_are_retried_by_their_lane(store: Store):
    run, worker = a_run(store, 1, lane="a"), a_worker(store)
    a_other = a_run(store, 1, lane="b")
    finish(store, *(failed(lease) for lease in claim(store, worker, 5)))
    assert store.tasks.retry(TaskFilter(run=run, lane="b")) == 0
    assert store.tasks.retry(TaskFilter(run=run, lane="a")) == 1
    assert states(store, a_other) == {"failed": 1}


def test_a_retried_task_has_fresh_budgets_and_remembers_its_error(store: Store):
    run, worker = a_run(store, 1), a_worker(store)
    (lease,) = claim(store, worker)
    finish(store, retried(lease, fault=a_fault("first", BLOCKED)))
    (lease,) = claim(store, worker)
    finish(store, failed(lease, fault=a_fault("last words", PERMANENT)))
    store.tasks.retry(TaskFilter(run=run))
    (fresh,) = claim(store, worker)
    assert fresh.faults == Faults()
    assert fresh.attempt == 1
    assert store.tasks.get(fresh.task_id).error == "last words"


def test_a_retried_task_has_no_end_any_more(store: Store):
    run = a_run_with_failures(store)
    store.tasks.retry(TaskFilter(run=run, reasons=frozenset({"gone"})))
    (task,) = [t for t in store.tasks.find(TaskFilter(run=run)) if t.target == 4]
    assert (task.state, task.reason, task.ended_at) == (State.READY, None, None)
    assert "gone" not in store.runs.counts(run).reasons


@pytest.mark.parametrize("end", ["settle", "cancel"])
def test_a_retry_opens_its_run_again(store: Store, end):
    run, worker = a_run(store, 1), a_worker(store)
    (lease,) = claim(store, worker)
    finish(store, failed(lease))
    getattr(store.runs, end)(run)
    assert store.runs.get(run).state is not RunState.OPEN
    store.tasks.retry(TaskFilter(run=run))
    found = store.runs.get(run)
    assert (found.state, found.finished_at) == (RunState.OPEN, None)
    assert len(claim(store, worker)) == 1


def test_a_retry_of_nothing_leaves_its_run_finished(store: Store):
    run = a_run(store)
    store.runs.settle(run)
    assert store.tasks.retry(TaskFilter(run=run)) == 0
    assert store.runs.get(run).state is RunState.FINISHED


def test_waiting_and_running_tasks_are_not_retried(store: Store):
    run, worker = a_run(store, 3), a_worker(store)
    running, later = claim(store, worker, 2)
    finish(store, retried(later, 60))
    assert store.tasks.retry(TaskFilter(run=run)) == 0
    assert states(store, run) == {"leased": 1, "scheduled": 1, "ready": 1}
    assert finish(store, completed(running)) == ["accepted"]


def test_a_filter_is_tried_by_counting_first(store: Store):
    run = a_run_with_failures(store)
    for which in (
        TaskFilter(run=run, states=frozenset({State.FAILED})),
        TaskFilter(run=run, error_class=BLOCKED),
        TaskFilter(run=run, reasons=frozenset({"gone", "timeout"})),
    ):
        assert store.tasks.count(which) == len(store.tasks.find(which)) > 0
    assert store.tasks.count(TaskFilter(run=run)) == 7
    assert store.tasks.count(TaskFilter(run=run, states=frozenset({State.READY}))) == 1


def test_tasks_are_found_page_by_page_in_order_of_id(store: Store):
    run = a_run(store, 25)
    found, after = [], 0
    while page := store.tasks.find(TaskFilter(run=run), after_id=after, limit=10):
        found += page
        after = page[-1].id
    assert [task.target for task in found] == list(range(25))
    assert [task.id for task in found] == sorted(task.id for task in found)


@pytest.mark.parametrize(
    ("state", "expected"),
    [
        (State.COMPLETED, [0]),
        (State.FAILED, [1, 2, 3, 4]),
        (State.CANCELLED, [5]),
        (State.READY, [6]),
        (State.LEASED, []),
        (State.SCHEDULED, []),
    ],
)
def test_tasks_are_found_by_their_state(store: Store, state, expected):
    run = a_run_with_failures(store)
    found = store.tasks.find(TaskFilter(run=run, states=frozenset({state})))
    assert [task.target for task in found] == expected
    assert {task.state for task in found} <= {state}


@pytest.mark.slow
def test_many_tasks_are_retried_at_once(store: Store):
    run, worker = a_run(store, 6_000), a_worker(store)
    finish(store, *(failed(lease) for lease in claim(store, worker, 6_000)))
    assert store.tasks.retry(TaskFilter(run=run, states=frozenset({State.FAILED}))) == 6_000
    assert states(store, run) == {"ready": 6_000}


def test_all_attempts_that_were_executed_are_counted(store: Store):
    run, worker = a_run(store, 1), a_worker(store)
    everything = TaskFilter(run=run)

    def seen() -> tuple[str, int, str | None]:
        (task,) = store.tasks.find(everything)
        return task.state, task.attempts, task.error

    for attempts in (1, 2):
        (lease,) = claim(store, worker)
        finish(store, retried(lease, fault=a_fault("down", BLOCKED)))
        assert seen() == ("ready", attempts, "down")
    (lease,) = claim(store, worker)
    finish(store, completed(lease))
    assert seen() == ("completed", 3, None)
    store.tasks.retry(everything)
    (lease,) = claim(store, worker)
    assert lease.attempt == 1
    finish(store, failed(lease, fault=a_fault("gone")))
    assert seen() == ("failed", 4, "gone")
    store.tasks.retry(everything, anew=True)
    (lease,) = claim(store, worker)
    finish(store, completed(lease))
    assert seen() == ("completed", 5, None)
