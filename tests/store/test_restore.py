"""A backup comes back whole, or nothing changes."""

import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from swather import store as stores
from swather.errors import StoreError
from swather.store import Store, factory
from tests.store.database import Database
from tests.store.given import a_run, a_worker, claim, completed, finish, items, states
from tests.store.pool import broke, proxies, report

DIES = """
import os, sys
from pathlib import Path
from swather.store import factory
from swather.store.sqlite import restore

restore._PAGES_AT_ONCE = 5
steps = factory.restore(sys.argv[1], Path(sys.argv[2])).steps
next(steps)
os._exit(9)
"""


@pytest.fixture
def backup(own_database: Database, tmp_path: Path) -> Path:
    """Of a run with an item; the database has another run besides."""
    path = tmp_path / "backup"
    with closing(stores.open(own_database.url)) as store:
        run = a_run(store, 2_000, name="old")
        (lease,) = claim(store, a_worker(store))
        finish(store, completed(lease, "item"))
        report(store, *(broke(proxy, times=9) for proxy in proxies(store, 2)))
        store.upkeep.backup(path)
        store.proxies.remove([1, 2])
        finish(store, *(completed(lease, "x") for lease in claim(store, a_worker(store), 10)))
        a_run(store, 3, name="young")
        assert store.runs.counts(run).completed == 11
    return path


def restored(url: str, backup: Path) -> None:
    for _ in factory.restore(url, backup).steps:
        pass
    factory.prepare(url)


def names(store: Store) -> list[str]:
    return sorted(run.name for run in store.runs.find())


@pytest.mark.slow
def test_all_is_as_it_was_at_the_backup(own_database: Database, backup: Path):
    for _ in range(2):
        restored(own_database.url, backup)
        with closing(stores.open(own_database.url)) as store:
            assert names(store) == ["old"]
            assert states(store, "old") == {"completed": 1, "ready": 1_999}
            assert [item.data for item in items(store, "old")] == ["item"]
            assert [proxy.failures for proxy in store.proxies.find()] == [9, 9]
            assert store.upkeep.check() == []


@pytest.mark.slow
def test_no_token_is_given_a_second_time(own_database: Database, backup: Path):
    with closing(stores.open(own_database.url)) as store:
        (before,) = claim(store, a_worker(store))
    restored(own_database.url, backup)
    with closing(stores.open(own_database.url)) as store:
        (after,) = claim(store, a_worker(store))
        assert after.token > before.token
        assert finish(store, completed(before, "of a worker of before")) == ["stale"]


@pytest.mark.slow
def test_a_restore_that_is_killed_changes_nothing(own_database: Database, backup: Path):
    done = subprocess.run(
        [sys.executable, "-c", DIES, own_database.url, str(backup)], check=False, timeout=60
    )
    assert done.returncode == 9
    with closing(stores.open(own_database.url)) as store:
        assert names(store) == ["old", "young"]
        assert store.upkeep.check() == []
    restored(own_database.url, backup)
    with closing(stores.open(own_database.url)) as store:
        assert names(store) == ["old"]


@pytest.mark.slow
def test_a_backup_that_ends_too_early_changes_nothing(own_database: Database, backup: Path):
    whole = backup.read_bytes()
    backup.write_bytes(whole[: len(whole) // 2])
    with pytest.raises((StoreError, ValueError), match="backup"):
        restored(own_database.url, backup)
    with closing(stores.open(own_database.url)) as store:
        assert names(store) == ["old", "young"]


@pytest.mark.slow
@pytest.mark.parametrize("content", [b"", b"text\n" * 1_000])
def test_what_is_no_backup_is_refused(own_database: Database, tmp_path: Path, content: bytes):
    (tmp_path / "x").write_bytes(content)
    with pytest.raises(ValueError, match=r"x is (not a backup|a SQLite database, but not one)"):
        restored(own_database.url, tmp_path / "x")


@pytest.mark.parametrize("database_kind", ["sqlite"], indirect=True)
def test_a_new_file_is_there_when_it_is_complete(own_database: Database, tmp_path: Path):
    with closing(stores.open(own_database.url)) as store:
        a_run(store, 2_000, name="old")
        store.upkeep.backup(tmp_path / "backup")
    new = tmp_path / "new.db"
    steps = factory.restore(f"sqlite:///{new}", tmp_path / "backup").steps
    while not new.exists():
        next(steps, None)
    with closing(stores.open(f"sqlite:///{new}")) as store:
        assert states(store, "old") == {"ready": 2_000}
    assert [path.name for path in tmp_path.glob(".*")] == []
