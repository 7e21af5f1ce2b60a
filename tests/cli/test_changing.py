"""Commands that change what is in a database, on both of them."""

import io
from collections.abc import Iterator

import pytest

import swather as package
from swather import Permanent
from swather import store as stores
from swather.model.lane import PacedKind
from swather.store import Store
from tests.cli.conftest import Swather, done

RUN = "first-run"


@pytest.fixture
def store(database: str, monkeypatch: pytest.MonkeyPatch) -> Iterator[Store]:
    """A run with a failed task and two that wait."""
    monkeypatch.setenv("SWATHER_DB", database)
    with package.open(database) as queue:
        queue.enqueue(RUN, ["a", "http://example.com/b", "c"], scraper="books")
        [lease] = queue.claim(1, run=RUN)
        queue.finish(lease, error=Permanent("gone", reason="gone"))
    opened = stores.open(database)
    yield opened
    opened.close()


def test_failed_tasks_are_retried(swather: Swather, store: Store):
    assert "1 task would be ready again" in done(swather, "retry", RUN, "--dry-run").out
    assert store.runs.counts(RUN).failed == 1
    said = done(swather, "retry", RUN, "--reason", "gone")
    assert f"run {RUN}: 1 task ready again" in said.out
    assert store.runs.counts(RUN).ready == 3


def test_only_what_matches_is_retried(swather: Swather, store: Store):
    assert done(swather, "retry", RUN, "--reason", "other", "--json").data["retried"] == 0
    assert done(swather, "retry", RUN, "--error-class", "timeout", "--json").data["retried"] == 0
    assert done(swather, "retry", "books", "--task", "1", "--json").data["retried"] == 1


def test_tasks_are_cancelled_by_filter(swather: Swather, store: Store):
    said = done(swather, "cancel", RUN, "--lane", "example.com", "--dry-run")
    assert "1 task would be cancelled" in said.out
    data = done(swather, "cancel", RUN, "--lane", "example.com", "--json").data
    assert data == {"run": RUN, "cancelled": 1, "whole_run": False, "dry_run": False}
    assert (store.runs.counts(RUN).cancelled, store.runs.get(RUN).state) == (1, "open")


def test_a_whole_run_is_cancelled(swather: Swather, store: Store):
    assert "2 tasks would be cancelled" in done(swather, "cancel", RUN, "--dry-run").out
    assert store.runs.get(RUN).state == "open"
    assert "2 tasks cancelled and the run ended" in done(swather, "cancel", RUN).out
    assert store.runs.get(RUN).state == "cancelled"


def test_a_run_is_paused_and_goes_on(swather: Swather, store: Store):
    done(swather, "pause", RUN, "--dry-run")
    assert not store.runs.get(RUN).paused
    assert done(swather, "pause", RUN).out == f"run {RUN} is paused\n"
    assert store.runs.get(RUN).paused
    done(swather, "unpause", RUN)
    assert not store.runs.get(RUN).paused


def test_lanes_and_scrapers_are_paused(swather: Swather, store: Store):
    both = ("--lane", "example.com", "--scraper", "books")
    data = done(swather, "pause", *both, "--create", "--json").data
    assert data["paused"] == [{"lane": "example.com"}, {"scraper": "books"}]
    assert store.lanes.get("example.com").paused
    assert store.lanes.get("books", PacedKind.SCRAPER).paused
    done(swather, "unpause", "--lane", "example.com", "--scraper", "books")
    assert not store.lanes.get("example.com").paused


def test_a_lane_that_nothing_has_used_is_paused_only_when_asked(swather: Swather, store: Store):
    store.lanes.cool("example.com", 1.0)
    said = swather("pause", "--lane", "exmaple.com")
    assert said.code == 2
    assert "there is no lane 'exmaple.com'; did you mean 'example.com'?" in said.err
    assert "pass --create" in said.err
    assert not store.lanes.is_known("exmaple.com")
    note = done(swather, "lanes", "set", "exmaple.com", "--rate", "2/s").err
    assert note == "note: nothing has used lane 'exmaple.com'; did you mean 'example.com'?\n"
    assert store.lanes.names() == ["exmaple.com", "example.com"]


