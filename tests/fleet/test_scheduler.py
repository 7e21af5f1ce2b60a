"""The scheduler: what is due becomes a run with its targets, whoever is killed meanwhile."""

import logging
import threading
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from swather.errors import BadSetting, LoadError
from swather.fleet.scheduler import MAX_ATTEMPTS, PATIENCE_SECONDS, Scheduler
from swather.model.run import RunState
from swather.model.schedule import NewSchedule, Overlap, remote
from swather.runs.firing import Begun, fire, recipe_of
from swather.runs.registered_schedules import schedules_in, sync
from swather.scraping.registered import Registered, ScheduleText
from swather.scraping.scraper import Scraper
from swather.store import Store
from swather.store.clock import Clock
from tests.runs.given import a_scraper, written
from tests.store.database import Database
from tests.worker.given import wait_until


def a_schedule(store: Store, **fields: Any) -> None:
    """Every minute, and due now."""
    new = {"name": "books", "scraper": "books", "cron": "* * * * *", "targets": ("1", "2")}
    due_at = store.schedules.now() - timedelta(seconds=1)
    store.schedules.add(NewSchedule(**{**new, **fields}), due_at)


def a_scheduler(
    store: Store, *, code: Scraper | None = None, known: dict[str, Registered] | None = None
) -> Scheduler:
    scrapers = {} if code is None else {code.name: code}
    return Scheduler(store.url, scrapers.get, known or {})


def looked(store: Store, scheduler: Scheduler) -> None:
    """One look, and all that it began."""
    scheduler.look(store)
    wait_until(
        lambda: not [each for each in threading.enumerate() if each.name == "swather-loader"]
    )


def only_run(store: Store) -> str:
    (run,) = store.runs.find()
    return run.name


def firings(store: Store) -> list[tuple[str, str]]:
    return [(str(each.state), each.reason) for each in reversed(store.schedules.firings())]


def registered(tmp_path: Path, **fields: Any) -> dict[str, Registered]:
    known = Registered(name="books", spec="books=books.py", origin="swather.toml", **fields)
    return {"books": known}


def test_a_due_schedule_becomes_a_run_with_its_targets(store: Store):
    a_schedule(store)
    looked(store, a_scheduler(store, code=a_scraper()))
    run = only_run(store)
    assert store.runs.counts(run).ready == 2
    assert not store.runs.get(run).load_incomplete
    assert firings(store) == [("running", "")]
    assert store.workers.find() == []


def test_hosts_that_a_client_of_the_api_names_stay_closed(store: Store):
    private = {"targets": ("http://10.0.0.9/",), "params": {"site": "http://10.0.0.8/"}}
    a_schedule(store, name="typed", **private)
    a_schedule(store, name="sent", targets=private["targets"], params=remote(private["params"]))
    looked(store, a_scheduler(store, code=a_scraper()))
    runs = {each.schedule: each.run for each in store.schedules.firings()}
    for host in ("10.0.0.8", "10.0.0.9"):
        assert store.allowed_hosts.pin(runs["typed"], host, 80, host) == host
        assert store.allowed_hosts.pin(runs["sent"], host, 80, host) is None
    assert store.runs.get(runs["sent"]).params["site"] == "http://10.0.0.8/"


def test_the_targets_of_a_registered_scraper_come_from_its_file(store: Store, tmp_path: Path):
    targets = Path(written(tmp_path, "n.txt", "1\n2\n3\n"))
    a_schedule(store, targets=())
    known = registered(tmp_path, targets=targets)
    looked(store, a_scheduler(store, code=a_scraper(), known=known))
    assert store.runs.counts(only_run(store)).ready == 3


def test_a_run_without_any_target_ends_at_once(store: Store, tmp_path: Path):
    targets = Path(written(tmp_path, "n.txt", ""))
    a_schedule(store, targets=())
    looked(store, a_scheduler(store, code=a_scraper(), known=registered(tmp_path, targets=targets)))
    assert store.runs.get(only_run(store)).state is RunState.FINISHED


def test_a_schedule_without_code_here_waits_for_who_has_it(
    store: Store, caplog: pytest.LogCaptureFixture
):
    a_schedule(store)
    stranger = a_scheduler(store)
    looked(store, stranger)
    looked(store, stranger)
    assert store.runs.find() == []
    said = [record.getMessage() for record in caplog.records if record.levelno == logging.WARNING]
    assert said == ["schedule books: this process has no code for scraper 'books'"]
    looked(store, a_scheduler(store, code=a_scraper()))
    assert only_run(store)


def test_a_schedule_of_a_file_is_fired_by_those_who_have_the_file(store: Store, tmp_path: Path):
    a_schedule(store, origin="swather.toml", targets=())
    looked(store, a_scheduler(store, code=a_scraper()))
    assert store.runs.find() == []
    known = registered(
        tmp_path,
        targets=Path(written(tmp_path, "n.txt", "1")),
        schedule=ScheduleText("* * * * *"),
    )
    looked(store, a_scheduler(store, code=a_scraper(), known=known))
    assert only_run(store)


