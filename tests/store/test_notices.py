"""Notices: written once with what they are about, delivered to each hook once."""

from typing import Any

import pytest

from swather.model.notice import (
    FRESH_SECONDS,
    TROUBLE,
    Delivery,
    NewNotice,
    NoticeKind,
    Subscription,
)
from swather.model.task_filter import TaskFilter
from swather.store import Store
from swather.store.clock import Clock
from tests.store.database import Database
from tests.store.given import a_lease, a_run, a_worker, claim, completed, failed, finish, run_of
from tests.store.threads import together

ENDED = frozenset({NoticeKind.RUN_ENDED})


def a_hook(store: Store, key: str = "webhook 1", **fields: Any) -> Subscription:
    hook = Subscription(key=key, words="webhook example.com", **{"kinds": ENDED, **fields})
    store.notices.meet(hook)
    return hook


def a_notice(store: Store, key: str = "1", scraper: str = "books") -> None:
    store.notices.add(NewNotice(kind=NoticeKind.RUN_ENDED, key=key, scraper=scraper, run="r"))


def claimed(store: Store, hook: Subscription) -> Delivery | None:
    return store.notices.claim(hook, lease_seconds=30)


def found(store: Store) -> list[tuple[str, int, str]]:
    notices = [notice.id for notice in store.notices.find()]
    return [
        (str(each.state), each.attempts, each.error) for each in store.notices.deliveries(notices)
    ]


def test_a_run_that_finishes_leaves_one_notice_with_its_counts(store: Store):
    lease = a_lease(store)
    run = run_of(store, lease)
    finish(store, completed(lease, "a", "b"))
    assert store.notices.find() == []
    assert store.runs.settle(run)
    assert not store.runs.settle(run)
    (notice,) = store.notices.find()
    assert (notice.kind, notice.run, notice.scraper) == ("run_ended", run, "books")
    told = {name: notice.data[name] for name in ("state", "completed", "failed", "items")}
    assert told == {"state": "finished", "completed": 1, "failed": 0, "items": 2}


def test_a_run_that_is_reopened_and_finishes_again_is_told_again(store: Store):
    lease = a_lease(store)
    run = run_of(store, lease)
    finish(store, failed(lease))
    store.runs.settle(run)
    store.tasks.retry(TaskFilter(run=run))
    finish(store, completed(claim(store, a_worker(store))[0]))
    store.runs.settle(run)
    told = [(notice.data["completed"], notice.data["failed"]) for notice in store.notices.find()]
    assert told == [(1, 0), (0, 1)]


def test_a_run_that_is_cancelled_is_told_once_with_what_it_leaves(store: Store):
    run = a_run(store, 3)
    store.runs.cancel(run)
    store.runs.cancel(run)
    (notice,) = store.notices.find()
    assert notice.text == f"run {run} was cancelled: 0 completed, 0 failed, 3 cancelled"


def test_a_run_cancelled_before_it_had_any_target_is_no_news(store: Store):
    store.runs.cancel(a_run(store))
    assert store.notices.find() == []


def test_a_breaker_that_opens_is_told_and_one_that_stays_open_is_not(store: Store):
    seen = {"failed": 19, "of": 20, "error": "HTTP 500"}
    for _ in range(2):
        store.breakers.trip("books", "example.com", seen=seen, probe_seconds=30)
    (notice,) = store.notices.find()
    assert (notice.kind, notice.scraper) == ("breaker_open", "books")
    assert notice.data == {"lane": "example.com", "seen": seen}
    store.breakers.close("books", "example.com")
    store.breakers.trip("books", "example.com", seen=seen, probe_seconds=30)
    assert len(store.notices.find()) == 2


