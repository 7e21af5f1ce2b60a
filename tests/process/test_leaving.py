"""Single workers that are paused, drained and stopped while they run."""

import os

import pytest

from swather.model.worker import Leaving
from tests.process.given import Yard
from tests.worker.given import wait_until


def the_worker(yard: Yard) -> int:
    wait_until(lambda: any(row.statistics for row in yard.store.workers.find()))
    (row,) = yard.store.workers.find()
    return row.id


def test_a_drained_worker_finishes_its_targets_past_the_grace_time_and_exits(either_yard: Yard):
    yard = either_yard
    run = yard.run("patient", [{"seconds": 1.5}, {"seconds": 1.5}, {}])
    worker = yard.start(run, "patient", concurrency=2, grace_seconds=0.0, forever=True)
    yard.wait_for("began-1")
    yard.store.workers.leave(the_worker(yard), Leaving.DRAIN)
    assert worker.end(15) == 0
    assert "drained: 2 completed" in worker.said
    assert yard.counts(run) == {"completed": 2, "ready": 1}


def test_a_stopped_worker_gives_all_back_at_once_and_exits(either_yard: Yard):
    yard = either_yard
    run = yard.run("patient", [{}, {}, {}])
    worker = yard.start(run, "patient", concurrency=2, grace_seconds=600.0)
    yard.wait_for("began-1")
    yard.store.workers.leave(the_worker(yard), Leaving.STOP)
    assert worker.end(15) == 0
    assert yard.counts(run) == {"ready": 3}
    assert {task.attempts for task in yard.tasks(run).values()} == {0}


def test_a_paused_worker_keeps_what_it_has_and_takes_no_more(yard: Yard):
    run = yard.run("patient", [{"seconds": 0.5}, {"seconds": 0.1}])
    worker = yard.start(run, "patient", concurrency=1, batch_size=1)
    yard.wait_for("began-0")
    number = the_worker(yard)
    yard.store.workers.pause(number)
    wait_until(lambda: yard.counts(run).get("completed", 0) == 1)
    assert worker.is_alive
    assert yard.counts(run) == {"completed": 1, "ready": 1}
    yard.store.workers.unpause(number)
    assert worker.end(15) == 0
    assert yard.counts(run) == {"completed": 2}


def test_a_drain_gives_way_to_a_stop(yard: Yard):
    run = yard.run("patient", [{}])
    worker = yard.start(run, "patient", grace_seconds=600.0)
    yard.wait_for("began-0")
    number = the_worker(yard)
    yard.store.workers.leave(number, Leaving.DRAIN)
    wait_until(lambda: yard.store.workers.get(number).mode == "draining")
    yard.store.workers.leave(number, Leaving.STOP)
    assert worker.end(15) == 0
    assert yard.counts(run) == {"ready": 1}


@pytest.mark.slow
def test_a_supervised_worker_that_has_left_asks_for_its_successor(yard: Yard):
    reading, writing = os.pipe()
    try:
        run = yard.run("patient", [])
        worker = yard.start(
            run,
            "patient",
            forever=True,
            pass_fds=(reading,),
            environment={"SWATHER_PARENT_FD": str(reading)},
        )
        yard.store.workers.leave(the_worker(yard), Leaving.DRAIN)
        assert worker.end(15) == 76
    finally:
        os.close(reading)
        os.close(writing)
