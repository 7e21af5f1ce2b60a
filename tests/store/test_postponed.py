"""Tasks whose scraper asked for another time: due then, counted, and no failure."""

from swather.model.retry import ErrorClass, Faults
from swather.model.task_filter import TaskFilter
from swather.store import Store
from tests.store.given import (
    a_fault,
    a_lease,
    a_worker,
    claim,
    completed,
    failed,
    finish,
    retried,
    run_of,
    states,
)

EARLY = a_fault("premieres in 2 hours", ErrorClass.LATER)


def test_a_postponed_task_is_scheduled_and_no_error(store: Store):
    lease = a_lease(store)
    run = run_of(store, lease)
    finish(store, retried(lease, 7200, EARLY))
    assert states(store, run) == {"scheduled": 1}
    counts = store.runs.counts(run)
    assert (counts.postponed, counts.retries) == (1, 0)
    assert store.results.errors(run) == []
    (task,) = store.tasks.find(TaskFilter(run=run, error_class="later"))
    assert (task.attempts, task.error) == (0, "premieres in 2 hours")
    assert task.due_at is not None


def test_the_next_lease_knows_how_often_its_task_was_postponed(store: Store):
    lease, worker = a_lease(store), a_worker(store)
    for times in (1, 2):
        finish(store, retried(lease, 0, EARLY))
        (lease,) = claim(store, worker)
        assert lease.faults == Faults(postponed=times)
    finish(store, retried(lease, 0, a_fault()))
    (lease,) = claim(store, worker)
    assert lease.faults == Faults(attempts=1, postponed=2)
    finish(store, completed(lease))
    assert store.runs.counts(run_of(store, lease)).completed == 1


def test_a_person_who_retries_a_task_lets_it_be_postponed_anew(store: Store):
    lease = a_lease(store)
    run = run_of(store, lease)
    finish(store, failed(lease, "too_late", EARLY))
    store.tasks.retry(TaskFilter(run=run))
    (again,) = claim(store, a_worker(store))
    assert again.faults.postponed == 0
