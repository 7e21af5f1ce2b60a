"""Before a fleet starts: what is shown, what is asked, and what is refused."""

from contextlib import closing
from pathlib import Path

import pytest

from swather import store as stores
from tests.cli.conftest import Swather, done
from tests.cli.scrapers import write
from tests.store.given import targets

STATES = """
from swather import scraper

@scraper(partition=lambda target: target.split("-")[0], lane=lambda target: "maps", rate="2/s")
async def states(ctx, target):
    return {"target": target}
"""
PLAN = """
workers = 3
[partitions]
0 = ["CA"]
1 = ["TX", "NY"]
2 = ["MT"]
"""
SIZES = {"CA": 60, "TX": 30, "NY": 20, "MT": 10}


@pytest.fixture(autouse=True)
def a_run(swather: Swather, an_empty_folder: None) -> str:
    write(STATES, "states.py")
    Path("swather.toml").write_text(PLAN)
    names = [f"{name}-{number}" for name, count in SIZES.items() for number in range(count)]
    Path("targets.txt").write_text("\n".join(names))
    said = done(swather, "enqueue", "states.py", "--targets", "targets.txt", "--json")
    return said.data["run"]


def test_who_would_do_what(swather: Swather, a_run: str):
    said = done(swather, "fleet", "check", "states.py").err
    assert f"Run {a_run}: 0 of 120 done (0.0%), 120 pending" in said
    assert "Estimate with 3 workers: at least ~1m, limited by lane maps at 2/s" in said
    rows = {tuple(line.split()) for line in said.splitlines()}
    assert {("0", "CA", "60"), ("1", "TX,", "NY", "50"), ("2", "MT", "10")} <= rows


def test_programs_get_the_same(swather: Swather, a_run: str):
    data = done(swather, "fleet", "check", "states.py", "--test", "--json").data
    assert data["workers"] == [
        {"worker_number": 0, "partitions": ["CA"], "pending": 60, "proxies": None},
        {"worker_number": 1, "partitions": ["TX", "NY"], "pending": 50, "proxies": None},
    ]
    (run,) = data["runs"]
    assert (run["run"], run["pending"]) == (a_run, 120)
    estimate = data["estimate"]
    assert (estimate["limited_by"], estimate["name"], estimate["is_least"]) == (
        "rate",
        "maps",
        True,
    )
    # Of the 120 targets on the lane, the test scrapes 110.
    assert estimate["seconds"] == pytest.approx(54.5)
    assert {check["health"] for check in data["checks"]} == {"ok"}


@pytest.mark.parametrize("command", [("check",), ("up", "--yes")])
def test_a_problem_starts_nothing(swather: Swather, command: tuple[str, ...]):
    Path("swather.toml").write_text("")
    said = swather("fleet", *command, "states.py", "--test")
    assert said.code == 2
    assert "none that waits is planned for them" in said.err
    assert ("nothing was started: partitions: --test" in said.err) == (command[0] == "up")


def test_a_partition_cannot_write_to_the_terminal(swather: Swather, a_run: str):
    with closing(stores.open()) as store:
        store.tasks.enqueue(a_run, targets(["one"], partition="\x1b[2J"))
    said = done(swather, "fleet", "check", "states.py")
    assert "\x1b" not in said.err
    assert "[2J is given to no worker" in said.err


def test_nothing_starts_unasked(swather: Swather):
    said = swather("fleet", "up", "states.py")
    assert (said.code, "Start 3 workers? Not interactive: pass --yes" in said.err) == (2, True)
    assert "limited by lane maps at 2/s" in said.err
    with closing(stores.open()) as store:
        assert store.supervisors.find() == []
