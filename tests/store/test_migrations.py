"""Fresh equals migrated; SQLite migrates itself after a backup, PostgreSQL only when told to."""

import re
import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path
from typing import Any

import apsw
import pytest

import swather.store
from swather.errors import SchemaMissing, SchemaTooNew, SchemaTooOld, StoreError
from swather.model.pacing import Limits
from swather.store import migrate
from swather.store.clock import Clock
from swather.store.migrate import Migration
from swather.store.sqlite.connection import Connection
from swather.store.sqlite.store import _back_up
from tests.store.database import Database
from tests.store.given import a_run, a_worker, claim, states

PACKAGES = ["swather.store.sqlite", "swather.store.postgres"]
NEXT = {
    "sqlite": "ALTER TABLE runs ADD COLUMN note TEXT NOT NULL DEFAULT ''",
    "postgres": "ALTER TABLE swather.runs ADD COLUMN note text NOT NULL DEFAULT ''",
}


@pytest.fixture
def next_release(monkeypatch: pytest.MonkeyPatch, own_database: Database) -> int:
    """One more migration than there is; its number."""
    real = migrate.migrations_in
    number = migrate.latest(own_database.package) + 1
    added = Migration(number, f"{number:04}_note", NEXT[own_database.kind])
    monkeypatch.setattr(migrate, "migrations_in", lambda package: [*real(package), added])
    return number


def schema(database: Database) -> list[tuple[Any, ...]]:
    """Every table, column, index, constraint and view, in a comparable form."""
    if database.kind == "sqlite":
        return database.rows(
            "SELECT type, name, tbl_name, sql FROM sqlite_schema"
            " WHERE name NOT LIKE 'sqlite_%' ORDER BY type, name"
        )
    return database.rows(
        """
        SELECT 'column', table_name, column_name, data_type || coalesce(column_default, '')
               || is_nullable || coalesce(generation_expression, '')
        FROM information_schema.columns WHERE table_schema = 'swather'
        UNION ALL
        SELECT 'index', tablename, indexname, indexdef FROM pg_indexes WHERE schemaname = 'swather'
        UNION ALL
        SELECT 'constraint', conrelid::regclass::text, conname, pg_get_constraintdef(oid)
        FROM pg_constraint WHERE connamespace = 'swather'::regnamespace
        UNION ALL
        SELECT 'view', viewname, '', definition FROM pg_views WHERE schemaname = 'swather'
        UNION ALL
        SELECT 'function', proname, '', pg_get_functiondef(oid) FROM pg_proc
        WHERE pronamespace = 'swather'::regnamespace
        ORDER BY 1, 2, 3
        """
    )


def test_both_databases_have_the_same_migrations():
    sqlite, postgres = (
        [(m.number, m.name) for m in migrate.migrations_in(package)] for package in PACKAGES
    )
    assert sqlite == postgres


@pytest.mark.slow
def test_preparing_creates_the_tables_and_says_so(empty_database: Database):
    names = [m.name for m in migrate.migrations_in(empty_database.package)]
    assert swather.store.prepare(empty_database.url) == names
    assert swather.store.prepare(empty_database.url) == []
    with closing(swather.store.open(empty_database.url)) as store:
        assert store.upkeep.schema_version() == len(names)


@pytest.mark.slow
def test_an_empty_postgresql_database_is_refused_with_one_clear_line(empty_database: Database):
    if empty_database.migrates_itself:
        swather.store.open(empty_database.url).close()
        assert swather.store.prepare(empty_database.url) == []
        return
    with pytest.raises(SchemaMissing, match="swather db init --db") as raised:
        swather.store.open(empty_database.url)
    assert "\n" not in str(raised.value)
    assert empty_database.rows("SELECT 1 FROM pg_namespace WHERE nspname = 'swather'") == []


@pytest.mark.slow
def test_a_fresh_schema_equals_a_migrated_one(
    own_database: Database, empty_database: Database, next_release: int
):
    assert len(swather.store.prepare(own_database.url)) == 1
    assert len(swather.store.prepare(empty_database.url)) == next_release
    assert schema(empty_database) == schema(own_database)


@pytest.mark.slow
def test_an_old_schema_is_migrated_or_refused(own_database: Database, next_release: int):
    if not own_database.migrates_itself:
        with pytest.raises(SchemaTooOld) as raised:
            swather.store.open(own_database.url)
        line = str(raised.value)
        assert "\n" not in line
        assert "swather db migrate --db" in line
        assert f"schema {next_release - 1}" in line
        assert str(next_release) in line
        assert swather.store.prepare(own_database.url) == [f"{next_release:04}_note"]
    with closing(swather.store.open(own_database.url)) as store:
        assert store.upkeep.schema_version() == next_release
    assert own_database.rows("SELECT note FROM runs") == []


@pytest.mark.slow
def test_what_was_in_the_queue_is_still_there_after_a_migration(
    own_database: Database, request: pytest.FixtureRequest
):
    with closing(swather.store.open(own_database.url)) as store:
        run = a_run(store, 5)
    request.getfixturevalue("next_release")
    swather.store.prepare(own_database.url)
    with closing(swather.store.open(own_database.url)) as store:
        assert states(store, run) == {"ready": 5}
        assert store.upkeep.check() == []


