"""`swather start`: here or by workers anywhere, as the execution mode says."""

import shlex
import tomllib
from contextlib import closing
from pathlib import Path

import pytest

from swather import store as stores
from swather.cli import enqueue, start
from swather.runs.run_lock import RunLock
from tests.cli.conftest import Swather, done
from tests.cli.scrapers import NUMBERS, write

REGISTRY = """
[scrapers.india]
path = "code/numbers.py"
execution_mode = "distributed"
targets = "towns.txt"
retries = 0

[scrapers.russia]
path = "code/numbers.py"
"""


@pytest.fixture(autouse=True)
def registry(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """One name whose targets workers do, and one that is executed here."""
    Path("code").mkdir()
    write(NUMBERS, "numbers.py", Path("code"))
    write(REGISTRY, "swather.toml")
    write("1\n2\n3\n", "towns.txt")
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))


@pytest.mark.slow
def test_a_distributed_scraper_is_queued_and_the_answer_starts_workers(
    swather: Swather, database: str
):
    said = done(swather, "start", "india", "--db", database, "--json").data
    assert (said["status"], said["enqueued"]) == ("queued", 3)
    assert said["run_id"].endswith("-india")
    code = f"india={Path('code/numbers.py').resolve()}"
    assert shlex.split(said["worker_command"])[:5] == [
        "swather", "worker", code, "--run", said["run_id"],
    ]  # fmt: skip
    again = done(swather, "start", "india", "4", "3", "--resume", "--db", database, "--json").data
    assert (again["run_id"], again["enqueued"]) == (said["run_id"], 1)
    told = done(swather, "start", "india", "--db", database).out
    assert "0 targets loaded, 3 already in the run\nTo start a worker" in told


@pytest.mark.slow
def test_a_single_scraper_is_executed_here(swather: Swather, database: str):
    said = done(swather, "start", "russia", "1", "2", "--db", database, "--json").data
    assert (said["status"], said["enqueued"], said["worker_command"]) == ("finished", 2, None)
    assert said["counts"]["completed"] == 2
    assert len(Path("russia.jsonl").read_text().splitlines()) == 2
    failed = swather("start", "russia", "7", "--db", database)
    assert (failed.code, "1 failed" in failed.out) == (1, True)


@pytest.mark.slow
def test_a_field_flips_the_mode(swather: Swather, database: str):
    write(REGISTRY.replace('"distributed"', '"single"'), "swather.toml")
    said = done(swather, "start", "india", "--db", database, "--json").data
    assert (said["status"], said["worker_command"]) == ("finished", None)
    write(NUMBERS.replace("retries=1", "execution_mode='distributed'"), "own.py")
    assert "To start a worker" in done(swather, "start", "own.py", "1", "--db", database).out


@pytest.mark.slow
def test_a_run_is_resumed_without_its_targets(swather: Swather, database: str):
    run = done(swather, "enqueue", "russia", "1", "2", "--db", database, "--json").data["run"]
    said = done(swather, "start", "russia", "--resume", "--db", database, "--json").data
    assert (said["run_id"], said["counts"]["completed"]) == (run, 2)
    named = done(swather, "start", "russia", "--resume", run, "--db", database, "--json").data
    assert (named["run_id"], named["enqueued"]) == (run, 0)


@pytest.mark.slow
def test_a_second_start_of_the_same_run_says_who_has_it(swather: Swather, database: str):
    run = done(swather, "enqueue", "russia", "1", "--db", database, "--json").data["run"]
    with closing(stores.open(database)) as store:
        lock = RunLock(store, store.runs.get(run))
        said = swather("start", "russia", "1", "--db", database)
        assert said.code == 2
        assert f"error: run {run} is executed by process " in said.err
        assert said.err.endswith("; --wait waits for it, --new starts another run\n")
        assert store.runs.counts(run).ready == 1
        assert done(swather, "start", "russia", "1", "--new", "--db", database).code == 0
        lock.release()
    assert "1 completed" in done(swather, "start", "russia", "1", "--wait", "--db", database).out


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (("russia",), "nothing to scrape: swather start russia URL…, or --targets FILE"),
        (("india", "--wait"), "--wait is only for execution_mode single; 'india' is distributed"),
        (("india", "-o", "x.csv"), "--output is only for execution_mode single"),
        (("india", "--resume", "--new"), "--resume and --new exclude each other"),
        (("nobody", "1"), "no scraper named 'nobody' is registered in"),
    ],
)
def test_what_cannot_be_started_is_told(swather: Swather, arguments, complaint):
    said = swather("start", *arguments)
    assert (said.code, said.out) == (2, "")
    assert complaint in said.err
    assert not Path("swather.db").exists()


@pytest.mark.slow
@pytest.mark.parametrize("database", ["postgres"], indirect=True)
def test_the_printed_command_works_in_an_empty_folder(
    swather: Swather, installed: Swather, database: str, tmp_path: Path
):
    """With the settings of the table, which is not there; another version of the code says so."""
    write("7\n", "towns.txt")
    write(NUMBERS.replace("Permanent(", "Transient(").replace("Permanent", "Transient").replace(
        ', reason="seven"', ""), "numbers.py", Path("code"))  # fmt: skip
    answer = done(swather, "start", "india", "--db", database, "--json").data
    write("# changed\n" + Path("code/numbers.py").read_text(), "numbers.py", Path("code"))
    empty = tmp_path / "empty"
    empty.mkdir()
    command = shlex.split(answer["worker_command"])[1:]
    said = installed(*command, "--json", cwd=empty)
    assert said.code == 0, said.err
    # The decorator says one retry, the table none.
    assert (said.data["failed"], said.data["retried"]) == (1, 0)
    assert "of scraper india; this worker has version" in said.err
    gone = installed(*command[:1], "india", *command[2:], cwd=empty)
    assert gone.code == 2
    assert f"no scraper named 'india' is registered in {empty} or installed" in gone.err
    assert "Traceback" not in gone.err + said.err


def test_a_run_that_is_kept_open_waits_for_more(swather: Swather, database: str):
    said = done(swather, "start", "india", "--keep-open", "--db", database, "--json").data
    with closing(stores.open(database)) as store:
        assert store.runs.get(said["run_id"]).keep_open
    closed = done(swather, "runs", "close", said["run_id"], "--db", database, "--json").data
    assert closed == {
        "run": said["run_id"],
        "was_kept_open": True,
        "state": "open",
        "unfinished": 3,
    }


def test_examples_spell_scrapers_as_they_are_registered():
    folder = Path(__file__).parents[2] / "examples" / "countries"
    names = tomllib.loads((folder / "swather.toml").read_text())["scrapers"]
    spelled = {name.casefold(): name for name in names}
    words = [word for text in (start.EXAMPLES, enqueue.EXAMPLES) for word in text.split()]
    found = [word for word in words if word.casefold() in spelled]
    assert found
    assert found == [spelled[word.casefold()] for word in found]
