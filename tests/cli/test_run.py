import json
import os
import re
import shlex
import signal
import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from swather import store as stores
from swather.runs import machine_checks
from swather.runs.results_file import ResultsFile
from tests.cli.conftest import PROGRAM, Swather
from tests.cli.scrapers import ILL, NUMBERS, WAITING, write

pytestmark = pytest.mark.slow
PATIENCE_SECONDS = 30


def items_in(path: str) -> list[dict[str, int]]:
    return [json.loads(line) for line in Path(path).read_text().splitlines()]


def wait_until(true: Callable[[], object]) -> None:
    until = time.monotonic() + PATIENCE_SECONDS
    while not true():
        assert time.monotonic() < until, "it did not come true"
        time.sleep(0.01)


@pytest.fixture
def begun() -> Iterator[Callable[..., subprocess.Popen[str]]]:
    """`swather run …` in a group of its own, so that all of it can be killed."""
    processes: list[subprocess.Popen[str]] = []

    def begin(*arguments: str) -> subprocess.Popen[str]:
        process = subprocess.Popen(
            [PROGRAM, *arguments],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            process_group=0,
        )
        processes.append(process)
        return process

    yield begin
    for process in processes:
        process.kill()
        process.communicate()


def test_every_target_is_scraped_once_and_written(swather: Swather, database: str):
    write(NUMBERS)
    Path("numbers.txt").write_text("".join(f"{number}\n" for number in range(100)))
    said = swather(
        "run", "scrapers.py", "--targets", "numbers.txt", "--workers", "2", "--db", database
    )
    assert said.code == 1, said.err
    wanted = [number for number in range(100) if number % 10 != 7]
    assert sorted(item["number"] for item in items_in("numbers.jsonl")) == wanted
    assert "100 tasks: 90 completed, 10 failed." in said.out
    assert "90 items" in said.out
    assert re.search(r"10 failed \(permanent\): seven at scrapers.py:\d+ in numbers\n", said.out)
    assert "Results: numbers.jsonl" in said.out


def test_arguments_are_targets_and_the_summary_is_json(swather: Swather):
    write(NUMBERS)
    said = swather("run", "scrapers.py", "1", "2", "--json")
    assert said.code == 0, said.err
    assert said.data["state"] == "finished"
    assert said.data["counts"]["completed"] == 2
    assert said.data["results"] == {"path": "numbers.jsonl", "items": 2, "missing": 0}
    assert said.data["exit_code"] == 0


def test_the_same_command_again_has_nothing_to_do(swather: Swather):
    write(NUMBERS)
    first = swather("run", "scrapers.py", "1", "2", "--json")
    again = swather("run", "scrapers.py", "1", "2", "--json")
    assert again.code == 0
    assert again.data["run"] == first.data["run"]
    assert "is finished, with nothing left to scrape; --new starts another" in again.err
    assert len(items_in("numbers.jsonl")) == 2


def test_new_begins_another_and_keeps_the_earlier_results(swather: Swather):
    write(NUMBERS)
    first = swather("run", "scrapers.py", "1", "--json").data["run"]
    second = swather("run", "scrapers.py", "1", "--new", "--json").data["run"]
    assert first != second
    assert (
        items_in(f"numbers.{first}.jsonl")
        == items_in("numbers.jsonl")
        == [{"number": 1, "double": 2}]
    )


def test_a_file_that_has_grown_is_gone_on_with(swather: Swather):
    write(NUMBERS)
    Path("numbers.txt").write_text("1\n2\n")
    first = swather("run", "scrapers.py", "--targets", "numbers.txt", "--json")
    Path("numbers.txt").write_text("1\n2\n3\n")
    again = swather("run", "scrapers.py", "--targets", "numbers.txt", "--json")
    assert again.data["run"] == first.data["run"]
    assert [item["number"] for item in items_in("numbers.jsonl")] in ([1, 2, 3], [2, 1, 3])


