"""Databases that cannot be used: one clear line of our own, and nothing touched."""

import os
import socket
import stat
import struct
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from urllib.parse import urlsplit

import apsw
import pytest

import swather.store
from swather import posix
from swather.errors import (
    BadURL,
    Closed,
    ConnectionLost,
    DatabaseDamaged,
    DatabaseReadOnly,
    DatabaseReplaced,
    DatabaseUnreachable,
    NetworkFileSystem,
    SchemaMissing,
    SchemaTooNew,
)
from swather.model.outcome import Verdict
from swather.model.run import RunState
from swather.store import Store
from swather.store.clock import Clock
from swather.store.sqlite.connection import Connection
from tests.postgres import PostgresServer
from tests.store.database import Database
from tests.store.given import (
    a_run,
    a_worker,
    claim,
    completed,
    finish,
    states,
    targets,
)


def test_every_error_of_a_store_is_ours(store: Store):
    store.close()
    for verb in (
        store.runs.find,
        lambda: store.tasks.get(1),
        store.workers.sweep,
        store.upkeep.stats,
    ):
        with pytest.raises(Closed, match="closed"):
            verb()
    store.close()


@pytest.mark.parametrize(
    "url",
    [
        "",
        "mysql://host/db",
        "sqlite://",
        "sqlite:///",
        "sqlite:///:memory:",
        "sqlite:///a\0b",
    ],
)
def test_a_url_that_names_no_database_is_refused(url: str):
    with pytest.raises(BadURL, match=r"use path/to/file\.db, sqlite:///"):
        swather.store.open(url)


def test_a_password_is_never_shown():
    with pytest.raises(BadURL) as raised:
        swather.store.open("mysql://me:s3cret@host/db")
    assert "s3cret" not in str(raised.value)
    with pytest.raises(DatabaseUnreachable) as raised:
        swather.store.open("postgresql://me:s3cret@127.0.0.1:1/db")
    assert "s3cret" not in str(raised.value)


def test_a_server_that_is_not_there_is_unreachable():
    with pytest.raises(DatabaseUnreachable, match=r"127\.0\.0\.1"):
        swather.store.open("postgresql://me@127.0.0.1:1/db")
    with pytest.raises(DatabaseUnreachable, match=r"127\.0\.0\.1"):
        swather.store.prepare("postgresql://me@127.0.0.1:1/db")


def test_a_database_that_is_not_there_is_unreachable(postgres_server: PostgresServer):
    with pytest.raises(DatabaseUnreachable, match="no_such_database"):
        swather.store.open(postgres_server.url("no_such_database"))


def test_a_user_the_server_does_not_know_is_told_as_such(postgres_server: PostgresServer):
    parts = urlsplit(postgres_server.url())
    stranger = parts._replace(netloc=f"stranger:wr0ng@{parts.netloc.rpartition('@')[2]}").geturl()
    with pytest.raises(DatabaseUnreachable, match="stranger") as raised:
        swather.store.open(stranger)
    assert "wr0ng" not in str(raised.value)


def test_a_wrong_password_is_told_as_such(tmp_path: Path):
    """The tests' own server trusts everyone, so one that trusts nobody stands in for it."""
    with socket.socket(socket.AF_UNIX) as listening, ThreadPoolExecutor(1) as threads:
        listening.bind(str(tmp_path / ".s.PGSQL.5432"))
        listening.listen()
        refusing = threads.submit(refuse_the_password, listening)
        with pytest.raises(DatabaseUnreachable, match=r"anna.*password") as raised:
            swather.store.open(f"postgresql://anna:wr0ng@/queue?host={tmp_path}")
        assert refusing.result(timeout=10) == b"wr0ng"
    assert "wr0ng" not in str(raised.value)
    assert "\n" not in str(raised.value)


def refuse_the_password(listening: socket.socket) -> bytes:
    """Ask a client for its password, refuse it as PostgreSQL does, and say what it was."""
    client, _ = listening.accept()
    with client:
        client.recv(1_000)
        client.sendall(b"R" + struct.pack("!ii", 8, 3))
        password = client.recv(1_000)[5:].rstrip(b"\0")
        said = b'SFATAL\0C28P01\0Mpassword authentication failed for user "anna"\0\0'
        client.sendall(b"E" + struct.pack("!i", len(said) + 4) + said)
    return password


def test_a_folder_is_no_database(tmp_path: Path):
    with pytest.raises(DatabaseUnreachable, match=str(tmp_path)):
        swather.store.open(f"sqlite:///{tmp_path}")


def test_a_file_in_a_missing_folder_is_unreachable(tmp_path: Path):
    with pytest.raises(DatabaseUnreachable, match="nowhere"):
        swather.store.open(f"sqlite:///{tmp_path}/nowhere/queue.db")


def test_a_file_that_is_no_database_is_left_as_it_is(tmp_path: Path):
    path = tmp_path / "letter.txt"
    path.write_text("Dear queue, " * 500)
    with pytest.raises(DatabaseDamaged, match=r"letter\.txt"):
        swather.store.open(f"sqlite:///{path}")
    assert path.read_text() == "Dear queue, " * 500


def test_a_read_only_file_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    path = tmp_path / "queue.db"
    swather.store.prepare(f"sqlite:///{path}")
    path.chmod(stat.S_IRUSR)
    if os.geteuid() == 0:
        real = os.access
        monkeypatch.setattr(os, "access", lambda p, mode: mode != os.W_OK and real(p, mode))
    with pytest.raises(DatabaseReadOnly, match=r"queue\.db"):
        swather.store.open(f"sqlite:///{path}")


