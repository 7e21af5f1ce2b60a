"""Scrapers whose tables in swather.toml name a database of their own."""

import shlex
import shutil
from collections.abc import Iterator
from contextlib import ExitStack, closing
from pathlib import Path
from typing import NamedTuple

import pytest

import swather as swather_package
from swather import store as stores
from swather.fleet.duties import Duties
from swather.scraping.registered import registered
from tests.cli.conftest import Swather, done
from tests.cli.scrapers import NUMBERS, write

REGISTRY = """
db = "{general}"

[scrapers.plain]
path = "numbers.py"
execution_mode = "distributed"
schedule = "0 2 * * *"

[scrapers.apart]
path = "numbers.py"
db = "{own}"
execution_mode = "distributed"
schedule = "0 3 * * *"
"""


class Databases(NamedTuple):
    """That of all scrapers, and that of the scraper `apart`."""

    general: str
    own: str

    def runs(self) -> tuple[list[str], list[str]]:
        """The scrapers that have runs in each."""
        found = []
        for url in self:
            with closing(stores.open(url)) as store:
                found.append([run.scraper for run in store.runs.find()])
        return found[0], found[1]


@pytest.fixture(params=["sqlite", "postgres"])
def two(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Databases]:
    with ExitStack() as stack:
        if request.param == "sqlite":
            empty = request.getfixturevalue("template_file")
            files = [shutil.copyfile(empty, tmp_path / f"{name}.db") for name in ("all", "own")]
            found = Databases(*(f"sqlite:///{file}" for file in files))
        else:
            server = request.getfixturevalue("postgres_server")
            template = request.getfixturevalue("template")
            reused = request.getfixturevalue("reused")
            stack.callback(reused.empty)
            found = Databases(reused.url, stack.enter_context(server.fresh_database(template)))
        write(NUMBERS, "numbers.py")
        write(REGISTRY.format(**found._asdict()), "swather.toml")
        yield found


@pytest.mark.slow
def test_one_file_spreads_runs_over_databases(swather: Swather, started: Swather, two: Databases):
    for scraper in ("plain", "apart"):
        done(swather, "start", scraper, "1", "2")
    assert two.runs() == (["plain"], ["apart"])
    assert swather("enqueue", "apart=numbers.py", "3", "--resume", "apart").code == 0
    assert swather_package.start("apart", ["4"], resume=True).enqueued == 1
    # Whoever names the scraper, or a run of it, looks there.
    run = done(swather, "status", "apart", "--json").data["run"]
    assert run.endswith("-apart")
    assert done(swather, "status", run, "--json").data["counts"]["ready"] == 4
    assert done(swather, "why", run, "--json").data["run"] == run
    assert done(swather, "why", "apart", "--json").data["run"] == run
    assert swather_package.stats("apart").pending == 4
    assert swather_package.stats("plain").pending == 2
    assert done(swather, "pause", run, "--json").data["paused"] == [{"run": run}]
    done(swather, "unpause", run)
    assert done(started, "worker", "apart", "--json").data["completed"] == 4
    assert swather_package.stats("apart").completed == 4
    assert swather_package.stats("plain").completed == 0
    assert "-plain" in done(swather, "runs").out


@pytest.mark.slow
def test_the_worker_command_of_a_run_means_its_database(swather: Swather, two: Databases):
    said = done(swather, "start", "apart", "1", "--json").data
    words = shlex.split(said["worker_command"])
    assert words[-2] == "--db"
    with closing(stores.open(words[-1])) as store:
        assert [run.name for run in store.runs.find()] == [said["run_id"]]
    assert two.runs()[0] == []


@pytest.mark.slow
@pytest.mark.parametrize("how", ["option", "environment", ".env"])
def test_what_goes_before_the_file_goes_before_its_tables(
    swather: Swather, two: Databases, monkeypatch: pytest.MonkeyPatch, how: str
):
    if how == "environment":
        monkeypatch.setenv("SWATHER_DB", two.general)
    if how == ".env":
        write(f"SWATHER_DB={two.general}\n", ".env")
    done(swather, "start", "apart", "1", *(["--db", two.general] if how == "option" else []))
    assert two.runs() == (["apart"], [])


@pytest.mark.slow
def test_a_worker_serves_one_database_and_says_which(
    swather: Swather, started: Swather, two: Databases
):
    done(swather, "start", "plain", "1")
    refused = swather("worker", "plain", "apart")
    assert refused.code == 2
    assert "one command works on one database, and swather.toml has plain in" in refused.err
    served = done(started, "worker", "plain", "apart", "--db", two.general, "--json")
    assert served.data["completed"] == 1
    assert "by swather.toml the runs of apart are elsewhere" in served.err


@pytest.mark.slow
def test_a_schedule_is_fired_in_the_database_of_its_scraper_only(two: Databases):
    for url in two:
        with Duties(url, lambda _: None), closing(stores.open(url)) as store:
            expected = ["plain" if url == two.general else "apart"]
            while [each.name for each in store.schedules.find()] != expected:
                pass


def test_an_address_in_a_table_is_masked_and_checked(swather: Swather):
    write(NUMBERS, "numbers.py")
    secret = "postgresql://me:hidden-word@localhost:1/queue"  # noqa: S105 - of nobody
    write(REGISTRY.format(general="all.db", own=secret), "swather.toml")
    shown = done(swather, "scrapers", "apart", "--json").data["db"]
    assert shown == "postgresql://***@localhost:1/queue"
    said = [
        swather("settings", "ls", "--scraper", "apart"),
        swather("start", "apart", "1"),
        swather("worker", "apart", "plain"),
        swather("status", "apart"),
    ]
    assert [each.code for each in said] == [3, 3, 2, 3]
    assert "hidden-word" not in "".join(
        [repr(registered()), *(each.out + each.err for each in said)]
    )
    for wrong in ("5", '"mysql://me:hidden-word@localhost/queue"'):
        write(f"[scrapers.apart]\npath = 'numbers.py'\ndb = {wrong}\n", "swather.toml")
        refused = swather("start", "apart", "1")
        assert (refused.code, "hidden-word" in refused.err) == (2, False)
        assert "swather.toml: [scrapers.apart] db" in refused.err
