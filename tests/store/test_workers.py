"""What people want of a worker: every change answers with what is wanted of it now."""

import pytest

from swather.errors import NotFound
from swather.model.worker import Leaving, WorkerMode
from swather.store import Store
from tests.store.given import a_worker


def test_a_pause_and_its_end_answer_with_the_new_mode(store: Store):
    worker = a_worker(store)
    assert store.workers.pause(worker) is WorkerMode.PAUSED
    assert store.workers.unpause(worker) is WorkerMode.WORKING
    assert store.workers.get(worker).mode is WorkerMode.WORKING


def test_whoever_changes_a_worker_that_leaves_is_told_that_it_leaves(store: Store):
    worker = a_worker(store)
    assert store.workers.leave(worker, Leaving.DRAIN) is WorkerMode.DRAINING
    assert store.workers.unpause(worker) is WorkerMode.DRAINING
    assert store.workers.pause(worker) is WorkerMode.DRAINING
    assert store.workers.leave(worker, Leaving.STOP) is WorkerMode.STOPPING
    assert store.workers.leave(worker, Leaving.DRAIN) is WorkerMode.STOPPING
    assert store.workers.unpause(worker) is WorkerMode.STOPPING


def test_a_worker_that_has_ended_is_neither_paused_nor_resumed(store: Store):
    worker = a_worker(store)
    store.workers.retire(worker)
    for change in (store.workers.pause, store.workers.unpause):
        with pytest.raises(NotFound, match=str(worker)):
            change(worker)
    assert not store.workers.get(worker).paused