def test_a_database_that_takes_no_writes_is_told_as_such(own_database: Database, own_store: Store):
    run = a_run(own_store, 1)
    if own_database.kind == "sqlite":
        own_store.connection.execute("PRAGMA query_only = 1")
    else:
        name = urlsplit(own_database.url).path.removeprefix("/")
        own_database.execute(f'ALTER DATABASE "{name}" SET default_transaction_read_only = on')
        own_database.execute(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
            " WHERE datname = current_database() AND pid <> pg_backend_pid()"
        )
        with pytest.raises(ConnectionLost):
            own_store.runs.get(run)
    with pytest.raises(DatabaseReadOnly):
        own_store.tasks.enqueue(run, targets(["x"]))
    assert states(own_store, run) == {"ready": 1}


def test_a_network_file_system_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(posix, "network_file_system", lambda _: "nfs4")
    with pytest.raises(NetworkFileSystem, match=r"queue\.db.*nfs4.*PostgreSQL"):
        swather.store.open(f"sqlite:///{tmp_path}/queue.db")
    assert list(tmp_path.iterdir()) == []


def test_a_damaged_file_is_told_as_such(tmp_path: Path):
    path = tmp_path / "queue.db"
    store = swather.store.open(f"sqlite:///{path}")
    a_run(store, 500)
    store.close()
    whole = path.read_bytes()
    path.write_bytes(whole[:4096] + os.urandom(len(whole) - 4096))
    with pytest.raises(DatabaseDamaged, match=r"queue\.db"):
        _find_runs(path)


def _find_runs(path: Path) -> None:
    opened = swather.store.open(f"sqlite:///{path}")
    try:
        opened.runs.find()
    finally:
        opened.close()


def test_a_checkpoint_that_meets_a_full_disk_does_not_fail_its_commit(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
):
    monkeypatch.setattr("swather.store.sqlite.connection.CHECKPOINT_PAGES", 1)
    monkeypatch.setattr("swather.store.sqlite.connection.CHECKPOINT_EVERY_SECONDS", 0.0)
    store = swather.store.open(f"sqlite:///{tmp_path}/swather.db")

    def full(*_: object) -> tuple[int, int]:
        raise apsw.FullError("database or disk is full")

    monkeypatch.setattr(Connection, "checkpoint", full)
    run, worker = a_run(store, 1), a_worker(store)
    (lease,) = claim(store, worker)
    assert finish(store, completed(lease)) == [Verdict.ACCEPTED]
    assert "could not be checkpointed" in caplog.text
    assert store.runs.counts(run).completed == 1
    store.close()


def test_the_cause_of_a_failed_read_is_told_after_sqlite_has_rolled_back(tmp_path: Path):
    connection = Connection(tmp_path / "swather.db", Clock())

    def read() -> None:
        with connection.reading():
            connection.execute("ROLLBACK")
            raise apsw.CorruptError("database disk image is malformed")

    with pytest.raises(DatabaseDamaged, match="malformed"):
        read()
    with connection.transaction():
        connection.execute("CREATE TABLE usable (id)")
    connection.close()


@pytest.mark.parametrize("verb", ["read", "write"])
def test_a_file_that_was_replaced_is_used_no_more(tmp_path: Path, verb: str):
    path = tmp_path / "swather.db"
    store = swather.store.open(f"sqlite:///{path}")
    a_run(store, 1)
    path.rename(tmp_path / "moved.db")
    with pytest.raises(DatabaseReplaced, match="moved or replaced"):
        store.runs.find() if verb == "read" else a_run(store, 1)
    (tmp_path / "moved.db").rename(path)
    assert len(store.runs.find()) == 1
    store.close()


@pytest.mark.parametrize("linked", [False, True], ids=["by its own name", "through a link"])
def test_a_file_whose_log_was_replaced_is_used_no_more(tmp_path: Path, linked: bool):
    (tmp_path / "folder").mkdir()
    path = tmp_path / "folder" / "swather.db"
    link = tmp_path / "link.db"
    link.symlink_to(path)
    store = swather.store.open(f"sqlite:///{link if linked else path}")
    run = a_run(store, 1)
    log, away = path.with_name("swather.db-wal"), tmp_path / "away"
    log.rename(away)
    with pytest.raises(DatabaseReplaced, match=r"swather\.db-wal was deleted, moved or replaced"):
        a_run(store, 1)
    away.rename(log)
    assert [found.name for found in store.runs.find()] == [run]
    store.close()


def test_a_table_that_is_gone_is_told_as_such(own_database: Database, own_store: Store):
    run, worker = a_run(own_store, 1), a_worker(own_store)
    (lease,) = claim(own_store, worker)
    dropped = "leases" if own_database.kind == "sqlite" else "swather.leases CASCADE"
    own_store.connection.execute(f"DROP TABLE {dropped}")
    with pytest.raises(SchemaMissing, match="leases"):
        finish(own_store, completed(lease))
    assert own_store.runs.get(run).state is RunState.OPEN


def test_a_column_that_is_gone_is_told_as_such(own_database: Database, own_store: Store):
    run, worker = a_run(own_store, 1), a_worker(own_store)
    (lease,) = claim(own_store, worker)
    schema = "" if own_database.kind == "sqlite" else "swather."
    own_store.connection.execute(f"ALTER TABLE {schema}outcomes RENAME COLUMN at TO at_another")
    with pytest.raises(SchemaTooNew, match="another release"):
        finish(own_store, completed(lease))
    assert states(own_store, run) == {"leased": 1}