def test_breakers_of_many_lanes_do_not_fill_the_table(
    store: Store, clock: Clock, database: Database, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(f"swather.store.{database.kind}.notices.MAX_BREAKERS_PER_HOUR", 2)
    for number in range(4):
        store.breakers.trip("books", f"{number}.example", seen={}, probe_seconds=30)
    store.breakers.trip("shops", "example.com", seen={}, probe_seconds=30)
    assert len(store.notices.find()) == 3
    clock.advance(3_601)
    store.breakers.trip("books", "late.example", seen={}, probe_seconds=30)
    assert len(store.notices.find()) == 4


def test_the_same_thing_is_noted_once(store: Store):
    new = NewNotice(kind=NoticeKind.NO_PROGRESS, key="r 7", scraper="books", run="r")
    assert [store.notices.add(new), store.notices.add(new)] == [True, False]


def test_a_hook_gets_each_notice_once(store: Store, other: Store):
    hook = a_hook(store)
    a_notice(store)
    delivery = claimed(store, hook)
    assert delivery is not None
    assert delivery.attempts == 1
    assert claimed(other, hook) is None
    assert store.notices.delivered(delivery)
    assert claimed(store, hook) is None
    assert found(store) == [("delivered", 1, "")]


def test_two_hooks_get_the_notice_each(store: Store):
    hooks = [a_hook(store, key) for key in ("one", "two")]
    a_notice(store)
    assert all(claimed(store, hook) for hook in hooks)


def test_many_processes_at_once_claim_different_notices(store: Store):
    hook = a_hook(store)
    for number in range(6):
        a_notice(store, str(number))
    got = together(store, lambda mine, _: [claimed(mine, hook)])
    taken = [delivery.notice.id for delivery in got if delivery is not None]
    assert len(taken) == len(set(taken)) >= 1
    rest = iter(lambda: claimed(store, hook), None)
    assert len({*taken, *(delivery.notice.id for delivery in rest)}) == 6


def test_a_failed_attempt_is_due_again_later(store: Store, clock: Clock):
    hook = a_hook(store)
    a_notice(store)
    assert store.notices.undelivered(claimed(store, hook), "HTTP 503", retry_seconds=10)
    assert claimed(store, hook) is None
    clock.advance(10)
    delivery = claimed(store, hook)
    assert (delivery.attempts, delivery.error) == (2, "HTTP 503")


def test_an_attempt_whose_process_died_is_made_again_and_the_late_word_is_refused(
    store: Store, clock: Clock
):
    hook = a_hook(store)
    a_notice(store)
    first = claimed(store, hook)
    clock.advance(31)
    second = claimed(store, hook)
    assert second.notice.uid == first.notice.uid
    assert not store.notices.delivered(first)
    assert store.notices.delivered(second)


def test_a_delivery_that_was_given_up_waits_for_a_person(store: Store, clock: Clock):
    hook = a_hook(store)
    a_notice(store)
    store.notices.undelivered(claimed(store, hook), "HTTP 404", retry_seconds=None)
    clock.advance(FRESH_SECONDS)
    assert claimed(store, hook) is None
    assert store.notices.retry([999]) == 0
    assert store.notices.retry() == 1
    assert claimed(store, hook).attempts == 1


def test_retry_does_not_send_again_what_has_arrived(store: Store):
    hook = a_hook(store)
    a_notice(store)
    delivery = claimed(store, hook)
    store.notices.delivered(delivery)
    assert store.notices.retry([delivery.notice.id]) == 0


@pytest.mark.parametrize(
    ("fields", "wanted"),
    [
        ({}, ["books", "shops"]),
        ({"scrapers": frozenset({"books"}), "all_others": False}, ["books"]),
        ({"scrapers": frozenset({"books"}), "all_others": True}, ["shops"]),
        ({"kinds": TROUBLE}, []),
    ],
)
def test_a_hook_is_told_what_it_wants(store: Store, fields: dict[str, Any], wanted: list[str]):
    hook = a_hook(store, **fields)
    for scraper in ("books", "shops"):
        a_notice(store, scraper, scraper)
    got = list(iter(lambda: claimed(store, hook), None))
    assert [delivery.notice.scraper for delivery in got] == wanted


def test_a_new_hook_is_not_told_of_the_past(store: Store, clock: Clock):
    a_notice(store)
    clock.advance(1)
    hook = a_hook(store)
    assert claimed(store, hook) is None


def test_what_is_older_than_a_day_is_no_news(store: Store, clock: Clock):
    hook = a_hook(store)
    a_notice(store)
    clock.advance(FRESH_SECONDS + 1)
    a_hook(store)
    assert claimed(store, hook) is None


def test_prune_forgets_old_notices_with_their_deliveries(store: Store, clock: Clock):
    hook = a_hook(store)
    a_notice(store)
    store.notices.delivered(claimed(store, hook))
    clock.advance(31 * 86_400)
    assert store.upkeep.prune()["notices"] == 1
    assert found(store) == []
