"""`swather partitions`: who serves what as the store says, and plans that are checked."""

import tomllib
from contextlib import closing
from pathlib import Path

import pytest

from swather.store import open as open_store
from tests.cli.conftest import Swather, done
from tests.store.given import a_run, a_worker, claim, targets

EXAMPLE = Path(__file__).parents[2] / "examples" / "us-states"
HOSTILE = "x\x1b[2J\u202e"


@pytest.fixture
def database(tmp_path: Path) -> str:
    """Of a run with three partitions, of which one is served and asked back by another worker."""
    url = f"sqlite:///{tmp_path / 'states.db'}"
    with closing(open_store(url)) as store:
        run = a_run(store, scraper="states")
        for name, size in (("CA", 5), ("TX", 3), (HOSTILE, 1)):
            given = [f"{name}{number}" for number in range(size)]
            store.tasks.enqueue(run, targets(given, partition=name))
        anna = a_worker(store, name="anna")
        store.partitions.take(anna, run)
        claim(store, anna, 2)
        store.partitions.plan(run, {"CA": 3})
        store.partitions.take_planned(a_worker(store, number=3), run)
    return url


def test_partitions_shows_who_serves_what(swather: Swather, database: str):
    said = done(swather, "partitions", "states", "--db", database).out
    head, ca, tx, strange = said.splitlines()
    assert head.split() == ["partition", "planned", "served", "by", "waiting", "running"]
    assert ca.split() == ["CA", "worker", "3", "anna", "(leaving)", "3", "2"]
    assert tx.split() == ["TX", "-", "nobody", "3", "0"]
    assert strange.split()[-3:] == ["nobody", "1", "0"]
    assert "\x1b" not in said
    assert "\u202e" not in said


def test_partitions_are_the_same_for_programs(swather: Swather, database: str):
    (ca, *_) = done(swather, "partitions", "--db", database, "--json").data
    assert ca == {
        "partition": "CA", "planned": 3, "worker": "anna", "leaving": True, "waiting": 3,
        "running": 2,
    }  # fmt: skip


def test_a_run_without_partitions_says_so(swather: Swather, tmp_path: Path):
    url = f"sqlite:///{tmp_path / 'none.db'}"
    with closing(open_store(url)) as store:
        run = a_run(store, 1)
    assert f"run {run} has no partitions" in done(swather, "partitions", "--db", url).out


def test_the_example_is_valid(swather: Swather):
    said = swather(
        "partitions", "check", f"{EXAMPLE}/swather.toml", "--names", f"{EXAMPLE}/states.txt"
    )
    assert said.code == 0
    assert said.out.splitlines()[1:] == [
        "  - 10 workers",
        "  - 5 partitions per worker (worker 4 has 6)",
        "  - 51 partitions in all",
        "  - no duplicates",
        "  - none missing, none unknown",
    ]


def test_a_wrong_plan_is_told_mistake_by_mistake(swather: Swather, database: str, tmp_path: Path):
    plan = tmp_path / "plan.toml"
    plan.write_text('0 = ["CA", "NY"]\n1 = ["CA"]\n2 = []\n')
    said = swather("partitions", "check", str(plan), "--run", "states", "--db", database)
    assert said.code == 2
    assert said.out.splitlines()[:5] == [
        f"{plan}: the plan has 5 mistakes:",
        "  - worker 2 has no partitions",
        "  - CA is given to workers 0 and 1",
        "  - TX is given to no worker",
        "  - x\\x1b[2J\\u202e is given to no worker",
    ]
    as_json = swather("partitions", "check", str(plan), "--json")
    assert (as_json.code, as_json.data["valid"]) == (2, False)
    assert [each["kind"] for each in as_json.data["mistakes"]] == ["empty", "duplicate"]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (None, "plan.toml cannot be read: No such file"),
        ("0 = [", "plan.toml cannot be used: it is not TOML"),
        ('0 = "CA"', "worker 0 needs a list of partitions"),
    ],
)
def test_a_plan_that_cannot_be_read_is_an_error(
    swather: Swather, tmp_path: Path, text: str | None, said: str
):
    plan = tmp_path / "plan.toml"
    if text is not None:
        plan.write_text(text)
    told = swather("partitions", "check", str(plan))
    assert (told.code, told.out) == (2, "")
    assert said in told.err


def test_a_plan_is_made_by_what_is_left_and_applied(swather: Swather, database: str):
    made = done(swather, "partitions", "plan", "--workers", "2", "--apply", "--db", database).out
    assert tomllib.loads(made)["partitions"] == {"0": ["CA"], "1": ["TX", HOSTILE]}
    assert '0 = ["CA"]  # 5 left to do' in made
    with closing(open_store(database)) as store:
        (run,) = store.runs.find()
        assert store.partitions.planned(run.name) == {"CA": 0, "TX": 1, HOSTILE: 1}


@pytest.mark.parametrize(
    ("toml", "said"),
    [
        ('[partitions]\n0 = ["CA"]\n1 = ["CA"]', "CA is given to workers 0 and 1"),
        ('[partitions]\nfirst = ["CA"]', "'first' is not a worker number"),
        ('partitions = "nowhere.csv"', "nowhere.csv cannot be read"),
        ("partitions = 5", "partitions should be a table of lists by worker number"),
    ],
)
def test_a_worker_with_a_wrong_plan_does_not_start(
    swather: Swather, database: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, toml, said
):
    monkeypatch.chdir(tmp_path)
    Path("states.py").write_text(
        "from swather import scraper\n\n\n@scraper\ndef states(ctx, target): ...\n"
    )
    Path("swather.toml").write_text(toml)
    told = swather("worker", "states.py", "--number", "0", "--db", database)
    assert told.code == 2
    assert said in told.err


def test_only_own_needs_a_number(swather: Swather, database: str):
    told = swather("worker", "--only-own", "--db", database)
    assert (told.code, "--number K" in told.err) == (2, True)
