"""Failures retried and worked off in one command; runs found by any of their names."""

from pathlib import Path

import pytest

from tests.cli.conftest import Swather, done
from tests.cli.scrapers import ILL, NUMBERS, write


@pytest.mark.slow
def test_retry_with_run_works_the_failures_off(swather: Swather, database: str):
    write(ILL)
    first = swather("run", "scrapers.py", "a", "b", "--db", database)
    assert first.code == 1
    still = swather("retry", "ill", "scrapers.py", "--run", "--db", database)
    assert still.code == 1
    assert "2 targets to retry" in still.err
    Path("cured").touch()
    cured = done(swather, "retry", "ill", "scrapers.py", "--run", "--db", database)
    assert "2 tasks: 2 completed, 0 failed." in cured.out
    assert "Results: ill.jsonl" in cured.out
    assert len(Path("ill.jsonl").read_text().splitlines()) == 2
    none = done(swather, "retry", "ill", "scrapers.py", "--run", "--db", database)
    assert "with nothing left to scrape" in none.err


@pytest.mark.slow
def test_the_same_command_retries_failures_when_asked(swather: Swather):
    write(ILL)
    assert swather("run", "scrapers.py", "a", "b").code == 1
    Path("cured").touch()
    again = swather("run", "scrapers.py", "a", "b")
    assert (again.code, "--retry-failed retries the 2 failed targets" in again.err) == (1, True)
    cured = done(swather, "run", "scrapers.py", "a", "b", "--retry-failed", "--json").data
    assert (cured["counts"]["completed"], cured["exit_code"]) == (2, 0)


def test_what_only_a_run_needs_is_refused_without_one(swather: Swather):
    write(NUMBERS)
    done(swather, "enqueue", "scrapers.py", "1")
    said = swather("retry", "numbers", "scrapers.py")
    assert (said.code, "need --run" in said.err) == (2, True)


def test_retry_with_run_takes_no_code_from_the_database(swather: Swather):
    write(NUMBERS)
    done(swather, "enqueue", "scrapers.py", "1")
    said = swather("retry", "numbers", "--run")
    assert (said.code, "pass it as SCRAPER" in said.err) == (2, True)


@pytest.mark.slow
def test_a_run_has_many_names_in_every_command(swather: Swather):
    write(NUMBERS)
    run = done(swather, "enqueue", "scrapers.py", "1", "--json").data["run"]
    for name in (run, "numbers", run[:10], "num"):
        for command in (["status", name], ["why", name], ["tasks", name], ["retry", name]):
            assert run in done(swather, *command, "--json").out
        assert done(swather, "enqueue", "scrapers.py", "--resume", name, "1").out.startswith(
            f"Run {run}: 0 targets loaded, 1 already in the run"
        )


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("numbres", "there is no run named 'numbres'; did you mean 'numbers'?"),
        ("zzz", "there is no run named 'zzz'; `swather runs` lists them"),
        ("2", "2 runs begin with '2': "),
    ],
)
def test_a_name_that_fits_none_or_many_is_told(swather: Swather, name, said):
    write(NUMBERS)
    for target in ("1", "2"):
        done(swather, "enqueue", "scrapers.py", target)
    for command in (["status", name], ["retry", name], ["run", "scrapers.py", "--resume", name]):
        answer = swather(*command)
        assert (answer.code, said in answer.err) == (2, True), answer.err
