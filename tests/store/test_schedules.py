"""Schedules: every due time becomes one firing, whoever fires it and whoever dies meanwhile."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from swather.errors import InputError, NotFound
from swather.model.run import NewRun, RunState
from swather.model.schedule import (
    Firing,
    FiringState,
    NewSchedule,
    Overlap,
    Schedule,
    following,
    next_time,
)
from swather.store import Store
from swather.store.clock import Clock
from tests.store.given import a_producer, a_run, a_worker, claim, completed, finish, targets
from tests.store.threads import together


def a_schedule(store: Store, name: str = "books", *, due: bool = True, **fields: Any) -> Schedule:
    """Every minute; due a moment ago, or within the next minute."""
    new = NewSchedule(**{"name": name, "scraper": "books", "cron": "* * * * *", **fields})
    now = store.schedules.now()
    return store.schedules.add(new, now - timedelta(seconds=1) if due else next_of(new, now))


def next_of(new: NewSchedule, now: datetime) -> datetime:
    return next_time(new.cron, new.timezone, now)


def fire(store: Store, due: Schedule) -> Firing | None:
    """As a scheduler does: the firing, its run and its producer, or nothing."""

    def work() -> Firing | None:
        next_at, missed = following(due)
        firing = store.schedules.fire(due, next_at, missed=missed)
        return begun(store, firing)

    return store.runs.exclusively(work)


def take(store: Store, firing: Firing) -> Firing | None:
    return store.runs.exclusively(lambda: begun(store, store.schedules.take(firing)))


def begun(store: Store, firing: Firing | None) -> Firing | None:
    if firing is None or firing.state is not FiringState.LOADING:
        return firing
    run = firing.run or store.runs.create(NewRun(scraper=firing.scraper)).name
    return store.schedules.assign(firing.id, run, a_producer(store, run))


def fire_due(store: Store) -> list[Firing]:
    return [found for due in store.schedules.due() if (found := fire(store, due))]


def end(store: Store, firing: Firing) -> None:
    """All is loaded, and its run ends."""
    assert firing.run is not None
    store.schedules.loaded(firing.id)
    for worker in store.workers.find():
        if worker.run == firing.run:
            store.workers.retire(worker.id)
    assert store.runs.settle(firing.run)


def states(store: Store, name: str = "books") -> list[str]:
    return [str(firing.state) for firing in reversed(store.schedules.firings(name, limit=1_000))]


def test_add_keeps_all_of_a_schedule(store: Store):
    now = store.schedules.now()
    new = NewSchedule(
        name="nightly", scraper="books", cron="0 2 * * *", timezone="Europe/Berlin",
        overlap=Overlap.QUEUE, params={"pages": "3"}, targets=("https://example.com/",),
    )  # fmt: skip
    store.schedules.add(new, next_of(new, now))
    (found,) = store.schedules.find()
    assert {name: getattr(found, name) for name in NewSchedule.__struct_fields__} == {
        name: getattr(new, name) for name in NewSchedule.__struct_fields__
    }
    assert (found.enabled, found.next_at) == (True, next_of(new, now))


def test_add_refuses_a_name_that_is_taken(store: Store):
    a_schedule(store)
    with pytest.raises(InputError, match="already a schedule named 'books'"):
        a_schedule(store)


def test_fire_makes_a_run_of_a_due_time_and_moves_on(store: Store):
    a_schedule(store)
    (firing,) = fire_due(store)
    assert firing.state is FiringState.LOADING
    assert store.runs.get(firing.run).state is RunState.OPEN
    assert store.schedules.get("books").next_at > store.schedules.now()
    assert fire_due(store) == []


def test_nothing_is_due_before_its_time_or_while_it_is_disabled(store: Store):
    a_schedule(store, "later", due=False)
    a_schedule(store, "off")
    store.schedules.disable("off")
    assert store.schedules.due() == []
    store.schedules.enable("off", store.schedules.now())
    assert [due.name for due in store.schedules.due()] == ["off"]


def test_many_schedulers_at_once_fire_a_due_time_once(store: Store):
    a_schedule(store)
    (due,) = store.schedules.due()
    fired = together(store, lambda mine, _: [fire(mine, due)])
    assert sum(firing is not None for firing in fired) == 1
    assert len(store.runs.find()) == 1


def test_a_scheduler_that_dies_in_the_middle_of_firing_leaves_nothing(store: Store):
    a_schedule(store)
    (due,) = store.schedules.due()

    def dies() -> None:
        begun(store, store.schedules.fire(due, due.now + timedelta(minutes=1), missed=0))
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        store.runs.exclusively(dies)
    assert store.runs.find() == []
    assert store.schedules.firings() == []
    assert len(fire_due(store)) == 1


def test_a_schedule_that_was_changed_meanwhile_is_not_fired_as_it_was(store: Store):
    a_schedule(store)
    (due,) = store.schedules.due()
    store.schedules.disable("books")
    assert fire(store, due) is None
    store.schedules.remove("books")
    assert fire(store, due) is None
    assert store.runs.find() == []


def test_a_due_time_comes_once_even_if_the_clock_is_set_back(store: Store):
    schedule = a_schedule(store)
    assert len(fire_due(store)) == 1
    store.schedules.enable("books", schedule.next_at)
    assert fire_due(store) == []
    assert store.schedules.get("books").next_at > store.schedules.now()
    assert len(store.runs.find()) == 1


def test_times_that_passed_while_nobody_looked_are_one_firing_that_says_so(
    store: Store, clock: Clock
):
    a_schedule(store, due=False)
    clock.advance(10 * 60)
    (firing,) = fire_due(store)
    assert firing.missed == 9
    assert fire_due(store) == []


@pytest.mark.parametrize(
    ("overlap", "second"),
    [
        (Overlap.SKIP, FiringState.SKIPPED),
        (Overlap.QUEUE, FiringState.QUEUED),
        (Overlap.BOTH, FiringState.LOADING),
    ],
)
def test_the_overlap_decides_while_a_run_is_open(
    store: Store, clock: Clock, overlap: Overlap, second: FiringState
):
    a_schedule(store, overlap=overlap)
    (first,) = fire_due(store)
    store.schedules.loaded(first.id)
    clock.advance(60)
    (firing,) = fire_due(store)
    assert firing.state is second
    assert firing.reason == ("" if overlap is Overlap.BOTH else f"run {first.run} is still open")
    assert len(store.runs.find()) == (2 if overlap is Overlap.BOTH else 1)


@pytest.mark.parametrize("overlap", list(Overlap))
def test_nothing_overlaps_once_the_run_before_has_ended(
    store: Store, clock: Clock, overlap: Overlap
):
    a_schedule(store, overlap=overlap)
    (first,) = fire_due(store)
    end(store, first)
    clock.advance(60)
    (second,) = fire_due(store)
    assert second.state is FiringState.LOADING
    assert states(store) == ["ended", "loading"]


def test_queued_firings_start_one_after_the_other(store: Store, clock: Clock):
    a_schedule(store, overlap=Overlap.QUEUE)
    (first,) = fire_due(store)
    for _ in range(2):
        clock.advance(60)
        fire_due(store)
    assert store.schedules.open_firings() == []
    end(store, first)
    (second,) = store.schedules.open_firings()
    taken = take(store, second)
    assert taken is not None
    assert taken.run not in (None, first.run)
    assert store.schedules.open_firings() == []
    end(store, taken)
    (third,) = store.schedules.open_firings()
    assert third.id > second.id


def test_no_more_than_some_firings_are_queued(
    store: Store, clock: Clock, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr("swather.store.schedule_rows.MAX_QUEUED", 3)
    a_schedule(store, overlap=Overlap.QUEUE)
    fire_due(store)
    for _ in range(4):
        clock.advance(60)
        (last,) = fire_due(store)
    assert states(store).count("queued") == 3
    assert (last.state, last.reason) == (FiringState.SKIPPED, "3 earlier ones wait")


def test_a_firing_whose_loader_is_gone_is_taken_once_and_keeps_its_run(store: Store, clock: Clock):
    a_schedule(store)
    (firing,) = fire_due(store)
    assert store.schedules.open_firings() == []
    clock.advance(61)
    store.workers.sweep()
    (orphan,) = store.schedules.open_firings()
    taken = together(store, lambda mine, _: [take(mine, orphan)])
    (winner,) = [found for found in taken if found is not None]
    assert (winner.run, winner.attempts) == (firing.run, firing.attempts + 1)
    assert store.schedules.open_firings() == []


def test_a_run_does_not_end_before_its_targets_are_loaded(store: Store, clock: Clock):
    a_schedule(store)
    (firing,) = fire_due(store)
    store.tasks.enqueue(firing.run, targets(1))
    (lease,) = claim(store, a_worker(store))
    finish(store, completed(lease))
    clock.advance(61)
    store.workers.sweep()
    assert not store.runs.settle(firing.run)
    end(store, take(store, store.schedules.open_firings()[0]))
    assert store.runs.get(firing.run).state is RunState.FINISHED


def test_a_firing_that_failed_says_why_and_is_told(store: Store):
    a_schedule(store)
    (firing,) = fire_due(store)
    store.schedules.fail(firing.id, "there is no file 'cities.csv'")
    store.schedules.fail(firing.id, "again")
    (failed,) = store.schedules.firings("books")
    assert (failed.state, failed.reason) == ("failed", "there is no file 'cities.csv'")
    (notice,) = store.notices.find()
    assert notice.text == "schedule books failed: there is no file 'cities.csv'"
    assert notice.run == firing.run


def test_a_due_time_without_a_run_is_a_failed_firing(store: Store):
    a_schedule(store)
    (due,) = store.schedules.due()
    later = due.now + timedelta(minutes=1)
    assert store.schedules.fail_due(due, later, "books.py: SyntaxError") is not None
    assert store.schedules.fail_due(due, later, "books.py: SyntaxError") is None
    assert states(store) == ["failed"]
    assert [notice.kind for notice in store.notices.find()] == ["schedule_failed"]


def test_sync_creates_changes_and_leaves_alone(store: Store):
    now = store.schedules.now()
    first = NewSchedule(name="books", scraper="books", cron="0 2 * * *", origin="swather.toml")
    assert store.schedules.sync(first, next_of(first, now))
    assert not store.schedules.sync(first, now)
    store.schedules.disable("books")
    same_times = NewSchedule(
        name="books", scraper="books", cron="0 2 * * *", origin="swather.toml",
        overlap=Overlap.BOTH,
    )  # fmt: skip
    assert store.schedules.sync(same_times, now)
    found = store.schedules.get("books")
    assert (found.overlap, found.next_at) == (Overlap.BOTH, next_of(first, now))
    other_times = NewSchedule(name="books", scraper="books", cron="0 3 * * *", origin="x.toml")
    assert store.schedules.sync(other_times, next_of(other_times, now))
    found = store.schedules.get("books")
    assert (found.next_at, found.enabled) == (next_of(other_times, now), False)


def test_sync_does_not_replace_what_a_person_added(store: Store):
    a_schedule(store)
    new = NewSchedule(name="books", scraper="books", cron="0 2 * * *", origin="swather.toml")
    with pytest.raises(InputError, match="already a schedule named 'books'"):
        store.schedules.sync(new, store.schedules.now())


def test_remove_takes_the_firings_and_leaves_the_runs(store: Store):
    a_schedule(store)
    fire_due(store)
    store.schedules.remove("books")
    assert (store.schedules.find(), store.schedules.firings()) == ([], [])
    assert len(store.runs.find()) == 1


@pytest.mark.parametrize("verb", ["get", "remove", "disable"])
def test_an_unknown_schedule_is_not_found(store: Store, verb: str):
    with pytest.raises(NotFound, match="no schedule named 'nope'"):
        getattr(store.schedules, verb)("nope")
    with pytest.raises(NotFound):
        store.schedules.firings("nope")


def test_the_outlook_is_when_to_look_again(store: Store, clock: Clock):
    assert store.schedules.outlook().due_seconds is None
    a_schedule(store, due=False)
    assert 0 < store.schedules.outlook().due_seconds <= 60
    clock.advance(60)
    assert store.schedules.outlook().due_seconds <= 0
    fire_due(store)
    assert store.schedules.outlook().under_way == 1


def test_prune_forgets_old_firings_and_keeps_what_is_under_way(store: Store, clock: Clock):
    a_schedule(store, overlap=Overlap.SKIP)
    fire_due(store)
    clock.advance(60)
    fire_due(store)
    clock.advance(31 * 86_400)
    assert store.upkeep.prune()["firings"] == 1
    assert states(store) == ["loading"]


def test_runs_of_other_schedules_and_people_do_not_overlap(store: Store):
    a_run(store, 1)
    a_schedule(store, "one")
    a_schedule(store, "two")
    assert [firing.state for firing in fire_due(store)] == ["loading", "loading"]


def test_times_are_instants_in_utc(store: Store):
    a_schedule(store)
    (firing,) = fire_due(store)
    assert firing.due_at.utcoffset() == firing.fired_at.utcoffset() == timedelta()
    assert abs(datetime.now(UTC) - firing.fired_at) < timedelta(minutes=5)


def test_a_schedule_is_made_due_only_while_it_is_enabled(store: Store):
    waiting = a_schedule(store, due=False)
    store.schedules.make_due(waiting.name)
    assert [due.name for due in store.schedules.due()] == ["books"]
    since = store.schedules.get("books").next_at
    store.schedules.make_due("books")
    assert store.schedules.get("books").next_at == since
    a_schedule(store, "later", due=False)
    store.schedules.disable("later")
    before = store.schedules.get("later")
    store.schedules.make_due("later")
    after = store.schedules.get("later")
    assert (after.enabled, after.next_at) == (False, before.next_at)
    assert [due.name for due in store.schedules.due()] == ["books"]
