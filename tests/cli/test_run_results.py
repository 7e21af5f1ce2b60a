"""A file that is there is written over only by the run whose results it holds."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from swather import store as stores
from swather.errors import InputError
from swather.runs.results import Results
from swather.store import Store
from tests.cli.conftest import Swather
from tests.cli.scrapers import NUMBERS, write
from tests.runs.given import a_run_with

TABLE = Path("numbers.csv")


@pytest.fixture
def store(database: str) -> Iterator[Store]:
    opened = stores.open(database)
    yield opened
    opened.close()


def written(store: Store, name: str, path: Path = TABLE) -> str | None:
    """Write the results of a run; what is said about those of another."""
    run = store.runs.get(name)
    results = Results(path)
    results.check(store)
    said = results.begin(store, run)
    results.finish(store, run)
    return said


@pytest.mark.parametrize("name", ["precious.csv", "precious.parquet"])
def test_a_table_that_no_run_has_written_is_refused(store: Store, name):
    path = Path(name)
    path.write_text("precious")
    with pytest.raises(InputError, match="move it, or name another file with -o"):
        written(store, a_run_with(store, [{"n": 1}]), path)
    assert path.read_text() == "precious"


def test_an_empty_table_is_in_nobodys_way(store: Store):
    TABLE.touch()
    assert written(store, a_run_with(store, [{"n": 1}])) is None
    assert TABLE.read_text() == "n\n1\n"


def test_a_run_writes_its_tables_anew_as_often_as_it_likes(store: Store):
    run = a_run_with(store, [{"n": 1}])
    for path in (TABLE, Path("other.csv"), TABLE):
        assert written(store, run, path) is None


def test_the_table_of_another_run_is_set_aside(store: Store):
    first, second = a_run_with(store, [{"n": 1}]), a_run_with(store, [{"n": 2}])
    aside = Path(f"numbers.{first}.csv")
    written(store, first)
    assert written(store, second) == f"the results of an earlier run are now in {aside}"
    assert (TABLE.read_text(), aside.read_text()) == ("n\n2\n", "n\n1\n")
    assert written(store, first, aside) is None


def test_a_table_is_not_set_aside_over_another_file(store: Store):
    first, second = a_run_with(store, [{"n": 1}]), a_run_with(store, [{"n": 2}])
    written(store, first)
    aside = Path(f"numbers.{first}.csv")
    aside.write_text("precious")
    with pytest.raises(InputError, match="already exists; name another file"):
        written(store, second)
    assert (TABLE.read_text(), aside.read_text()) == ("n\n1\n", "precious")


def test_a_replay_makes_room_as_a_run_does(store: Store):
    first, second = a_run_with(store, [{"n": 1}]), a_run_with(store, [{"n": 2}])
    written(store, first)
    for _ in range(2):
        results = Results(TABLE)
        results.check(store)
        results.rewrite(store, store.runs.get(second))
    assert TABLE.read_text() == "n\n2\n"
    assert Path(f"numbers.{first}.csv").read_text() == "n\n1\n"


@pytest.mark.parametrize("command", ["run scrapers.py 2", "replay numbers scrapers.py"])
def test_a_command_refuses_a_strangers_table_before_it_begins(swather: Swather, command):
    write(NUMBERS)
    swather("enqueue", "scrapers.py", "1")
    TABLE.write_text("precious")
    said = swather(*command.split(), "-o", str(TABLE))
    assert (said.code, said.err.count("\n")) == (2, 1)
    assert "numbers.csv exists and Swather did not write it" in said.err
    assert TABLE.read_text() == "precious"
    assert len(swather("runs", "ls", "--json").data) == 1


@pytest.mark.parametrize("name", ["targets.csv", "numbers.jsonl", "./link.csv"])
def test_results_never_go_to_a_file_of_targets(swather: Swather, name):
    write(NUMBERS)
    Path("link.csv").symlink_to("targets.csv")
    for file in ("targets.csv", "numbers.jsonl"):
        Path(file).write_text("1\n")
    files = ("--targets", "targets.csv", "--targets", "numbers.jsonl")
    said = swather("run", "scrapers.py", *files, "-o", name)
    assert said.code == 2
    assert f"targets are read from {Path(name)}; choose another file for the results" in said.err
    assert not Path("swather.db").exists()