def test_a_worker_is_paused_by_name_and_by_number(swather: Swather, store: Store, database: str):
    with package.open(database, name="someone") as queue:
        queue.claim(1)
        [worker] = store.workers.find()
        done(swather, "pause", "--worker", "someone")
        assert store.workers.get(worker.id).paused
        done(swather, "unpause", "--worker", str(worker.id))
        assert not store.workers.get(worker.id).paused


@pytest.mark.slow
def test_a_run_is_removed_when_it_has_ended(swather: Swather, store: Store):
    said = swather("runs", "rm", RUN, "--yes")
    assert (said.code, said.err) == (
        2, f"error: run {RUN!r} is still open; cancel it first: swather cancel {RUN}\n"
    )  # fmt: skip
    done(swather, "cancel", RUN)
    done(swather, "runs", "rm", RUN, "--dry-run")
    assert len(store.runs.find()) == 1
    assert done(swather, "runs", "rm", RUN, "--yes").out == f"run {RUN}: removed, 3 tasks\n"
    assert store.runs.find() == []


def test_where_nobody_can_be_asked_yes_must_be_said(
    swather: Swather, store: Store, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr("sys.stdin", io.StringIO("y\n"))
    done(swather, "cancel", RUN)
    said = swather("runs", "rm", RUN)
    assert said.code == 2
    assert "pass --yes" in said.err
    assert len(store.runs.find()) == 1


def test_old_runs_are_pruned(swather: Swather, store: Store):
    done(swather, "cancel", RUN)
    data = done(swather, "runs", "prune", "--older-than", "1h", "--json").data
    assert (data["runs"], data["removed"]["runs"]) == ([], 0)
    assert RUN in done(swather, "runs", "ls").out
    data = done(swather, "runs", "prune", "--older-than", "0.001s", "--dry-run", "--json").data
    assert data["runs"] == [RUN]
    done(swather, "runs", "prune", "--older-than", "0.001s", "--yes")
    assert store.runs.find() == []


def test_an_option_of_a_group_is_not_lost_on_its_command(swather: Swather, store: Store):
    said = swather("runs", "--json", "rm", RUN)
    assert said.code == 2
    assert "--json goes after the command: rm --json" in said.err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("retry",), "Missing argument 'RUN'"),
        (("retry", "nope"), "there is no run named 'nope'"),
        (("retry", RUN, "--state", "ready"), "only ended tasks can be retried"),
        (("retry", RUN, "--state", "odd"), "'odd' is not one of"),
        (("cancel", RUN, "--state", "failed"), "failed tasks have already ended"),
        (("cancel", RUN, "--task", "0"), "a task's number is 1 or more"),
        (("pause",), "name a run, or --lane, --scraper or --worker"),
        (("pause", "--scraper", "books.py"), "expected a scraper's name, as `swather runs` shows"),
        (("unpause", "--scraper", "shops:books"), "got 'shops:books'"),
        (("lanes", "set", "books.py", "--scraper", "--rate", "1/s"), "got 'books.py'"),
        (("pause", "--worker", "nope"), "no worker 'nope' is running; there are: none"),
        (("runs", "rm"), "Missing argument 'RUN'"),
        (("runs", "prune", "--older-than", "long"), "Invalid value for '--older-than'"),
        (("runs", "remove"), "No such command 'remove'"),
    ],
)
def test_bad_input_is_one_line(swather: Swather, store: Store, arguments, message):
    said = swather(*arguments)
    assert (said.code, said.out) == (2, "")
    assert message in said.err
    assert said.err.count("\n") == 1


def test_a_run_that_is_kept_open_is_closed_by_hand(swather: Swather, store: Store):
    assert f"run {RUN} was not kept open" in done(swather, "runs", "close", RUN).out
    store.runs.keep_open(RUN)
    assert done(swather, "runs", "ls", "--json").data[0]["keep_open"] is True
    said = done(swather, "runs", "close", RUN).out
    assert f"run {RUN} finishes when its targets are done: 2 left" in said
    store.runs.keep_open(RUN)
    with package.open(store.url) as queue:
        for lease in queue.claim(2, run=RUN):
            queue.finish(lease)
    assert f"To finish it:\n    swather runs close {RUN}" in done(swather, "why", RUN).out
    assert f"run {RUN} is finished" in done(swather, "runs", "close", RUN).out
