"""Loads: a run knows which of its targets were never loaded."""

import pytest

from swather.errors import InputError, NotFound, RunCancelled
from swather.model.run import RunState, unrepeatable
from swather.store import Store
from swather.store.clock import Clock
from tests.store.given import a_load, a_producer, a_run, a_worker, claim, completed, finish, targets


def is_incomplete(store: Store, run: str) -> bool:
    found = store.runs.get(run)
    (listed,) = [one for one in store.runs.find() if one.name == run]
    assert found.load_incomplete == listed.load_incomplete == bool(store.loads.incomplete(run))
    return found.load_incomplete


def test_a_run_nobody_loads_is_not_incomplete(store: Store):
    assert not is_incomplete(store, a_run(store, 1))


def test_a_load_that_was_not_completed_leaves_its_run_incomplete(store: Store):
    run = a_run(store)
    store.loads.begin(run, a_load("urls.csv"))
    assert is_incomplete(store, run)
    assert store.loads.incomplete(run) == ["urls.csv"]
    assert store.runs.settle(run)
    assert store.runs.get(run).state is RunState.FINISHED
    assert is_incomplete(store, run)


def test_a_completed_load_stays_complete_when_its_dead_loader_is_swept(store: Store, clock: Clock):
    run = a_run(store, 1)
    store.loads.begin(run, a_load())
    a_producer(store, run)
    store.loads.complete(run, a_load())
    clock.advance(61)
    store.workers.sweep()
    assert not is_incomplete(store, run)


def test_a_dead_loader_swept_after_the_load_was_repeated_changes_nothing(
    store: Store, clock: Clock
):
    run = a_run(store, 1)
    store.loads.begin(run, a_load())
    a_producer(store, run)
    clock.advance(61)
    store.loads.begin(run, a_load())
    again = a_producer(store, run)
    store.loads.complete(run, a_load())
    store.workers.retire(again)
    assert len(store.workers.sweep().workers) == 1
    assert not is_incomplete(store, run)


def test_another_load_does_not_complete_one_that_was_given_up(store: Store):
    run = a_run(store)
    store.loads.begin(run, a_load("first.csv"))
    store.loads.begin(run, a_load("second.csv"))
    assert store.loads.incomplete(run) == ["first.csv", "second.csv"]
    store.loads.complete(run, a_load("second.csv"))
    assert store.loads.incomplete(run) == ["first.csv"]
    store.loads.complete(run, a_load("first.csv"))
    assert not is_incomplete(store, run)


def test_loading_the_same_content_again_leaves_a_complete_load_complete(store: Store):
    run = a_run(store)
    store.loads.begin(run, a_load())
    store.loads.complete(run, a_load())
    store.loads.begin(run, a_load())
    assert not is_incomplete(store, run)


def test_loading_changed_content_begins_anew(store: Store):
    run = a_run(store)
    store.loads.begin(run, a_load(content="old"))
    store.loads.complete(run, a_load(content="old"))
    store.loads.begin(run, a_load(content="new"))
    assert is_incomplete(store, run)
    store.loads.complete(run, a_load(content="old"))
    assert is_incomplete(store, run)
    store.loads.complete(run, a_load(content="new"))
    assert not is_incomplete(store, run)


def test_a_pipe_is_never_the_same_twice(store: Store):
    run = a_run(store)
    first, second = unrepeatable("-", "-"), unrepeatable("-", "-")
    store.loads.begin(run, first)
    store.loads.complete(run, first)
    store.loads.begin(run, second)
    assert is_incomplete(store, run)
    store.loads.complete(run, second)
    assert not is_incomplete(store, run)


def test_loads_belong_to_their_run(store: Store):
    run, other = a_run(store), a_run(store)
    store.loads.begin(run, a_load())
    store.loads.complete(other, a_load())
    assert is_incomplete(store, run)
    assert not is_incomplete(store, other)


def test_a_removed_run_leaves_no_load_behind(store: Store):
    run = a_run(store)
    store.loads.begin(run, a_load())
    store.runs.cancel(run)
    store.runs.remove(run)
    with pytest.raises(NotFound):
        store.loads.incomplete(run)


def test_a_load_needs_a_run_and_names_that_can_be_stored(store: Store):
    with pytest.raises(NotFound, match="nowhere"):
        store.loads.begin("nowhere", a_load())
    with pytest.raises(InputError):
        store.loads.begin(a_run(store), a_load("\0"))


def test_a_cancelled_run_takes_no_more_targets(store: Store):
    run = a_run(store, 3)
    store.runs.cancel(run)
    with pytest.raises(RunCancelled):
        store.tasks.enqueue(run, targets(["late"]))
    with pytest.raises(RunCancelled):
        a_producer(store, run)
    assert store.runs.get(run).state is RunState.CANCELLED
    assert store.runs.counts(run).total == 3


def test_a_loader_that_was_there_before_the_cancel_adds_nothing_after_it(store: Store):
    run = a_run(store)
    loader = a_producer(store, run)
    store.tasks.enqueue(run, targets(3))
    store.runs.cancel(run)
    with pytest.raises(RunCancelled):
        store.tasks.enqueue(run, targets(["late"]))
    store.workers.retire(loader)
    assert store.runs.get(run).state is RunState.CANCELLED
    assert store.runs.counts(run).unfinished == 0


def test_a_finished_run_is_opened_again_by_its_loader(store: Store):
    run, worker = a_run(store, 1), a_worker(store)
    finish(store, *(completed(lease) for lease in claim(store, worker)))
    assert store.runs.settle(run)
    a_producer(store, run)
    assert store.runs.get(run).state is RunState.OPEN
