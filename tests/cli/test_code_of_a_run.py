"""A database selects among the scrapers a process was given, and never names code or files."""

import json
from contextlib import closing
from pathlib import Path

import pytest

from swather import store as stores
from swather.testing import FakeSite
from tests.cli.conftest import Swather, done
from tests.cli.scrapers import NUMBERS, write
from tests.store.database import Postgres, SQLite

BUILT_IN = "listings, media, pages, products, subtitles"
EVIL = "from pathlib import Path\nPath('owned').touch()\n" + NUMBERS
PAGE = """
from swather import scraper


@scraper
async def page(ctx, url):
    found = await ctx.get(url)
    yield {"title": found.css_first("h1").text()}
"""
OTHERS = NUMBERS.replace("numbers", "others")


def execute(url: str, sql: str) -> None:
    """Behind the store's back."""
    sqlite = url.startswith("sqlite:///")
    opened = SQLite(Path(url.removeprefix("sqlite:///"))) if sqlite else Postgres(url)
    with closing(opened) as database:
        database.execute(sql)


def enqueued(swather: Swather, url: str, spec: str = "scrapers.py") -> str:
    write(NUMBERS)
    return done(swather, "enqueue", spec, "1", "2", "--db", url, "--json").data["run"]


def begun_with(url: str, run: str, spec: str) -> None:
    """The run says so, whoever has written that."""
    store = stores.open(url)
    try:
        store.runs.record(run, {"scraper": spec})
    finally:
        store.close()


@pytest.mark.parametrize(
    "name", ["PLACE/evil.py", "PLACE/evil.py:numbers", "evil:numbers", "PLACE/evil.toml"]
)
@pytest.mark.parametrize("command", ["worker --run RUN", "replay RUN"])
def test_the_scraper_of_a_run_is_no_path_and_no_module(
    swather: Swather, database: str, tmp_path: Path, name: str, command: str
):
    run = enqueued(swather, database)
    write(EVIL, "evil.py")
    write('[fields]\na = "b"\n', "evil.toml")
    name = name.replace("PLACE", str(tmp_path))
    execute(database, f"UPDATE runs SET scraper = '{name}'")
    said = swather(*command.replace("RUN", run).split(), "--db", database)
    assert not Path("owned").exists()
    assert (said.code, said.err.count("\n")) == (2, 1)
    if "/" in name:
        assert f"holds a run whose scraper {name!r} cannot be used" in said.err
        return
    assert f"there is no code for scraper {name!r}" in said.err
    assert f"(only for: {BUILT_IN}); pass it as SCRAPER: file.py, file.py:name, module" in said.err


@pytest.mark.parametrize("command", ["worker --run RUN", "replay RUN"])
def test_where_a_run_came_from_is_only_said(
    swather: Swather, database: str, tmp_path: Path, command: str
):
    run = enqueued(swather, database)
    write(EVIL, "evil.py")
    spec = f"{tmp_path}/evil.py:numbers"
    begun_with(database, run, spec)
    said = swather(*command.replace("RUN", run).split(), "--db", database)
    assert not Path("owned").exists()
    assert said.code == 2
    assert "no code for scraper 'numbers'" in said.err
    assert f"(it was started with {spec!r})" in said.err


@pytest.mark.slow
@pytest.mark.parametrize("isolation", ["", ', isolation="process"'])
def test_a_worker_and_its_children_run_the_code_they_were_given(
    swather: Swather, started: Swather, database: str, tmp_path: Path, isolation: str
):
    run = enqueued(swather, database)
    write(EVIL, "evil.py")
    write(NUMBERS.replace("in_flight=None", f"in_flight=None{isolation}"))
    begun_with(database, run, f"{tmp_path}/evil.py:numbers")
    said = started("worker", "scrapers.py", "--run", run, "--db", database, "--json")
    assert said.code == 0, said.err
    assert said.data["completed"] == 2
    assert not Path("owned").exists()


