import shlex
import subprocess
from pathlib import Path

import pytest

from tests.cli.conftest import PROGRAM, Swather, done
from tests.cli.scrapers import NUMBERS, write


@pytest.mark.slow
def test_enqueue_answers_with_the_command_for_workers(swather: Swather, database: str):
    write(NUMBERS)
    said = swather("enqueue", "scrapers.py", "1", "2", "1", "--db", database, "--json")
    data = said.data
    assert (said.code, data["enqueued"], data["duplicates"]) == (0, 2, 1)
    assert data["run"].endswith("-numbers")
    assert data["worker_command"].startswith(
        f"swather worker {Path('scrapers.py').resolve()} --run "
    )
    again = swather("enqueue", "scrapers.py", "1", "2", "1", "--db", database, "--json").data
    assert (again["run"], again["enqueued"], again["duplicates"]) == (data["run"], 0, 3)


@pytest.mark.slow
def test_a_worker_started_by_that_command_finishes_the_run(
    swather: Swather, started: Swather, url: str
):
    write(NUMBERS)
    if url.startswith("postgresql:"):
        swather("db", "init", "--db", url)
    data = swather("enqueue", "scrapers.py", "1", "2", "--db", url, "--json").data
    said = started(*shlex.split(data["worker_command"])[1:], "--json")
    assert said.code == 0, said.err
    assert (said.data["reason"], said.data["completed"]) == ("finished", 2)
    assert "finished: 2 completed" in said.err
    shown = swather("status", data["run"], "--db", url, "--json").data
    assert (shown["state"], shown["counts"]["items"]) == ("finished", 2)


def test_a_worker_without_the_code_says_how_the_run_was_begun(swather: Swather):
    write(NUMBERS)
    run = swather("enqueue", "scrapers.py", "1", "--json").data["run"]
    said = swather("worker", "--run", run)
    assert said.code == 2
    assert "there is no code for scraper 'numbers'" in said.err
    assert f"it was started with '{Path('scrapers.py').resolve()}:numbers'" in said.err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("scrapers.py", "--run", "nope"), "there is no run named 'nope'"),
        (("others.py", "--run", "RUN"), "(only for: others, "),
        (("scrapers.py", "--concurrency", "0"), "Invalid value for '--concurrency'"),
        (("scrapers.py", "--batch-size", "-1"), "Invalid value for '--batch-size'"),
        (("scrapers.py", "--grace-seconds", "-1"), "grace_seconds should be greater"),
    ],
)
def test_bad_input_is_one_line(swather: Swather, arguments, message):
    write(NUMBERS)
    write(NUMBERS.replace("numbers", "others"), "others.py")
    run = swather("enqueue", "scrapers.py", "1", "--json").data["run"]
    said = swather("worker", *(word.replace("RUN", run) for word in arguments))
    assert said.code == 2
    assert message in said.err
    assert said.err.count("\n") == 1


def test_a_worker_without_the_code_for_what_waits_says_so_and_exits_with_2(
    swather: Swather, database: str
):
    write(NUMBERS)
    done(swather, "enqueue", "scrapers.py", "1", "2", "--db", database)
    said = swather("worker", "--db", database)
    assert said.code == 2
    assert "does not have the code for: 'numbers' (2 tasks). It has the code for " in said.err


@pytest.mark.slow
def test_a_worker_that_runs_forever_says_once_what_it_has_no_code_for(
    swather: Swather, database: str
):
    write(NUMBERS)
    write(NUMBERS.replace("numbers", "others"), "others.py")
    done(swather, "enqueue", "scrapers.py", "1", "--db", database)
    command = [PROGRAM, "worker", "others.py", "--forever", "--db", database]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as worker:
        try:
            assert worker.stderr is not None
            said = [next(line for line in worker.stderr if "does not have the code" in line)]
            # It looks at its runs again when there is something to do.
            done(swather, "enqueue", "scrapers.py", "2", "--new", "--db", database)
            run = done(swather, "enqueue", "others.py", "3", "--db", database, "--json").data["run"]
            asked = ("tasks", run, "--state", "completed", "--db", database, "--json")
            while not done(swather, *asked).data:
                assert worker.poll() is None
        finally:
            worker.terminate()
        said += worker.stderr
    assert [line.count("'numbers'") for line in said if "code for" in line] == [1]


@pytest.mark.slow
def test_a_worker_that_has_something_to_do_leaves_the_rest_to_others(
    swather: Swather, started: Swather, database: str
):
    write(NUMBERS)
    write(NUMBERS.replace("numbers", "others"), "others.py")
    for file in ("scrapers.py", "others.py"):
        done(swather, "enqueue", file, "1", "--db", database)
    said = started("worker", "scrapers.py", "--db", database, "--json")
    assert (said.code, said.data["completed"]) == (0, 1)
