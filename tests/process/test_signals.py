import os
import signal
import time

import pytest

from tests.process.given import Yard
from tests.worker.given import wait_until


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_idle_process_ends_with_a_signal_and_not_at_its_next_look(either_yard: Yard, number):
    run = either_yard.run("patient", [])
    worker = either_yard.start(run, "patient", forever=True, poll_seconds=600, grace_seconds=600)
    wait_until(lambda: any(row.statistics for row in either_yard.store.workers.find()))
    worker.signal(number)
    assert worker.end() == 130


def test_a_busy_process_lets_its_targets_end(yard: Yard):
    run = yard.run("patient", [{"seconds": 1.0}, {"seconds": 1.0}, {"seconds": 1.0}])
    worker = yard.start(run, "patient", concurrency=2)
    yard.wait_for("began-1")
    worker.signal(signal.SIGTERM)
    assert worker.end(10) == 130
    assert yard.counts(run) == {"completed": 2, "ready": 1}


def test_what_does_not_end_within_the_grace_time_is_given_back(either_yard: Yard):
    run = either_yard.run("patient", [{}, {}])
    worker = either_yard.start(run, "patient", grace_seconds=0.5)
    either_yard.wait_for("began-1")
    began = time.monotonic()
    worker.signal(signal.SIGINT)
    assert worker.end(10) == 130
    assert time.monotonic() - began >= 0.5
    assert either_yard.counts(run) == {"ready": 2}


def test_a_second_signal_ends_it_at_once_with_nothing_left_leased(yard: Yard):
    run = yard.run("patient", [{}, {}])
    worker = yard.start(run, "patient", grace_seconds=600.0)
    yard.wait_for("began-1")
    worker.signal(signal.SIGINT)
    wait_until(lambda: "finishing running targets" in worker.said)
    worker.signal(signal.SIGINT)
    assert worker.end(10) == 130
    assert yard.counts(run) == {"ready": 2}


def test_a_thread_that_hangs_does_not_hold_up_the_end_of_the_process(yard: Yard):
    run = yard.run("deaf", [{}])
    worker = yard.start(run, "deaf", grace_seconds=0.2)
    yard.wait_for("began-0")
    worker.signal(signal.SIGTERM)
    assert worker.end(8) == 130
    assert yard.counts(run) == {"ready": 1}


def test_a_second_signal_ends_even_a_process_whose_loop_is_blocked(yard: Yard):
    run = yard.run("act", [{"do": "block", "seconds": 600}])
    worker = yard.start(run, "act", watchdog_seconds=600.0)
    yard.wait_for("began-0")
    worker.signal(signal.SIGINT)
    wait_until(lambda: "finishing running targets" in worker.said)
    worker.signal(signal.SIGINT)
    assert worker.end(10) == 130
    assert yard.counts(run) == {"ready": 1}
    assert yard.tasks(run)[0].crashes == 0


def test_rolling_restarts_run_every_target_once(yard: Yard):
    run = yard.run("patient", [{"seconds": 0.05}] * 60)
    for _ in range(3):
        worker = yard.start(run, "patient", concurrency=2)
        before = yard.store.runs.counts(run).completed
        wait_until(lambda before=before: yard.store.runs.counts(run).completed >= before + 4)
        worker.signal(signal.SIGTERM)
        assert worker.end() == 130
        assert "leased" not in yard.counts(run)
    assert yard.start(run, "patient", concurrency=10).end() == 0
    assert yard.counts(run) == {"completed": 60}
    assert sum(len(yard.happened(f"began-{n}")) for n in range(60)) == 60


def test_a_process_whose_parent_dies_lets_its_targets_end(yard: Yard):
    run = yard.run("patient", [{"seconds": 0.5}, {"seconds": 0.5}, {"seconds": 0.5}])
    ours, theirs = os.pipe()
    worker = yard.start(
        run,
        "patient",
        concurrency=2,
        pass_fds=[ours],
        environment={"SWATHER_PARENT_FD": str(ours)},
    )
    os.close(ours)
    yard.wait_for("began-1")
    os.close(theirs)
    assert worker.end(10) == 130
    assert yard.counts(run) == {"completed": 2, "ready": 1}
