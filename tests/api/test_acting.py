"""What people do is written down, and long work is done in the background."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from swather.api import acting as module
from swather.api.acting import Acting
from swather.errors import ConnectionLost, InputError
from swather.model.action import Action, ActionState
from swather.model.advance import Advance
from swather.model.task_filter import TaskFilter
from swather.runs import bulk
from swather.store import Store
from swather.store.postgres import cancel as postgres_cancel
from swather.store.sqlite import cancel as sqlite_cancel
from tests.store.given import a_run, states
from tests.worker.given import wait_until

WHO = "admin@127.0.0.1"


@pytest.fixture
def acting(store: Store) -> Iterator[Acting]:
    opened = Acting(store)
    yield opened
    opened.close()


def ended(store: Store, action_id: int) -> Action:
    def found() -> Action | None:
        action = store.actions.get(action_id)
        return None if action.state is ActionState.RUNNING else action

    return wait_until(found)


def newest(store: Store) -> Action:
    (action,) = store.actions.find(limit=1)
    return action


def test_something_short_is_written_down_with_what_came_of_it(acting: Acting, store: Store):
    assert acting.now("pause", "run 1", WHO, lambda _: 7, {"why": "password=hunter2"}) == 7
    action = newest(store)
    assert (action.actor, action.verb, action.subject) == (WHO, "pause", "run 1")
    assert (action.state, action.detail) == (ActionState.DONE, {"why": "password=***"})

    def refuse(_: Store) -> None:
        raise InputError("no such run")

    with pytest.raises(InputError):
        acting.now("pause", "run 2", WHO, refuse)
    assert (newest(store).state, newest(store).error) == (ActionState.FAILED, "no such run")


def test_something_long_tells_how_far_it_is_and_how_it_ended(acting: Acting, store: Store):
    half, go_on = threading.Event(), threading.Event()

    def work(_: Store, advance: Advance) -> int:
        advance(50)
        half.set()
        assert go_on.wait(20)
        return 100

    action_id = acting.in_background("cancel", "100 tasks", WHO, 100, work)
    assert half.wait(20)
    under_way = store.actions.get(action_id)
    assert (under_way.state, under_way.done, under_way.total) == (ActionState.RUNNING, 50, 100)
    go_on.set()
    action = ended(store, action_id)
    assert (action.state, action.done) == (ActionState.DONE, 100)


def test_what_fails_unexpectedly_says_no_more_than_that(acting: Acting, store: Store):
    def work(_: Store, advance: Advance) -> None:
        advance(3)
        raise ValueError("a secret of the code")

    action = ended(store, acting.in_background("retry", "tasks", WHO, 10, work))
    assert (action.state, action.done) == (ActionState.FAILED, 3)
    assert "unexpectedly" in action.error
    assert "secret" not in action.error


def test_a_server_that_stops_ends_its_work_after_the_batch_and_what_waits_at_once(store: Store):
    acting, begun, stopped = Acting(store), threading.Barrier(3), threading.Event()
    batches: list[int] = []

    def work(_: Store, advance: Advance) -> None:
        begun.wait(20)
        for batch in range(1_000):
            stopped.wait(20)
            batches.append(batch)
            advance(batch + 1)

    ids = [acting.in_background("cancel", "tasks", WHO, None, work) for _ in range(3)]
    begun.wait(20)  # two are under way, and the third waits for a thread
    closing = threading.Thread(target=acting.close)
    closing.start()
    wait_until(acting._stopping.is_set)
    stopped.set()
    closing.join(20)
    assert batches == [0, 0]
    actions = [store.actions.get(action_id) for action_id in ids]
    assert {action.state for action in actions} == {ActionState.FAILED}
    assert all("the server was stopped" in action.error for action in actions)
    assert [action.done for action in actions] == [1, 1, 0]


def test_what_was_done_whole_before_the_server_stopped_has_not_failed(
    store: Store, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(bulk, "BATCH", 5)
    acting, run = Acting(store), a_run(store, 10)
    last, stopped = threading.Event(), threading.Event()
    batches = iter([lambda: None, lambda: (last.set(), stopped.wait(20))])
    cancel = type(store.tasks).cancel

    def slowly(tasks: Any, which: TaskFilter) -> int:
        next(batches)()
        return cancel(tasks, which)

    monkeypatch.setattr(type(store.tasks), "cancel", slowly)
    action_id = acting.in_background(
        "tasks cancel",
        run,
        WHO,
        10,
        lambda own, advance: bulk.cancel_tasks(own, TaskFilter(run=run), advance),
    )
    assert last.wait(20)
    under_way = store.actions.get(action_id)
    assert (under_way.state, under_way.done) == (ActionState.RUNNING, 5)
    closing = threading.Thread(target=acting.close)
    closing.start()
    wait_until(acting._stopping.is_set)
    stopped.set()
    closing.join(20)
    action = store.actions.get(action_id)
    assert (action.state, action.done, action.error) == (ActionState.DONE, 10, "")


def test_a_run_that_is_cancelled_is_stopped_between_two_batches(
    store: Store, monkeypatch: pytest.MonkeyPatch
):
    for cancelling in (sqlite_cancel, postgres_cancel):
        monkeypatch.setattr(cancelling, "BATCH", 5)
    acting, run = Acting(store), a_run(store, 20)
    half, stopped = threading.Event(), threading.Event()

    def work(own: Store, advance: Advance) -> int:
        def heard(done: int) -> None:
            if done == 10:
                half.set()
                stopped.wait(20)
            advance(done)

        return bulk.cancel_run(own, run, heard)

    action_id = acting.in_background("run cancel", run, WHO, 20, work)
    assert half.wait(20)
    assert store.actions.get(action_id).done == 5
    closing = threading.Thread(target=acting.close)
    closing.start()
    wait_until(acting._stopping.is_set)
    stopped.set()
    closing.join(20)
    action = store.actions.get(action_id)
    assert (action.state, action.done) == (ActionState.FAILED, 10)
    assert "do it again for the rest" in action.error
    assert states(store, run) == {"cancelled": 10, "ready": 10}


def test_what_was_done_at_once_is_counted_too(acting: Acting, store: Store):
    assert acting.now("run start", "books", WHO, lambda _: [1, 2], done_of=len) == [1, 2]
    assert newest(store).done == 2
    with acting.noted("run upload", "run 1", WHO) as advance:
        advance(7)
    assert newest(store).done == 7

    def fail_half_way() -> None:
        with acting.noted("run upload", "run 2", WHO) as advance:
            advance(3)
            raise InputError("a bad line")

    with pytest.raises(InputError):
        fail_half_way()
    assert (newest(store).state, newest(store).done) == (ActionState.FAILED, 3)


def test_an_action_does_not_run_on_for_ever_because_the_database_was_away_at_its_end(
    acting: Acting, store: Store, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(module, "AGAIN_SECONDS", 0.01)

    def lost(_: Store, advance: Advance) -> None:
        advance(4)
        raise ConnectionLost("the connection was lost")

    def lost_now(_: Store) -> None:
        raise ConnectionLost("the connection was lost")

    with away(store, monkeypatch) as tried:
        first = acting.in_background("cancel", "tasks", WHO, 10, lost)
        second = acting.in_background("cancel", "tasks", WHO, 10, lambda _, advance: advance(10))
        with pytest.raises(ConnectionLost):
            acting.now("pause", "run 1", WHO, lost_now)
        third = newest(store).id
        assert acting.now("pause", "run 2", WHO, lambda _: "done") == "done"
        fourth = newest(store).id
        with acting.noted("upload", "run 3", WHO):
            pass
        fifth = newest(store).id
        wait_until(lambda: len(tried) > 10)
        states = {store.actions.get(each).state for each in (first, second, third, fourth, fifth)}
        assert states == {ActionState.RUNNING}
    states = [ended(store, each).state for each in (first, second, third, fourth, fifth)]
    failed, done = ActionState.FAILED, ActionState.DONE
    assert states == [failed, done, failed, done, done]
    assert store.actions.get(first).done == 4


@contextmanager
def away(store: Store, monkeypatch: pytest.MonkeyPatch) -> Iterator[list[int]]:
    """No end can be written down; the ids of those that were tried."""
    tried: list[int] = []

    def end(_: object, action_id: int, **_told: object) -> None:
        tried.append(action_id)
        raise ConnectionLost("the connection was lost")

    with monkeypatch.context() as patched:
        patched.setattr(type(store.actions), "end", end)
        yield tried
