"""swather db restore and vacuum, as people and programs use them."""

import json
import subprocess
from contextlib import closing
from pathlib import Path

import pytest

from swather import store as stores
from tests.cli.conftest import PROGRAM, Swather, done
from tests.store.given import a_run, a_worker, claim, completed, finish


@pytest.fixture
def backed_up(swather: Swather, database: str) -> str:
    """A database with a run, and its backup in `copy`."""
    with closing(stores.open(database)) as store:
        a_run(store, 5, name="books-1")
        worker = a_worker(store)
        finish(store, *(completed(lease, "item") for lease in claim(store, worker, 2)))
        store.workers.retire(worker)
    done(swather, "db", "backup", "copy", "--db", database)
    return database


@pytest.mark.slow
def test_a_database_with_runs_is_replaced_only_with_yes(swather: Swather, backed_up: str):
    with closing(stores.open(backed_up)) as store:
        a_run(store, 3, name="later")
    said = swather("db", "restore", "copy", "--db", backed_up)
    assert (said.code, said.out) == (2, "")
    assert said.err.startswith("error: Replace 2 runs in ")
    assert said.err.endswith("? Not interactive: pass --yes\n")
    assert len(done(swather, "runs", "--json", "--db", backed_up).data) == 2
    said = done(swather, "db", "restore", "copy", "--yes", "--db", backed_up)
    assert " from copy: 1 run with 5 tasks in " in said.out
    assert [row["run"] for row in done(swather, "runs", "--json", "--db", backed_up).data] == [
        "books-1"
    ]
    data = done(swather, "db", "restore", "copy", "--yes", "--json", "--db", backed_up).data
    assert (data["runs"], data["tasks"], data["applied"], data["damaged"]) == (1, 5, [], None)
    assert done(swather, "db", "check", "--db", backed_up)


@pytest.mark.slow
def test_a_database_without_runs_needs_no_yes(swather: Swather, backed_up: str):
    with closing(stores.open(backed_up)) as store:
        store.runs.cancel("books-1")
        store.runs.remove("books-1")
    assert "1 run with 5 tasks" in done(swather, "db", "restore", "copy", "--db", backed_up).out


@pytest.mark.slow
def test_nothing_is_restored_while_a_worker_is_alive(swather: Swather, backed_up: str):
    with closing(stores.open(backed_up)) as store:
        worker = a_worker(store)
        said = swather("db", "restore", "copy", "--yes", "--db", backed_up)
        assert (said.code, said.out) == (2, "")
        assert "use this database; stop " in said.err
        store.workers.retire(worker)
    done(swather, "db", "restore", "copy", "--yes", "--db", backed_up)


def test_a_damaged_file_is_set_aside(swather: Swather, tmp_path: Path):
    with closing(stores.open("sqlite:///swather.db")) as store:
        a_run(store, 5)
    done(swather, "db", "backup", "copy")
    Path("swather.db").write_bytes(b"garbage" * 1_000)
    said = swather("db", "restore", "copy")
    assert (said.code, "Replace the damaged file in swather.db" in said.err) == (2, True)
    said = done(swather, "db", "restore", "copy", "--yes")
    (aside,) = tmp_path.glob("swather.db.damaged-*")
    assert f"the damaged file is kept in {aside.name}" in said.out
    assert aside.read_bytes() == b"garbage" * 1_000
    assert done(swather, "db", "check")


@pytest.mark.parametrize(
    ("content", "message"), [(None, "there is no backup copy"), (b"text", "is not a backup of")]
)
def test_what_is_no_backup_is_told(swather: Swather, database: str, content, message):
    if content is not None:
        Path("copy").write_bytes(content)
    said = swather("db", "restore", "copy", "--yes", "--db", database)
    assert (said.code, said.out) == (2, "")
    assert message in said.err
    assert said.err.count("\n") == 1


@pytest.mark.slow
def test_a_full_vacuum_says_what_it_gave_back_and_asks_where_it_locks(
    swather: Swather, database: str
):
    with closing(stores.open(database)) as store:
        run, worker = a_run(store, 5_000), a_worker(store)
        while leases := claim(store, worker, 1_000):
            finish(store, *(completed(lease, "x" * 200) for lease in leases))
        store.runs.settle(run)
        store.runs.remove(run)
    is_postgres = database.startswith("postgres")
    plain = done(swather, "db", "vacuum", "--db", database).out
    assert ("swather db vacuum --full" in plain) is is_postgres
    if is_postgres:
        refused = swather("db", "vacuum", "--full", "--db", database)
        assert (refused.code, "Not interactive: pass --yes" in refused.err) == (2, True)
        data = done(swather, "db", "vacuum", "--full", "--yes", "--json", "--db", database).data
        assert data["bytes_after"] < data["bytes_before"] / 2
        assert {"tasks", "items"} <= {table["table"] for table in data["tables"]}


@pytest.mark.slow
def test_old_runs_are_said_before_they_are_removed(swather: Swather, database: str):
    with closing(stores.open(database)) as store:
        store.runs.settle(a_run(store, name="old"))
        a_run(store, 1, name="open")
    refused = swather("runs", "prune", "--dry-run", "--db", database)
    assert (refused.code, "swather settings set keep_runs_days 30" in refused.err) == (2, True)
    done(swather, "settings", "set", "keep_runs_days", "0.0000001", "--db", database)
    said = done(swather, "runs", "prune", "--dry-run", "--db", database)
    assert said.out.startswith("run old would be removed\n1 run that ended before ")
    # A worker removes it without being asked.
    Path("noop.py").write_text("from swather import scraper\n\n\n@scraper\ndef noop(ctx, t): ...\n")
    subprocess.run([PROGRAM, "run", "noop.py", "1", "--db", database], check=True, timeout=60,
                   capture_output=True)  # fmt: skip
    left = json.loads(swather("runs", "--json", "--db", database).out)
    assert "old" not in [row["run"] for row in left]
    assert "open" in [row["run"] for row in left]