@pytest.mark.slow
def test_a_database_that_migrates_itself_is_backed_up_first(
    own_database: Database, request: pytest.FixtureRequest, folder: Path
):
    with closing(swather.store.open(own_database.url)) as store:
        run = a_run(store, 5)
    assert copies(folder) == []
    number = request.getfixturevalue("next_release")
    before = schema(own_database)
    if not own_database.migrates_itself:
        with pytest.raises(SchemaTooOld):
            swather.store.open(own_database.url)
        assert schema(own_database) == before
        return
    swather.store.open(own_database.url).close()
    assert schema(own_database) != before
    (copy,) = copies(folder)
    assert f".v{number - 1}-" in copy.name
    request.getfixturevalue("monkeypatch").undo()
    with closing(swather.store.open(f"sqlite:///{copy}")) as old:
        assert old.upkeep.schema_version() == number - 1
        assert states(old, run) == {"ready": 5}


def copies(folder: Path) -> list[Path]:
    return [path for path in folder.iterdir() if re.fullmatch(r"own\.db\..*v\d+-.*", path.name)]


def test_a_fresh_file_needs_no_backup(tmp_path: Path):
    swather.store.open(f"sqlite:///{tmp_path}/own.db").close()
    assert copies(tmp_path) == []


@pytest.mark.slow
def test_a_migration_that_fails_changes_nothing(
    own_database: Database, monkeypatch: pytest.MonkeyPatch
):
    real = migrate.migrations_in
    number = migrate.latest(own_database.package) + 1
    broken = Migration(number, "broken", NEXT[own_database.kind] + "; SELECT * FROM nowhere")
    monkeypatch.setattr(migrate, "migrations_in", lambda package: [*real(package), broken])
    before = schema(own_database)
    with pytest.raises(StoreError, match="nowhere"):
        swather.store.prepare(own_database.url)
    assert schema(own_database) == before
    monkeypatch.undo()
    with closing(swather.store.open(own_database.url)) as store:
        assert store.upkeep.schema_version() == number - 1


@pytest.mark.slow
def test_a_newer_schema_is_refused_and_left_alone(
    own_database: Database, request: pytest.FixtureRequest
):
    number = request.getfixturevalue("next_release")
    swather.store.prepare(own_database.url)
    request.getfixturevalue("monkeypatch").undo()
    for verb in (swather.store.open, swather.store.prepare):
        with pytest.raises(SchemaTooNew, match=rf"schema {number}.*Upgrade Swather"):
            verb(own_database.url)
    assert own_database.rows("SELECT note FROM runs") == []


OF_THE_FIRST_RELEASE = """
INSERT INTO lanes (id, kind, name, every_seconds, burst, in_flight, paused) {as_given} VALUES
(1, 'scraper', 'books', 0, 1, NULL, {no}), (2, 'lane', 'site', 30, 3, 8, {no}),
(3, 'lane', 'free', 0, 1, NULL, {no}), (4, 'lane', 'still', 0, 1, NULL, {yes});
INSERT INTO runs (id, name, scraper, scraper_lane_id, params, priorities, created_at) {as_given}
VALUES (1, 'old', 'books', 1, '{{"depth": 2}}', 32, {now});
INSERT INTO heads (id, run_id, partition, lane_id, best, wake_at) {as_given}
VALUES (2, 1, '', 2, 5, {awake}), (3, 1, '', 3, 5, {awake}), (4, 1, '', 4, 5, {awake});
INSERT INTO tasks (id, run_id, head_id, priority, key, target, created_at) {as_given}
SELECT n, 1, 2 + n % 3, 5, {key}, '"x"', {now} FROM ({numbers}) AS g;
INSERT INTO ready (head_id, priority, task_id) SELECT head_id, priority, id FROM tasks;
INSERT INTO counters (run_id, name, n) VALUES (1, 'ready', 30);
{go_on}
"""
IN_WORDS_OF = {
    "sqlite": {
        "as_given": "",
        "no": "0",
        "yes": "1",
        "now": "unixepoch('subsec')",
        "awake": "0",
        "key": "CAST(printf('%032d', n) AS BLOB)",
        "numbers": "WITH RECURSIVE c (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c WHERE n < 30)"
        " SELECT n FROM c",
        "go_on": "",
    },
    "postgres": {
        "as_given": "OVERRIDING SYSTEM VALUE",
        "no": "false",
        "yes": "true",
        "now": "now()",
        "awake": "'-infinity'",
        "key": "convert_to(lpad(n::text, 32, '0'), 'UTF8')",
        "numbers": "SELECT generate_series(1, 30) AS n",
        "go_on": "SELECT setval(pg_get_serial_sequence('swather.' || name, 'id'), 1000)"
        " FROM unnest(ARRAY['lanes', 'runs', 'heads', 'tasks']) AS name;",
    },
}


