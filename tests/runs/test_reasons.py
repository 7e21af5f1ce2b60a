"""Reasons are for people and for programs."""

import pytest

from swather.runs.drawing import fitted
from swather.runs.reason import Reason
from swather.runs.summary import summarise
from swather.runs.why import why_run
from swather.store import Store
from swather.store.clock import Clock
from tests.store.given import a_run, a_worker, claim


def test_a_command_stands_on_a_line_of_its_own():
    reason = Reason(code="x", text="It is so.\nReally.", change="To change it", command="swather y")
    assert list(reason.lines()) == ["It is so.", "Really. To change it:", "    swather y"]
    assert reason.sentence == "It is so. Really. To change it: swather y"
    assert list(Reason(code="x", text="It is so.").lines()) == ["It is so."]


@pytest.mark.parametrize(
    ("width", "lines"),
    [
        (80, ["swather lanes unpause a.com --db sqlite:////srv/queue.db"]),
        (40, ["swather lanes unpause a.com \\", "  --db sqlite:////srv/queue.db"]),
    ],
)
def test_a_command_that_is_too_long_is_cut_where_a_shell_accepts_it(width, lines):
    assert fitted("swather lanes unpause a.com --db sqlite:////srv/queue.db", width) == lines


def test_a_worker_that_is_not_heard_of_is_told(store: Store, clock: Clock):
    run, worker = a_run(store, 1), a_worker(store, name="mill")
    (lease,) = claim(store, worker)
    store.workers.beat(worker, [lease.fence], {"run": run, "busy": 1, "running": {run: 1}})
    clock.advance(15)
    (silent,) = [reason for reason in why_run(store, run) if reason.code == "worker_silent"]
    assert silent.text.startswith("Worker mill has not been heard from for 15s.")


def test_the_summary_of_an_unfinished_run_says_what_stopped_it(store: Store):
    run = a_run(store, 3, lane="a.com")
    a_worker(store)
    store.lanes.cool("a.com", 100, "HTTP 429")
    said = "\n".join(summarise(store, run).lines())
    assert "Lane a.com is cooling down for another 1m 40s, until " in said or "1m 39s" in said
    assert "\n    swather lanes unpause a.com" in said