def test_the_command_that_the_summary_names_retries_what_failed(swather: Swather):
    write(ILL)
    said = swather("run", "scrapers.py", "a", "b")
    assert said.code == 1
    named = next(line for line in said.out.splitlines() if line.startswith("    swather retry "))
    retried = swather(*shlex.split(named)[1:])
    assert "2 tasks ready again" in retried.out
    Path("cured").touch()
    said = swather("run", "scrapers.py", "a", "b")
    assert said.code == 0, said.out
    assert sorted(item["target"] for item in items_in("ill.jsonl")) == ["a", "b"]


@pytest.mark.parametrize(("most", "code"), [("50%", 0), ("1", 0), ("49%", 1), ("0", 1)])
def test_so_many_may_fail(swather: Swather, most, code):
    write(NUMBERS)
    assert swather("run", "scrapers.py", "6", "7", "--max-failed", most).code == code


def test_a_disk_that_is_full_at_the_end_does_not_hide_the_summary(
    swather: Swather, monkeypatch: pytest.MonkeyPatch
):
    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    write(NUMBERS)
    with monkeypatch.context() as patched:
        patched.setattr(ResultsFile, "commit", full)
        patched.setattr(machine_checks, "LITTLE_SPACE_BYTES", 1 << 62)
        said = swather("run", "scrapers.py", "1")
    assert said.code == 1
    # What is wrong before it starts is said, and does not keep it from starting.
    assert re.search(r"warning: disk: .* free in ", said.err)
    assert "1 task: 1 completed, 0 failed." in said.out
    assert "Results: incomplete, run the same command again: " in said.out
    assert "numbers.jsonl: No space left on device" in said.out
    said = swather("run", "scrapers.py", "1")
    assert (said.code, "warning: " in said.err) == (0, False)
    assert items_in("numbers.jsonl") == [{"number": 1, "double": 2}]


def test_a_table_is_written_at_the_end(swather: Swather):
    write(NUMBERS)
    said = swather("run", "scrapers.py", "1", "-o", "numbers.csv")
    assert said.code == 0, said.err
    assert Path("numbers.csv").read_text() == "number,double\n1,2\n"
    assert not Path("numbers.jsonl").exists()


def test_targets_come_from_a_pipe(started: Swather):
    write(NUMBERS)
    said = started("run", "scrapers.py", "--targets", "-", "--json", input="1\n2\n\n3\n")
    assert said.code == 0, said.err
    assert said.data["counts"]["completed"] == 3


def test_bad_lines_are_left_out_when_asked_for(swather: Swather):
    write(NUMBERS)
    Path("numbers.jsonl.in").write_text("x")
    Path("targets.jsonl").write_text('1\nnope\n"2"\n')
    said = swather("run", "scrapers.py", "--targets", "targets.jsonl", "--skip-bad", "--json")
    assert said.code == 0, said.err
    assert said.data["counts"]["completed"] == 2
    assert "Skipped 1 bad line:" in said.err


def test_only_so_many_targets_are_loaded(swather: Swather):
    write(NUMBERS)
    said = swather("run", "scrapers.py", "1", "2", "3", "--limit", "2", "--json")
    assert said.data["counts"]["completed"] == 2


def test_a_run_is_resumed_by_its_name_without_targets(swather: Swather):
    write(NUMBERS)
    run = swather("enqueue", "scrapers.py", "1", "2", "--json").data["run"]
    said = swather("run", "scrapers.py", "--resume", run, "--json")
    assert (said.code, said.data["run"]) == (0, run)
    assert said.data["counts"]["completed"] == 2


def test_an_interrupt_gives_everything_back_and_the_same_command_goes_on(begun, url: str):
    write(WAITING)
    stores.prepare(url)
    command = ("run", "scrapers.py", "a", "b", "c", "--concurrency", "2", "--db", url)
    process = begun(*command)
    wait_until(lambda: Path("begun").exists() and len(Path("begun").read_text().split()) == 2)
    process.send_signal(signal.SIGINT)
    wait_until(lambda: "again to stop now" in process.stderr.readline())
    process.send_signal(signal.SIGINT)
    out, _ = process.communicate(timeout=PATIENCE_SECONDS)
    assert process.returncode == 130
    assert "3 tasks: 0 completed, 0 failed, 3 unfinished." in out
    assert "Run the same command again to resume." in out
    store = stores.open(url)
    run = store.runs.find()[0].name
    assert (store.runs.counts(run).leased, store.workers.find()) == (0, [])
    store.close()
    Path("let-go").touch()
    out, err = begun(*command).communicate(timeout=PATIENCE_SECONDS)
    assert f"Resuming run {run}" in err
    assert "3 tasks: 3 completed, 0 failed." in out
    assert sorted(item["target"] for item in items_in("waiting.jsonl")) == ["a", "b", "c"]


