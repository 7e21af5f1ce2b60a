import json
from pathlib import Path

import apsw
import pytest

from swather import store as stores
from swather.model.lease import ClaimRequest
from swather.model.task import State
from swather.runs.pragma_reasons import reason_for
from swather.store import migrate
from tests.cli.conftest import Swather
from tests.store.given import a_run, a_worker, claim, completed, finish

MIGRATIONS = [migration.name for migration in migrate.migrations_in("swather.store.sqlite")]


@pytest.fixture
def busy(database: str) -> str:
    """A database with a run of five tasks: two completed, one leased, two ready."""
    store = stores.open(database)
    a_run(store, 5, name="books-1")
    worker = a_worker(store)
    finish(store, *(completed(lease, "item") for lease in claim(store, worker, 2)))
    store.queue.claim(ClaimRequest(worker_id=worker, count=1))
    store.close()
    return database


@pytest.mark.slow
def test_init_makes_the_tables_and_says_so(swather: Swather, url: str):
    said = swather("db", "init", "--db", url)
    assert (said.code, said.err) == (0, "")
    assert "is ready (applied 0001_queue" in said.out
    assert swather("db", "check", "--db", url).code == 0


def test_init_can_be_repeated(swather: Swather, busy: str):
    said = swather("db", "init", "--db", busy)
    assert said.code == 0
    assert "is already up to date" in said.out
    assert swather("db", "stats", "--db", busy, "--json").data["tasks"]["completed"] == 2


def test_init_makes_a_file_in_the_current_folder(swather: Swather, tmp_path: Path):
    assert swather("db", "init", "--json").data == {
        "database": "swather.db",
        "applied": MIGRATIONS,
    }
    assert (tmp_path / "swather.db").exists()


def test_the_database_comes_from_the_environment(
    swather: Swather, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv("SWATHER_DB", "sqlite:///other.db")
    swather("db", "init")
    assert (tmp_path / "other.db").exists()
    assert swather("db", "stats", "--json").data["database"] == "other.db"
    assert swather("db", "stats", "--db", "sqlite:///third.db").code == 3


def test_migrate_has_nothing_to_do_on_new_tables(swather: Swather, database: str):
    said = swather("db", "migrate", "--db", database)
    assert said.code == 0
    assert "is already up to date" in said.out
    data = swather("db", "migrate", "--db", database, "--json").data
    assert (data["applied"], data["backups"]) == ([], [])


def test_migrate_names_what_it_applied(swather: Swather, tmp_path: Path):
    (tmp_path / "swather.db").touch()
    applied = "".join(f"applied {name}\n" for name in MIGRATIONS)
    assert swather("db", "migrate").out == applied


def test_migrate_says_where_the_old_file_is_kept(
    swather: Swather, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    swather("db", "init")

    def prepare(_: str) -> list[str]:
        (tmp_path / "swather.db.v1-20260215_120000.bak").touch()
        return ["0002_next"]

    monkeypatch.setattr("swather.store.factory.prepare", prepare)
    (tmp_path / "swather.db.v0-20250215_120000.bak").touch()
    assert swather("db", "migrate").out == (
        "applied 0002_next\nthe previous database is kept in swather.db.v1-20260215_120000.bak\n"
    )


def test_stats_count_tasks_by_state(swather: Swather, busy: str):
    data = swather("db", "stats", "--db", busy, "--json").data
    assert data["tasks"] == dict.fromkeys(State, 0) | {"ready": 2, "leased": 1, "completed": 2}
    assert (data["runs"], data["open_runs"], data["live_workers"]) == (1, 1, 1)
    assert data["recent_runs"] == [
        {
            "run": "books-1",
            "state": "open",
            "waiting": 2,
            "leased": 1,
            "completed": 2,
            "failed": 0,
            "cancelled": 0,
            "items": 2,
        }
    ]


def test_stats_for_people_have_the_same_numbers(swather: Swather, busy: str):
    said = swather("db", "stats", "--db", busy)
    lines = [line.split() for line in said.out.splitlines()]
    assert (said.code, said.err) == (0, "")
    assert ["ready", "2"] in lines
    assert ["completed", "2"] in lines
    assert ["books-1", "open", "2", "1", "2", "0", "0", "2"] in lines
    assert "\033" not in said.out


def test_every_pragma_has_its_reason(swather: Swather, database: str):
    data = swather("db", "pragmas", "--db", database, "--json").data
    assert data
    assert [name for name, pragma in data.items() if not pragma["why"]] == []
    said = swather("db", "pragmas", "--db", database)
    assert said.code == 0
    assert all(reason_for(name) in said.out for name in data)


def test_backup_copies_everything(swather: Swather, busy: str, tmp_path: Path):
    said = swather("db", "backup", "copy", "--db", busy)
    assert (said.code, said.err) == (0, "")
    assert " to copy: " in said.out
    assert (tmp_path / "copy").stat().st_size > 1_000
    if busy.startswith("sqlite"):
        copy = swather("db", "stats", "--db", "sqlite:///copy", "--json").data
        assert copy["tasks"] == swather("db", "stats", "--db", busy, "--json").data["tasks"]


def test_backup_tells_its_size(swather: Swather, busy: str, tmp_path: Path):
    data = swather("db", "backup", "copy", "--db", busy, "--json").data
    assert data["backup"] == "copy"
    assert data["bytes"] == (tmp_path / "copy").stat().st_size


def test_backup_overwrites_nothing(swather: Swather, busy: str, tmp_path: Path):
    (tmp_path / "copy").write_text("precious")
    said = swather("db", "backup", "copy", "--db", busy)
    assert (said.code, said.out) == (2, "")
    assert "copy already exists" in said.err
    assert (tmp_path / "copy").read_text() == "precious"


@pytest.mark.parametrize("command", ["wal", "vacuum"])
def test_upkeep_answers_people_and_programs(swather: Swather, busy: str, command):
    said = swather("db", command, "--db", busy)
    assert said.code == 0
    assert said.out.strip()
    assert "database" in swather("db", command, "--db", busy, "--json").data


def test_vacuum_tells_the_size_before_and_after(swather: Swather, busy: str):
    data = swather("db", "vacuum", "--db", busy, "--json").data
    assert data["bytes_before"] > 0
    assert data["bytes_after"] > 0


def test_check_finds_all_well(swather: Swather, busy: str):
    said = swather("db", "check", "--db", busy)
    assert said.code == 0
    assert said.out.endswith(": no problems found\n")
    data = swather("db", "check", "--db", busy, "--json").data
    assert (data["ok"], data["wrong"]) == (True, [])


def test_check_lists_what_is_wrong_and_fails(swather: Swather, tmp_path: Path):
    swather("db", "init")
    store = stores.open("sqlite:///swather.db")
    a_run(store, 5)
    store.close()
    database = apsw.Connection(str(tmp_path / "swather.db"))
    database.execute("DELETE FROM ready WHERE task_id < 3")
    database.close()
    said = swather("db", "check")
    assert said.code == 1
    assert said.out.strip()
    assert "no problems" not in said.out
    said = swather("db", "check", "--json")
    assert said.code == 1
    assert said.data["ok"] is False
    assert said.data["wrong"]


@pytest.mark.slow
def test_the_installed_program_does_the_same(installed: Swather, busy: str):
    data = json.loads(installed("db", "stats", "--json", "--db", busy).out)
    assert data["tasks"]["completed"] == 2
    assert installed("db", "check", "--db", busy).code == 0
