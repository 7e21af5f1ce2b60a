"""The last words on a run add up and say how to retry what failed."""

from contextlib import closing
from pathlib import Path

import msgspec

import swather.store
from swather.model.retry import ErrorClass
from swather.model.source import Answer, SourceNote
from swather.model.task import State
from swather.model.task_filter import TaskFilter
from swather.runs.summary import summarise
from swather.store import Store
from swather.store.clock import Clock
from tests.store.database import Database
from tests.store.given import (
    a_fault,
    a_load,
    a_run,
    a_worker,
    claim,
    completed,
    failed,
    finish,
    retried,
)


def test_the_totals_add_up(store: Store, clock: Clock):
    run, worker = a_run(store, 10), a_worker(store)
    leases = claim(store, worker, 9)
    finish(store, *(completed(lease, "a", "b") for lease in leases[:5]))
    finish(store, *(failed(lease) for lease in leases[5:7]))
    finish(store, retried(leases[7], 60))
    clock.advance(100)
    summary = summarise(store, run, seconds=14.0)
    assert summary.lines()[:3] == [
        f"Run {run} is not finished after 14s.",
        "10 tasks: 5 completed, 2 failed, 3 unfinished.",
        "10 items, 1 retry, 30/min.",
    ]


def test_targets_that_the_scraper_skipped_are_named(store: Store):
    run, worker = a_run(store, 1), a_worker(store)
    (lease,) = claim(store, worker, 1)
    finish(store, msgspec.structs.replace(completed(lease), skipped=1_298))
    assert "1,298 targets skipped by the scraper." in summarise(store, run).lines()


def test_a_finished_run_tells_how_long_it_took(store: Store, clock: Clock):
    run = a_run(store, 1)
    clock.advance(90)
    finish(store, completed(*claim(store, a_worker(store)), "item"))
    store.runs.settle(run)
    lines = summarise(store, run).lines()
    assert lines[0] in {f"Run {run} finished after 1m 30s.", f"Run {run} finished after 1m 31s."}
    assert lines[1] == "1 task: 1 completed, 0 failed."


def test_a_clock_set_back_meanwhile_leaves_open_how_long_it_took(tmp_path: Path, clock: Clock):
    with closing(swather.store.open(f"sqlite:///{tmp_path}/swather.db", clock=clock)) as store:
        run = a_run(store, 1)
        clock.step_wall(-3_600)
        finish(store, completed(*claim(store, a_worker(store)), "item"))
        store.runs.settle(run)
        lines = summarise(store, run).lines()
    assert lines[0] == f"Run {run} finished."
    assert lines[2] == "1 item."


def test_failures_are_grouped_with_the_command_that_retries_them(store: Store, database: Database):
    run, worker = a_run(store, 6), a_worker(store)
    gone = a_fault("404 for 'http://a/1'", ErrorClass.PERMANENT, where="books.py:books")
    first, second, *others = claim(store, worker, 6)
    finish(store, *(failed(lease, fault=gone) for lease in others))
    finish(store, failed(first, fault=a_fault("broken", ErrorClass.TIMEOUT)))
    finish(store, retried(second, fault=a_fault("only retried", ErrorClass.TRANSIENT)))
    summary = summarise(store, run)
    assert [(group.tasks, group.error_class) for group in summary.groups] == [
        (4, "permanent"),
        (1, "timeout"),
    ]
    assert sum(group.tasks for group in summary.groups) == summary.counts.failed
    group = summary.groups[0]
    assert group.fingerprint == gone.fingerprint
    lines = summary.lines()
    assert f"4 failed (permanent): {group.title} at books.py:books" in lines
    assert f"    {group.retry}" in lines
    assert group.retry.startswith(f"swather retry {run} --group {gone.fingerprint} --db ")
    which = TaskFilter(run=run, states=frozenset({State.FAILED}), fingerprint=group.fingerprint)
    assert store.tasks.retry(which) == 4


def test_failures_that_are_not_listed_are_counted(store: Store):
    run, worker = a_run(store, 25), a_worker(store)
    for number, lease in enumerate(claim(store, worker, 25)):
        finish(store, failed(lease, fault=a_fault(f"{chr(97 + number) * 3} broke")))
    summary = summarise(store, run)
    assert len(summary.groups) == 20
    assert any(line.startswith("5 failed in other ways") for line in summary.lines())


def test_an_incomplete_load_is_said_aloud(store: Store):
    run = a_run(store, 1)
    store.loads.begin(run, a_load("urls.csv"))
    said = "Not all targets were loaded from urls.csv: run that command again."
    assert said in summarise(store, run).lines()
    store.runs.cancel(run)
    assert said not in summarise(store, run).lines()


def test_a_cancelled_run_is_told(store: Store):
    run = a_run(store, 2)
    store.runs.cancel(run)
    lines = summarise(store, run, seconds=2).lines()
    assert lines[0] == f"Run {run} was cancelled after 2.0s."
    assert lines[1] == "2 tasks: 0 completed, 0 failed, 2 cancelled."


def test_each_source_has_a_line_with_its_numbers(store: Store):
    run, worker = a_run(store, 1), a_worker(store)
    (lease,) = claim(store, worker, 1)
    fine = SourceNote(name="api", answer=Answer.SUCCEEDED, counts={"images": 3})
    bad = SourceNote(name="api", answer=Answer.FAILED, error="HTTP 500")
    other = SourceNote(name="mirror", answer=Answer.FAILED, error="HTTP 429")
    finish(store, completed(lease, sources=[fine, bad, fine, fine, other]))
    summary = summarise(store, run)
    assert summary.lines()[3:5] == [
        "api     ━━━━━━━━──  1 of 4 failed · images 9 · HTTP 500",
        "mirror  ──────────  failed · HTTP 429",
    ]
    assert [stats.as_data() for stats in summary.sources] == [
        stats.as_data() for stats in store.sources.of_run(run)
    ]
