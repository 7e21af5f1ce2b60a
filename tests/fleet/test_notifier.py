"""The notifier: notices arrive once, whatever is down meanwhile, and hold up nothing else."""

import threading
from collections.abc import Callable

import pytest

from swather.errors import HookFailed
from swather.fleet.notifier import Notifier, deliver_next
from swather.model.notice import MAX_ATTEMPTS, NewNotice, Notice, NoticeKind, Subscription
from swather.model.task import Target
from swather.runs.no_progress import NoProgress
from swather.runs.webhook import Webhook
from swather.store import Store
from swather.store.clock import Clock
from swather.testing import Answer, FakeSite
from tests.store.given import a_run, a_worker, claim, completed, finish
from tests.worker.given import wait_until


class Told:
    """A hook that keeps what it is told, and does as it is asked first."""

    def __init__(self, key: str = "k", first: Callable[[], None] = lambda: None) -> None:
        self.subscription = Subscription(key=key, words=f"hook {key}", kinds=frozenset(NoticeKind))
        self.timeout_seconds = 1.0
        self.notices: list[Notice] = []
        self._first = first
        self.was_cut_off = False

    def cut_off(self) -> None:
        self.was_cut_off = True

    def deliver(self, notice: Notice) -> None:
        self._first()
        self.notices.append(notice)


def refuse() -> None:
    raise HookFailed("no")


def a_notice(store: Store, key: str = "1") -> None:
    store.notices.add(NewNotice(kind=NoticeKind.RUN_ENDED, key=key, scraper="books", run="r"))


def states(store: Store) -> list[tuple[str, int]]:
    ids = [notice.id for notice in store.notices.find()]
    return [(str(each.state), each.attempts) for each in store.notices.deliveries(ids)]


def test_a_receiver_that_is_down_for_a_while_gets_the_notice_once(store: Store, clock: Clock):
    """Three attempts fail, the fourth is taken; its key is the same each time."""
    keys: list[str] = []

    def answer(asked) -> Answer:
        keys.append({name.lower(): value for name, value in asked.headers.items()}["webhook-id"])
        return Answer(status=503) if asked.times <= 3 else Answer("ok")

    with FakeSite({"/": answer}) as site:
        hook = Webhook(Told().subscription, f"{site.url}/", None, 5.0)
        store.notices.meet(hook.subscription)
        a_notice(store)
        while states(store)[-1:] != [("delivered", 4)]:
            assert deliver_next(store, hook)
            assert not deliver_next(store, hook)
            clock.advance(81)
        assert not deliver_next(store, hook)
    assert len(keys) == 4
    assert set(keys) == {store.notices.find()[0].uid}


def test_a_hook_that_never_takes_it_is_given_up(store: Store, clock: Clock):
    hook = Told(first=refuse)
    store.notices.meet(hook.subscription)
    a_notice(store)
    while deliver_next(store, hook):
        clock.advance(3_601)
    assert states(store) == [("failed", MAX_ATTEMPTS)]


@pytest.mark.slow
def test_a_hook_that_hangs_holds_up_no_other_and_not_the_end(store: Store):
    released = threading.Event()
    hanging, quick = Told("hanging", first=lambda: released.wait(20)), Told("quick")
    notifier = Notifier(store.another(), [hanging, quick], no_progress_seconds=60)
    notifier.start()
    a_notice(store)
    late = notifier.stop(patience_seconds=0.2)
    try:
        assert (late, hanging.was_cut_off) == (["hook hanging"], True)
        assert [notice.run for notice in quick.notices] == ["r"]
    finally:
        released.set()
        assert notifier.stop(patience_seconds=20) == []


def test_stop_delivers_what_is_due_first(store: Store):
    hook = Told()
    notifier = Notifier(store.another(), [hook], no_progress_seconds=60)
    a_notice(store, "1")
    a_notice(store, "2")
    notifier.start()
    assert notifier.stop(patience_seconds=20) == []
    assert len(hook.notices) == 2


def test_an_error_of_a_hook_does_not_end_its_deliveries(
    store: Store, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr("swather.fleet.notifier.LOOK_SECONDS", 0.01)
    broken = iter([ValueError("broken")])

    def fails_once() -> None:
        if (error := next(broken, None)) is not None:
            raise error

    hook = Told(first=fails_once)
    notifier = Notifier(store.another(), [hook], no_progress_seconds=60)
    a_notice(store, "1")
    a_notice(store, "2")
    notifier.start()
    wait_until(lambda: hook.notices)
    notifier.stop(patience_seconds=20)


def test_a_run_in_which_nothing_ends_is_told_once_and_again_after_progress(store: Store):
    run = a_run(store, 3)
    watch = NoProgress(60.0)
    assert watch.look(store, 0.0) == []
    assert watch.look(store, 59.0) == []
    assert watch.look(store, 60.0) == [run]
    assert watch.look(store, 600.0) == []
    finish(store, completed(claim(store, a_worker(store))[0]))
    assert watch.look(store, 610.0) == []
    assert watch.look(store, 671.0) == [run]
    (second, first) = store.notices.find()
    assert (first.data["done"], second.data["done"]) == (0, 1)
    assert first.text == f"run {run}: no target has ended for 1m, 3 are left"
    assert any("worker" in reason for reason in first.data["why"])


def test_two_processes_that_see_it_tell_it_once(store: Store):
    a_run(store, 1)
    watches = [NoProgress(60.0), NoProgress(60.0)]
    told = [watch.look(store, now) for now in (0.0, 61.0) for watch in watches]
    assert [len(runs) for runs in told] == [0, 0, 1, 0]


@pytest.mark.parametrize("why", ["paused", "scheduled", "finished"])
def test_a_run_that_cannot_make_progress_now_is_no_news(store: Store, why: str):
    run = a_run(store, 0 if why != "paused" else 2)
    if why == "paused":
        store.runs.pause(run)
    elif why == "scheduled":
        store.tasks.enqueue(run, [Target(value=1, due_in_seconds=3_600)])
    else:
        store.runs.settle(run)
    watch = NoProgress(60.0)
    assert [watch.look(store, now) for now in (0.0, 61.0)] == [[], []]
