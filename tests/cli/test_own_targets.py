"""Targets that a scraper makes of its params when nobody names any."""

from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

import pytest

import swather.store
from swather.errors import InputError
from swather.model.task import Target
from swather.model.task_filter import TaskFilter
from swather.runs.layout import Layout
from swather.runs.order import Order
from swather.runs.own_targets import own_targets
from swather.runs.queued_run import QueuedRun
from swather.runs.source import Source
from swather.runs.target_options import OptionTexts
from swather.scraping.scraper import scraper
from tests.cli.conftest import done


@dataclass(frozen=True, kw_only=True)
class Params:
    count: int = 3
    broken: bool = False


def numbered(params):
    for number in range(params.count):
        if params.broken and number == 2:
            raise RuntimeError("the list is torn")
        yield Target(value={"state": "CA", "n": number}, priority=7 if number else 9)


@scraper(params=Params, targets=numbered, partition=lambda target: target["state"], lane="towns")
async def towns(ctx, target):
    yield target


def loaded(url, params=(), asked=None, **more):
    source = own_targets(towns, params, {"db": url}, asked)
    with QueuedRun(
        Order(scraper=towns, source=source, options={"db": url}, params=params, **more)
    ) as run:
        return run.planned, run.load()


def tasks_of(url, run):
    with closing(swather.store.open(url)) as store:
        return list(store.tasks.find(TaskFilter(run=run), limit=100))


def test_they_are_loaded_with_what_the_scraper_says_of_them(database):
    planned, result = loaded(database)
    tasks = tasks_of(database, planned.run.name)
    assert (result.added, result.complete) == (3, True)
    found = sorted((task.target["n"], task.priority, task.lane, task.partition) for task in tasks)
    assert found == [(0, 9, "towns", "CA"), (1, 7, "towns", "CA"), (2, 7, "towns", "CA")]


def test_the_same_again_adds_none_and_others_are_another_run(database):
    first, _ = loaded(database)
    again, result = loaded(database)
    assert again.run.name == first.run.name
    assert (result.added, result.duplicates) == (0, 3)
    other, result = loaded(database, ["count=4"])
    assert other.run.name != first.run.name
    assert result.added == 4


def test_a_limit_and_a_priority_of_the_command_count(database):
    asked = Source(limit=2, layout=Layout(texts=OptionTexts(priority="3")))
    planned, result = loaded(database, asked=asked)
    assert result.added == 2
    assert [task.priority for task in tasks_of(database, planned.run.name)] == [3, 3]


def test_what_goes_wrong_in_them_is_said_without_a_run(database):
    with pytest.raises(
        InputError, match="targets of scraper 'towns': RuntimeError: the list is to"
    ):
        loaded(database, ["broken=true"])
    with closing(swather.store.open(database)) as store:
        assert list(store.runs.find()) == []


def test_a_scraper_without_any_has_none(database):
    @scraper
    async def plain(ctx, url):
        yield url

    assert own_targets(plain, [], {"db": database}) is None


def test_targets_must_be_a_function():
    with pytest.raises(InputError, match="targets: expected a function of the params"):
        scraper(targets=["a"])


def test_commands_use_them_when_none_are_named(swather, database):
    Path("towns.py").write_text(
        "from swather import scraper\n\n"
        "@scraper(targets=lambda params: range(int(params['n'])), execution_mode='distributed')\n"
        "async def towns(ctx, number):\n    yield {'number': number}\n"
    )
    given = ("towns.py", "-p", "n=3", "--db", database, "--json")
    first = done(swather, "enqueue", *given).data
    assert first["enqueued"] == 3
    again = done(swather, "enqueue", *given).data
    assert (again["run"], again["enqueued"]) == (first["run"], 0)
    assert done(swather, "start", *given).data["run_id"] == first["run"]


@pytest.mark.slow
def test_run_scrapes_them(started, database):
    Path("towns.py").write_text(
        "from swather import scraper\n\n"
        "@scraper(targets=lambda params: range(3))\n"
        "async def towns(ctx, number):\n    yield {'number': number}\n"
    )
    ran = done(started, "run", "towns.py", "--db", database, "--json").data
    assert ran["counts"]["completed"] == 3