@pytest.mark.parametrize("broken", ["code", "targets", "params"])
def test_what_cannot_become_a_run_is_left_to_others_first_and_then_told(
    store: Store, clock: Clock, broken: str
):
    fields = {"targets": ()} if broken == "targets" else {}
    if broken == "params":
        fields = {"params": {"nope": "1"}}
    a_schedule(store, **fields)

    def code(_: str) -> Scraper:
        if broken == "code":
            raise LoadError("books.py line 1: SyntaxError")
        return a_scraper(params=_Params)

    scheduler = Scheduler(store.url, code, {})
    looked(store, scheduler)
    assert firings(store) == []
    clock.advance(PATIENCE_SECONDS)
    looked(store, scheduler)
    ((state, reason),) = firings(store)
    assert (state, bool(reason)) == ("failed", True)
    assert [notice.kind for notice in store.notices.find()] == ["schedule_failed"]
    assert store.runs.find() == []


def test_a_schedule_of_which_nobody_knows_when_it_is_due_is_disabled(
    store: Store, database: Database, clock: Clock
):
    """As a damaged or hostile database may hold it; others are fired all the same."""
    a_schedule(store, name="bad")
    a_schedule(store, name="good")
    schema = "" if database.kind == "sqlite" else "swather."
    database.execute(f"UPDATE {schema}schedules SET cron = 'never' WHERE name = 'bad'")
    clock.advance(PATIENCE_SECONDS)
    looked(store, a_scheduler(store, code=a_scraper()))
    assert not store.schedules.get("bad").enabled
    (failed,) = store.schedules.firings("bad")
    assert "cron 'never' has 1 fields" in failed.reason
    assert len(store.schedules.firings("good")) == 1


class _Params:
    pages: int = 1


def test_a_firing_whose_process_died_before_loading_is_loaded_by_another(
    store: Store, clock: Clock
):
    a_schedule(store)
    _fired_by_one_that_dies(store)
    run = only_run(store)
    looked(store, a_scheduler(store, code=a_scraper()))
    assert store.runs.counts(run).ready == 0
    clock.advance(61)
    looked(store, a_scheduler(store, code=a_scraper()))
    assert store.runs.counts(run).ready == 2
    assert firings(store)[0] == ("running", "")
    assert [each.name for each in store.runs.find()][-1] == run


def test_a_firing_that_ends_its_loaders_is_given_up(store: Store, clock: Clock):
    a_schedule(store)
    _fired_by_one_that_dies(store)
    store.schedules.disable("books")
    scheduler = a_scheduler(store, code=a_scraper())
    for _ in range(MAX_ATTEMPTS - 1):
        clock.advance(61)
        store.workers.sweep()
        (orphan,) = store.schedules.open_firings()
        store.runs.exclusively(lambda orphan=orphan: store.schedules.take(orphan))
    looked(store, scheduler)
    assert firings(store) == [("failed", "5 processes ended while loading it")]


def _fired_by_one_that_dies(store: Store) -> Begun:
    (due,) = store.schedules.due()
    begun = fire(store, due, recipe_of(store, due, a_scraper(), None))
    assert isinstance(begun, Begun)
    return begun


@pytest.mark.slow
def test_queued_firings_are_started_when_the_run_before_has_ended(store: Store, clock: Clock):
    a_schedule(store, overlap=Overlap.QUEUE)
    scheduler = a_scheduler(store, code=a_scraper())
    looked(store, scheduler)
    clock.advance(60)
    looked(store, scheduler)
    assert [state for state, _ in firings(store)] == ["running", "queued"]
    store.runs.cancel(store.schedules.firings()[-1].run)
    looked(store, scheduler)
    assert [state for state, _ in firings(store)] == ["ended", "running"]


def test_missed_times_are_said(store: Store, clock: Clock, caplog: pytest.LogCaptureFixture):
    caplog.set_level(logging.INFO)
    a_schedule(store)
    clock.advance(300)
    looked(store, a_scheduler(store, code=a_scraper()))
    assert "more due times had passed unseen" in caplog.text
    assert store.schedules.firings()[0].missed >= 4


def test_a_scheduler_waits_until_the_next_due_time(store: Store):
    scheduler = a_scheduler(store)
    assert 5 <= scheduler.look(store) <= 5.5
    now = store.schedules.now()
    new = NewSchedule(name="soon", scraper="books", cron="* * * * *")
    store.schedules.add(new, now + timedelta(seconds=2))
    assert 0 < scheduler.look(store) <= 2.5


def test_sync_stores_what_the_file_says_and_removes_what_it_no_longer_says(
    store: Store, tmp_path: Path
):
    text = ScheduleText("0 2 * * *", "Europe/Berlin", "queue")
    sync(store, registered(tmp_path, schedule=text))
    (found,) = store.schedules.find()
    assert (found.cron, found.timezone, found.overlap) == ("0 2 * * *", "Europe/Berlin", "queue")
    sync(store, {})
    assert len(store.schedules.find()) == 1
    sync(store, registered(tmp_path))
    assert store.schedules.find() == []


def test_sync_leaves_a_persons_schedule_alone(
    store: Store, tmp_path: Path, caplog: pytest.LogCaptureFixture
):
    a_schedule(store)
    sync(store, registered(tmp_path, schedule=ScheduleText("0 2 * * *")))
    sync(store, registered(tmp_path))
    assert store.schedules.get("books").cron == "* * * * *"
    assert "is not used: there is already a schedule named 'books'" in caplog.text


@pytest.mark.parametrize(
    "text", [ScheduleText("nightly"), ScheduleText("0 2 * * *", overlap="wait")]
)
def test_a_bad_schedule_is_told_with_its_place(tmp_path: Path, text: ScheduleText):
    with pytest.raises(BadSetting, match=r"^swather\.toml schedule: "):
        schedules_in(registered(tmp_path, schedule=text))