def test_why_does_not_put_words_of_the_database_into_a_command(swather: Swather, database: str):
    run = enqueued(swather, database)
    begun_with(database, run, "evil.py:numbers")
    said = done(swather, "why", run, "--db", database).out
    assert f"swather worker SCRAPER --run {run}" in said
    assert "(SCRAPER is the file or module of 'numbers'; the run was started with evil.py:" in said


def test_an_installed_scraper_needs_no_name(swather: Swather, database: str):
    url = "http://127.0.0.1:9/"
    run = done(swather, "enqueue", "pages", url, "--db", database, "--json").data["run"]
    said = done(swather, "why", run, "--db", database).out
    assert f"To start one:\n    swather worker --run {run} --db" in said


def test_an_installed_scraper_of_the_same_name_is_not_taken_for_another(
    swather: Swather, database: str
):
    write(NUMBERS.replace("numbers", "pages"))
    said = done(swather, "enqueue", "scrapers.py", "1", "--db", database, "--json")
    run = said.data["run"]
    refused = swather("worker", "--run", run, "--db", database)
    assert refused.code == 2
    assert "another scraper than swather.builtin.pages.scraper:pages" in refused.err
    assert f"it was started with '{Path('scrapers.py').resolve()}:pages'" in refused.err


@pytest.mark.slow
def test_a_worker_leaves_runs_alone_that_it_has_no_code_for(
    swather: Swather, started: Swather, database: str
):
    run = enqueued(swather, database)
    write(OTHERS, "others.py")
    other = done(swather, "enqueue", "others.py", "3", "--db", database, "--json").data["run"]
    said = started("worker", "others.py", "--db", database, "--json")
    assert said.code == 0, said.err
    assert said.data["completed"] == 1
    assert (
        said.err.count("this worker does not have the code for 'numbers' and skips its runs") == 1
    )
    assert f"it has others, {BUILT_IN}. To run it here, name it: swather worker FILE.py" in said.err
    assert done(swather, "status", run, "--db", database, "--json").data["state"] == "open"
    assert done(swather, "status", other, "--db", database, "--json").data["state"] == "finished"


def test_two_scrapers_of_one_name_are_refused(swather: Swather, database: str):
    enqueued(swather, database)
    write(NUMBERS, "more.py")
    said = swather("worker", "scrapers.py", "more.py", "--db", database)
    assert (said.code, said.err.count("\n")) == (2, 1)
    assert "two scrapers are named 'numbers', " in said.err
    assert "more.py:numbers; start a process for each, or rename one" in said.err


@pytest.mark.slow
def test_a_run_starts_its_workers_with_the_name_it_was_given(started: Swather):
    """Also where the function comes from elsewhere, so that it could not be found by itself."""
    folder = Path("inside")
    folder.mkdir()
    write(NUMBERS, "shared_numbers.py", folder)
    write("from shared_numbers import numbers\n", "only.py", folder)
    said = started("run", "inside/only.py", "1", "2", "--json")
    assert said.code == 0, said.err
    assert said.data["counts"]["completed"] == 2


@pytest.mark.slow
@pytest.mark.parametrize("name", ["accounts.csv", "accounts.jsonl"])
def test_a_database_does_not_name_the_file_that_a_replay_overwrites(
    started: Swather, database: str, tmp_path: Path, name: str
):
    write(PAGE)
    with FakeSite({"/robots.txt": "", "/": "<h1>start</h1>"}) as site:
        arguments = ("--store-pages", "--db", database, "--json")
        said = started("run", "scrapers.py", f"{site.url}/", *arguments)
    assert said.code == 0, said.err
    run, precious = said.data["run"], tmp_path / name
    precious.write_text("dear")
    store = stores.open(database)
    try:
        store.runs.record(run, {"output": str(precious), "tables": [str(precious)]})
    finally:
        store.close()
    said = started("replay", run, "scrapers.py", "--db", database)
    assert precious.read_text() == "dear"
    assert said.code == 2
    assert "name the file to write: -o FILE" in said.err
    said = started("replay", run, "scrapers.py", "-o", "page.jsonl", "--db", database)
    assert said.code == 0, said.err
    assert json.loads(Path("page.jsonl").read_text())["title"] == "start"