@pytest.fixture
def first_release(empty_database: Database, monkeypatch: pytest.MonkeyPatch) -> Database:
    """A database as the first release left it: a run of 30 tasks on three lanes."""
    real = migrate.migrations_in
    with monkeypatch.context() as patched:
        patched.setattr(migrate, "migrations_in", lambda package: real(package)[:1])
        assert swather.store.prepare(empty_database.url) == ["0001_queue"]
    filled = OF_THE_FIRST_RELEASE.format(**IN_WORDS_OF[empty_database.kind])
    for statement in filter(str.strip, filled.split(";\n")):
        empty_database.execute(statement)
    return empty_database


@pytest.mark.slow
def test_the_first_releases_queue_goes_on_after_migration(first_release: Database):
    names = [m.name for m in migrate.migrations_in(first_release.package)]
    if not first_release.migrates_itself:
        with pytest.raises(SchemaTooOld):
            swather.store.open(first_release.url)
        assert swather.store.prepare(first_release.url) == names[1:]
    with closing(swather.store.open(first_release.url)) as store:
        assert store.upkeep.schema_version() == len(names)
        assert states(store, "old") == {"ready": 30}
        lane = store.lanes.get("site")
        assert (lane.limits, lane.in_force) == (Limits(30.0, 3, 8), Limits(30.0, 3, 8))
        assert store.runs.get("old").params == {"depth": 2}
        assert store.runs.get("old").task_limit is None
        taken = [lease.lane for lease in claim(store, a_worker(store), 50)]
        assert (taken.count("site"), taken.count("free"), taken.count("still")) == (3, 10, 0)
        assert store.upkeep.check() == []


@pytest.mark.slow
def test_the_first_releases_schema_migrated_equals_a_fresh_one(
    first_release: Database, own_database: Database
):
    swather.store.prepare(first_release.url)
    assert schema(first_release) == schema(own_database)


def test_many_who_open_a_fresh_file_at_once_all_get_it(tmp_path: Path):
    start = threading.Barrier(8)

    def open_it() -> int:
        start.wait(timeout=20)
        with closing(swather.store.open(f"sqlite:///{tmp_path}/queue.db", clock=Clock())) as store:
            return store.upkeep.schema_version()

    with ThreadPoolExecutor(8) as threads:
        versions = [one.result(timeout=40) for one in [threads.submit(open_it) for _ in range(8)]]
    assert versions == [migrate.latest("swather.store.sqlite")] * 8


def test_a_new_database_is_there_with_all_migrations_or_not_at_all(tmp_path: Path):
    path = tmp_path / "queue.db"
    seen: set[int] = set()
    run = migrate.apply

    def watched(package, version, run_one):
        def run_and_look(migration):
            run_one(migration)
            with closing(apsw.Connection(str(path))) as other:
                seen.add(other.execute("PRAGMA user_version").fetchone()[0])

        return run(package, version, run_and_look)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(migrate, "apply", watched)
        swather.store.open(f"sqlite:///{path}").close()
    assert seen == {0}
    assert list(tmp_path.glob("*.bak")) == []


def test_an_old_database_that_many_migrate_at_once_is_copied_once(tmp_path: Path):
    url = f"sqlite:///{tmp_path}/queue.db"
    wanted = migrate.latest("swather.store.sqlite")
    with closing(swather.store.open(url)) as store, store.connection.transaction():
        store.connection.execute(f"PRAGMA user_version = {wanted - 1}")
    start = threading.Barrier(6)
    connections = [Connection(tmp_path / "queue.db", Clock()) for _ in range(6)]

    def back_up(connection: Connection) -> None:
        start.wait(timeout=20)
        _back_up(connection, wanted - 1)
        connection.close()

    with ThreadPoolExecutor(6) as threads:
        for done in [threads.submit(back_up, connection) for connection in connections]:
            done.result(timeout=40)
    copies = [path.name for path in tmp_path.iterdir() if ".v" in path.name]
    assert all(name.endswith(".bak") for name in copies)
    assert 1 <= len(copies) <= 2, "one for each second in which somebody looked"


def test_a_fresh_file_that_another_is_turning_to_write_ahead_is_waited_for(tmp_path: Path):
    """SQLite itself does not wait here: it says "busy" at once, whatever its timeout."""
    path = tmp_path / "queue.db"
    other = apsw.Connection(str(path))
    other.execute("PRAGMA user_version = 0")
    other.execute("BEGIN IMMEDIATE")
    with ThreadPoolExecutor(1) as threads, closing(other):
        opened = threads.submit(swather.store.open, f"sqlite:///{path}")
        with pytest.raises(TimeoutError):
            opened.result(timeout=0.2)
        other.execute("ROLLBACK")
        with closing(opened.result(timeout=20)) as store:
            assert store.upkeep.check() == []


@pytest.mark.slow
def test_many_who_prepare_at_once_do_it_once(empty_database: Database):
    start = threading.Barrier(4)

    def prepare_it() -> list[str]:
        start.wait(timeout=20)
        return swather.store.prepare(empty_database.url)

    with ThreadPoolExecutor(4) as threads:
        done = [one.result(timeout=40) for one in [threads.submit(prepare_it) for _ in range(4)]]
    with closing(swather.store.open(empty_database.url)) as store:
        assert store.upkeep.check() == []
    assert any(done)
