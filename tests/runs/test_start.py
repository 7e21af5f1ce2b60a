"""The same command goes on with the run that it began."""

import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing

import pytest

import swather.store
from swather.errors import InputError, NotFound
from swather.model.lane import PacedKind
from swather.model.lease import Strategy
from swather.model.pacing import Limits
from swather.model.run import RunState
from swather.runs.layout import Layout
from swather.runs.start import Planned, plan_run, source_fingerprint
from swather.store import Store
from tests.runs.given import a_scraper
from tests.store.given import a_load, a_worker, claim, completed, finish, targets


def drain(store: Store, run: str) -> None:
    worker = a_worker(store)
    while leases := claim(store, worker, 100, runs=(run,)):
        finish(store, *(completed(lease) for lease in leases))
    assert store.runs.settle(run)


def test_the_first_command_begins_a_run(store: Store):
    planned = plan_run(store, a_scraper(version="2", strategy="lifo"), params={"page": 1})
    run = planned.run
    assert (planned.is_new, planned.finished, planned.notes) == (True, False, ())
    assert (run.scraper, run.version, run.strategy) == ("books", "2", Strategy.LIFO)
    assert run.scraper_params == {"page": 1}


def test_the_same_command_goes_on(store: Store):
    source = source_fingerprint(["http://a.example"])
    first = plan_run(store, a_scraper(), params={"page": 1}, source_fingerprint=source)
    again = plan_run(store, a_scraper(), params={"page": 1}, source_fingerprint=source)
    assert (again.run.name, again.is_new, again.finished) == (first.run.name, False, False)


def test_the_same_command_given_twice_at_once_begins_one_run(store: Store):
    start = threading.Barrier(4)

    def command() -> Planned:
        with closing(swather.store.open(store.url)) as own:
            start.wait(timeout=20)
            return plan_run(own, a_scraper(), params={"page": 1})

    with ThreadPoolExecutor(4) as threads:
        plans = [one.result(timeout=40) for one in [threads.submit(command) for _ in range(4)]]
    assert len({planned.run.id for planned in plans}) == 1
    assert [planned.is_new for planned in plans].count(True) == 1
    assert len(store.runs.find()) == 1


@pytest.mark.parametrize(
    "other",
    [
        {"params": {"page": 2}},
        {"source_fingerprint": source_fingerprint(["http://b.example"])},
        {"scraper": a_scraper(name="films")},
        {"new": True},
    ],
)
def test_another_command_begins_another_run(store: Store, other):
    same = {"params": {"page": 1}, "source_fingerprint": source_fingerprint(["http://a.example"])}
    first = plan_run(store, a_scraper(), **same)
    given = {"scraper": a_scraper(), **same, **other}
    scraper = given.pop("scraper")
    second = plan_run(store, scraper, **given)
    assert second.is_new
    assert second.run.name != first.run.name


def test_the_newest_of_several_runs_goes_on(store: Store):
    plan_run(store, a_scraper())
    newest = plan_run(store, a_scraper(), new=True)
    assert plan_run(store, a_scraper()).run.name == newest.run.name


def test_a_finished_run_says_so(store: Store):
    run = plan_run(store, a_scraper()).run
    store.tasks.enqueue(run.name, targets(2))
    drain(store, run.name)
    again = plan_run(store, a_scraper())
    assert (again.is_new, again.finished, again.run.state) == (False, True, RunState.FINISHED)


def test_a_run_that_was_not_loaded_to_the_end_is_not_finished(store: Store):
    run = plan_run(store, a_scraper()).run
    store.loads.begin(run.name, a_load())
    drain(store, run.name)
    assert not plan_run(store, a_scraper()).finished


def test_a_cancelled_run_is_over_however_much_was_loaded(store: Store):
    run = plan_run(store, a_scraper()).run
    store.loads.begin(run.name, a_load())
    store.runs.cancel(run.name)
    assert plan_run(store, a_scraper()).finished


def test_a_run_is_resumed_by_name(store: Store):
    first = plan_run(store, a_scraper(), params={"page": 1})
    plan_run(store, a_scraper(), params={"page": 2})
    assert plan_run(store, a_scraper(), resume=first.run.name).run.name == first.run.name


def test_a_run_that_is_not_there_cannot_be_resumed(store: Store):
    with pytest.raises(NotFound, match="nowhere"):
        plan_run(store, a_scraper(), resume="nowhere")


def test_a_run_of_another_scraper_or_with_other_params_cannot_be_resumed(store: Store):
    run = plan_run(store, a_scraper(), params={"page": 1}).run
    with pytest.raises(InputError, match="belongs to scraper 'books', not 'films'"):
        plan_run(store, a_scraper(name="films"), resume=run.name)
    with pytest.raises(InputError, match="other parameters"):
        plan_run(store, a_scraper(), resume=run.name, params={"page": 2})
    with pytest.raises(InputError, match="not both"):
        plan_run(store, a_scraper(), resume=run.name, new=True)


def test_the_limits_of_the_scraper_are_in_force(store: Store):
    run = plan_run(store, a_scraper(rate="2/s", in_flight=3, total_rate="10/s")).run
    assert run.lane_limits == Limits(0.5, 1, 3)
    assert store.lanes.get("books", PacedKind.SCRAPER).limits.every_seconds == pytest.approx(0.1)
    plan_run(store, a_scraper())
    assert store.lanes.get("books", PacedKind.SCRAPER).limits.are_none


def test_total_limits_that_a_person_set_to_override_stay(store: Store):
    store.lanes.limit("books", Limits(0.01), PacedKind.SCRAPER, overrides=True)
    plan_run(store, a_scraper(total_rate="10/s"))
    assert store.lanes.get("books", PacedKind.SCRAPER).limits == Limits(0.01)


def test_a_run_that_goes_on_takes_the_scrapers_present_pace_and_version_and_says_so(store: Store):
    plan_run(store, a_scraper(rate="2/s", version="1"))
    planned = plan_run(store, a_scraper(rate="5/s", version="2"))
    assert (planned.is_new, planned.run.version) == (False, "2")
    assert planned.run.lane_limits.every_seconds == pytest.approx(0.2)
    assert len(planned.notes) == 2
    assert "rate and in_flight that the scraper has now" in planned.notes[0]
    assert "'1'" in planned.notes[1]


def test_the_reserved_parameter_cannot_be_given(store: Store):
    with pytest.raises(InputError, match="_swather"):
        plan_run(store, a_scraper(), params={"_swather": 1})


def test_a_source_is_told_by_what_names_its_targets(tmp_path, monkeypatch):
    file = tmp_path / "targets.csv"
    same = source_fingerprint(files=[str(file)], layout=Layout(column="url"))
    monkeypatch.chdir(tmp_path)
    assert source_fingerprint(files=["targets.csv"], layout=Layout(column="url")) == same
    assert source_fingerprint(files=["targets.csv"], layout=Layout(column="link")) != same
    assert source_fingerprint(files=["targets.csv"], layout=Layout(column="url"), limit=3) != same
    assert source_fingerprint(["targets.csv"]) != source_fingerprint(files=["targets.csv"])
    assert source_fingerprint(["\udcff"]) != source_fingerprint(["\udcfe"])