def test_an_interrupt_that_leaves_nothing_undone_is_no_interruption(begun):
    write(WAITING)
    process = begun("run", "scrapers.py", "a")
    wait_until(Path("begun").exists)
    process.send_signal(signal.SIGINT)
    wait_until(lambda: "again to stop now" in process.stderr.readline())
    Path("let-go").touch()
    out, _ = process.communicate(timeout=PATIENCE_SECONDS)
    assert "1 task: 1 completed, 0 failed." in out
    assert process.returncode == 0


def test_after_a_kill_of_all_of_it_the_same_command_goes_on(begun):
    write(WAITING)
    command = ("run", "scrapers.py", "a", "b", "c")
    process = begun(*command)
    wait_until(lambda: Path("begun").exists() and len(Path("begun").read_text().split()) == 3)
    os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    Path("let-go").touch()
    out, _ = begun(*command).communicate(timeout=PATIENCE_SECONDS)
    assert "3 tasks: 3 completed, 0 failed." in out
    assert sorted(item["target"] for item in items_in("waiting.jsonl")) == ["a", "b", "c"]


def test_a_run_stops_after_its_time(swather: Swather):
    write(WAITING)
    said = swather(
        "run", "scrapers.py", "a", "--max-time", "1.5s", "--grace-seconds", "0", "--json"
    )
    assert said.code == 130
    assert said.data["interrupted"] is True
    assert said.data["counts"]["ready"] == 1
    assert "Stopping after 1.5s (--max-time)" in said.err


def test_a_run_that_was_asked_to_be_new_goes_on_without_that(swather: Swather):
    write(WAITING)
    command = ("run", "scrapers.py", "a", "--max-time", "1s", "--grace-seconds", "0")
    said = swather(*command, "--new")
    assert said.code == 130
    assert "Run the same command without --new again to resume." in said.out
    swather(*command)
    assert len(swather("runs", "ls", "--json").data) == 1


def test_what_a_worker_says_is_passed_on_and_kept(swather: Swather):
    write(
        "from swather import scraper\n\n\n@scraper\nasync def talks(ctx, target):\n"
        "    print('printed', target)\n    ctx.log.info('logged %s', target)\n"
    )
    said = swather("run", "scrapers.py", "a", "--json")
    assert "printed a" in said.err
    assert "INFO logged a [task 1]" in said.err
    log = (Path(said.data["logs"]) / "worker-0.log").read_text()
    assert "printed a" in log


def test_settings_of_the_file_hold_for_its_workers(swather: Swather):
    write(
        "from swather import scraper\n\n\n@scraper(timeout=30)\nasync def hangs(ctx, target):\n"
        "    await ctx.sleep(3600)\n"
    )
    Path("swather.toml").write_text('timeout = 0.2\nretries = 0\ndb = "sqlite:///other.db"\n')
    said = swather("run", "scrapers.py", "a", "--json")
    assert said.code == 1
    assert said.data["groups"][0]["title"] == "Timeout after 0.2s"
    assert Path("other.db").exists()


def test_parameters_reach_the_scraper(swather: Swather):
    write(
        "from dataclasses import dataclass\nfrom swather import scraper\n\n\n@dataclass\n"
        "class Params:\n    pages: int\n    country: str = 'nl'\n\n\n@scraper(params=Params)\n"
        "async def shops(ctx, target):\n"
        "    return {'pages': ctx.params.pages, 'country': ctx.params.country}\n"
    )
    Path("swather.toml").write_text("[params.shops]\npages = 3\ncountry = 'de'\n")
    said = swather("run", "scrapers.py", "a", "-p", "country=fr")
    assert said.code == 0, said.err
    assert items_in("shops.jsonl") == [{"pages": 3, "country": "fr"}]
