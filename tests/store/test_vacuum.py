"""A vacuum gives back what deleted rows took, while others work or wait."""

import shutil
from concurrent.futures import ThreadPoolExecutor

import pytest

from swather.errors import StoreError
from swather.store import Store
from tests.store.database import Database
from tests.store.given import a_run, a_worker, claim, completed, finish, states

TASKS = 5_000
# SQLite has one file, and waits for whoever writes to it.
ONLY_POSTGRES = pytest.mark.parametrize("database_kind", ["postgres"], indirect=True)
# PostgreSQL's disk is the server's, which says itself when it is full.
ONLY_SQLITE = pytest.mark.parametrize("database_kind", ["sqlite"], indirect=True)


def a_large_run(store: Store) -> str:
    run, worker = a_run(store, TASKS), a_worker(store)
    while leases := claim(store, worker, 1_000, runs=(run,)):
        finish(store, *(completed(lease, "x" * 200) for lease in leases))
    store.runs.settle(run)
    return run


@pytest.mark.slow
def test_the_space_of_a_removed_run_is_given_back(store: Store):
    kept = a_run(store, 5)
    store.runs.remove(a_large_run(store))
    done = list(store.upkeep.vacuum(full=True))
    before = sum(table.bytes_before for table in done)
    # PostgreSQL keeps what its own autovacuum, looking at the table just now, could still see.
    while sum(table.bytes_after for table in done) >= before / 2:
        done = list(store.upkeep.vacuum(full=True))
    assert before > 1_000_000
    assert [table for table in done if table.skipped] == []
    assert states(store, kept) == {"ready": 5}
    assert store.upkeep.check() == []


@pytest.mark.slow
def test_others_work_while_the_tables_are_rewritten(store: Store, other: Store):
    run = a_run(store, 500)

    def work() -> int:
        worker, done = a_worker(other), 0
        while leases := claim(other, worker, 10):
            finish(other, *(completed(lease, "x") for lease in leases))
            done += len(leases)
        return done

    with ThreadPoolExecutor(1) as threads:
        working = threads.submit(work)
        while not working.done():
            assert list(store.upkeep.vacuum(full=True))
        assert working.result() == 500
    assert store.runs.counts(run).items == 500
    assert store.upkeep.check() == []


@pytest.mark.slow
@ONLY_POSTGRES
def test_a_table_that_somebody_holds_is_skipped_and_said(
    store: Store, database: Database, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr("swather.store.postgres.connection.LOCK_SECONDS", 0.0)
    store.connection.execute("SET lock_timeout = '50ms'")
    with database.transaction() as connection:
        connection.execute("LOCK TABLE swather.pages IN ACCESS SHARE MODE")
        skipped = [table for table in store.upkeep.vacuum(full=True) if table.skipped]
    assert [table.table for table in skipped] == ["pages"]
    assert "held locks for too long" in skipped[0].skipped


@ONLY_SQLITE
def test_a_vacuum_without_room_on_the_disk_is_refused_before_it_begins(
    store: Store, monkeypatch: pytest.MonkeyPatch
):
    run = a_run(store, 5)
    usage = shutil.disk_usage("/")._replace(free=100)
    monkeypatch.setattr(shutil, "disk_usage", lambda _: usage)
    with pytest.raises(StoreError, match="where 100 are free; nothing was changed"):
        list(store.upkeep.vacuum())
    assert states(store, run) == {"ready": 5}
