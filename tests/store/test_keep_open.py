"""A run that is kept open is not finished when its tasks are."""

import pytest

from swather.errors import RunCancelled
from swather.model.run import RunState
from swather.store import Store
from tests.store.given import a_run, targets
from tests.store.test_producers import drain, is_finished


def test_a_run_that_is_kept_open_is_finished_when_it_is_closed(store: Store):
    run = a_run(store, 2, keep_open=True)
    assert store.runs.get(run).keep_open
    drain(store, run)
    assert not store.runs.settle(run)
    store.tasks.enqueue(run, targets(["more"]))
    drain(store, run)
    assert not store.runs.settle(run)
    assert store.runs.close(run)
    found = store.runs.get(run)
    assert (found.state, found.keep_open, found.times_finished) == (RunState.FINISHED, False, 1)
    assert not store.runs.close(run)


def test_a_run_that_is_closed_with_tasks_left_is_finished_after_them(store: Store):
    run = a_run(store, 2, keep_open=True)
    assert not store.runs.close(run)
    drain(store, run)
    assert store.runs.settle(run)


def test_any_run_but_a_cancelled_one_can_be_kept_open_later(store: Store):
    run = a_run(store)
    assert store.runs.settle(run)
    store.runs.keep_open(run)
    assert not is_finished(store, run)
    assert store.runs.get(run).finished_at is None
    assert not store.runs.settle(run)
    store.runs.cancel(run)
    with pytest.raises(RunCancelled):
        store.runs.keep_open(run)
    assert store.runs.get(run).state is RunState.CANCELLED
