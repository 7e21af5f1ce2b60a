"""Bad input: an error of our own that names the value, and nothing half-written."""

import math
import os
import socket
import stat
import struct
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from urllib.parse import urlsplit

import pytest

import swather.store
from swather import posix
from swather.errors import (
    BadPayload,
    BadTarget,
    BadURL,
    Closed,
    DatabaseDamaged,
    DatabaseReadOnly,
    DatabaseUnreachable,
    InputError,
    NetworkFileSystem,
    NotFound,
    SwatherError,
)
from swather.model.outcome import Item
from swather.model.pacing import Limits
from swather.model.query import TaskFilter
from swather.model.run import NewRun
from swather.model.task import Target
from swather.store import Store
from tests.postgres import PostgresServer
from tests.store.database import Database
from tests.store.given import (
    a_lease,
    a_run,
    completed,
    data,
    finish,
    retried,
    run_of,
    states,
    targets,
)

DEEP: list = []
for _ in range(100_000):
    DEEP = [DEEP]

BAD_TARGETS = {
    "NUL in a text": (Target(value="a\0b"), BadPayload, r"a\\x00b"),
    "NUL inside": (Target(value={"a": ["x\0"]}), BadPayload, "NUL"),
    "NUL in a name": (Target(value={"x\0": 1}), BadPayload, "NUL"),
    "a lone surrogate": (Target(value="x\ud800y", key="k"), BadPayload, "ud800"),
    "a lone surrogate inside": (Target(value={"q": "\udfff"}, key="k"), BadPayload, "udfff"),
    "NaN": (Target(value={"x": math.nan}), BadPayload, "nan"),
    "infinity": (Target(value=[math.inf]), BadPayload, "inf"),
    "10 MB": (Target(value="y" * 10_000_000), BadPayload, "10,000,002 bytes.*1,048,576"),
    "an object": (Target(value=object()), BadPayload, "object"),
    "a set of objects": (Target(value={object()}), BadPayload, "object"),
    "deep nesting": (Target(value=DEEP, key="k"), BadPayload, "deep"),
    "priority 0": (Target(value=1, priority=0), BadTarget, "from 1 to 10, got 0"),
    "priority 11": (Target(value=1, priority=11), BadTarget, "from 1 to 10, got 11"),
    "priority -1": (Target(value=1, priority=-1), BadTarget, "got -1"),
    "priority True": (Target(value=1, priority=True), BadTarget, "got True"),
    "priority 5.5": (Target(value=1, priority=5.5), BadTarget, "got 5.5"),
    "priority text": (Target(value=1, priority="5"), BadTarget, "got '5'"),
    "no priority": (Target(value=1, priority=None), BadTarget, "got None"),
    "an empty key": (Target(value=1, key=""), BadTarget, "key must not be empty"),
    "an empty target": (Target(value=""), BadTarget, "key must not be empty"),
    "a key that is no text": (Target(value=1, key=7), BadTarget, "7"),
    "a key with a lone surrogate": (Target(value=1, key="\ud800"), BadTarget, "ud800"),
    "NUL in a lane": (Target(value=1, lane="a\0"), BadTarget, r"lane.*a\\x00"),
    "a lane that is no text": (Target(value=1, lane=5), BadTarget, "lane.*5"),
    "a long lane": (Target(value=1, lane="l" * 501), BadTarget, "lane.*501"),
    "NUL in a partition": (Target(value=1, partition="a\0"), BadTarget, r"partition.*a\\x00"),
    "a long partition": (Target(value=1, partition="p" * 501), BadTarget, "partition.*501"),
    "a negative due time": (Target(value=1, due_in_seconds=-5), BadTarget, "-5"),
    "an infinite due time": (Target(value=1, due_in_seconds=math.inf), BadTarget, "inf"),
    "a due time that is NaN": (Target(value=1, due_in_seconds=math.nan), BadTarget, "nan"),
    "a due time that is text": (Target(value=1, due_in_seconds="soon"), BadTarget, "soon"),
    "a parent that is no number": (Target(value=1, parent_id="x"), BadTarget, "x"),
}


@pytest.mark.parametrize("name", BAD_TARGETS)
def test_a_bad_target_is_refused_and_nothing_of_its_batch_is_stored(store: Store, name: str):
    target, error, message = BAD_TARGETS[name]
    run = a_run(store)
    for verb in (store.tasks.enqueue, store.tasks.enqueue_each):
        with pytest.raises(error, match=message) as raised:
            verb(run, [Target(value="good"), target])
        assert isinstance(raised.value, SwatherError)
        assert "target number 2" in str(raised.value)
        assert len(str(raised.value)) < 1_000
    assert states(store, run) == {}
    assert store.tasks.enqueue(run, targets(["good"])).added == 1


@pytest.mark.parametrize("name", ["NUL inside", "NaN", "an object", "priority 11", "an empty key"])
def test_a_bad_child_is_refused_and_its_parent_still_runs(store: Store, name: str):
    target, error, message = BAD_TARGETS[name]
    lease = a_lease(store)
    with pytest.raises(error, match=message):
        finish(store, completed(lease, "item", children=[target]))
    with pytest.raises(error, match=message):
        store.queue.checkpoint(lease.fence, part=0, cursor=1, items=[Item("i")], children=[target])
    assert states(store, run_of(store, lease)) == {"leased": 1}
    assert data(store, run_of(store, lease)) == []


@pytest.mark.parametrize(
    ("item", "message"),
    [
        (Item("a\0"), "NUL"),
        (Item({"x": "\ud800"}), "surrogate"),
        (Item(math.nan), "nan"),
        (Item(object()), "object"),
        (Item("x" * (33 << 20)), "34,603,010 bytes"),
        (Item(1, key="a\0"), "key.*NUL"),
        (Item(1, key="k" * 501), "key.*501"),
        (Item(1, key=5), "key.*5"),
    ],
    ids=["NUL", "surrogate", "NaN", "object", "33 MB", "NUL key", "long key", "number key"],
)
def test_a_bad_item_is_refused_and_its_task_still_runs(store: Store, item: Item, message: str):
    lease = a_lease(store)
    with pytest.raises(InputError, match=message):
        finish(store, completed(lease, "good", item))
    with pytest.raises(InputError, match=message):
        store.queue.checkpoint(lease.fence, part=0, cursor=1, items=[Item("good"), item])
    assert states(store, run_of(store, lease)) == {"leased": 1}
    assert data(store, run_of(store, lease)) == []


@pytest.mark.parametrize("value", [math.nan, "\0", "\ud800", object()])
def test_bad_progress_and_statistics_are_refused(store: Store, value):
    lease = a_lease(store)
    (worker,) = store.workers.find()
    with pytest.raises(BadPayload, match="progress"):
        store.queue.progress(lease.fence, value)
    with pytest.raises(BadPayload, match="statistics"):
        store.workers.beat(worker.id, [lease.fence], {"x": value})
    assert store.tasks.get(lease.task_id).progress is None


@pytest.mark.parametrize(
    "fields",
    [
        {"scraper": ""},
        {"scraper": "a\0"},
        {"scraper": "s" * 501},
        {"name": ""},
        {"name": "a\0b"},
        {"name": "\ud800"},
        {"name": "n" * 501},
        {"version": "\0"},
        {"params": {"x": math.nan}},
        {"params": {"x": {1, "set of both"}, "y": 1j}},
    ],
    ids=str,
)
def test_a_bad_run_is_refused(store: Store, fields):
    new = NewRun(**{"scraper": "books", **fields})
    with pytest.raises(InputError):
        store.runs.create(new)
    assert store.runs.find() == []


@pytest.mark.parametrize("seconds", [-1, math.nan, math.inf, "5"])
def test_a_cool_down_must_be_a_time_that_ends(store: Store, seconds):
    run, lease = a_run(store), a_lease(store)
    (worker,) = store.workers.find()
    for cool, what in (
        (store.runs.cool, run),
        (store.lanes.cool, "site"),
        (store.workers.cool, worker.id),
    ):
        with pytest.raises(InputError, match=str(seconds)):
            cool(what, seconds)
    assert store.runs.get(run).cool_until is None
    assert store.workers.get(worker.id).cool_until is None
    assert finish(store, completed(lease)) == ["accepted"]


@pytest.mark.parametrize("lane", ["a\0", "\ud800", "l" * 501, 5])
def test_a_bad_lane_is_refused_by_every_verb(store: Store, lane):
    lease = a_lease(store)
    for verb in (
        lambda: store.lanes.limit(lane, Limits(1.0)),
        lambda: store.lanes.pause(lane),
        lambda: store.lanes.cool(lane, 5),
        lambda: store.queue.permits(lease.fence, lane),
    ):
        with pytest.raises(InputError, match="lane"):
            verb()


@pytest.mark.parametrize("after", [math.nan, math.inf])
def test_a_retry_must_be_due_at_a_time_that_comes(store: Store, after):
    lease = a_lease(store)
    with pytest.raises(InputError, match=str(after)):
        finish(store, retried(lease, after))
    assert states(store, run_of(store, lease)) == {"leased": 1}


def test_what_is_not_there_is_not_found(store: Store):
    with pytest.raises(NotFound, match="424242"):
        store.tasks.get(424_242)
    with pytest.raises(NotFound, match="nowhere"):
        store.tasks.enqueue("nowhere", targets(1))


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
        "queue.db",
        "mysql://host/db",
        "sqlite://",
        "sqlite:///",
        "sqlite:///:memory:",
        "sqlite:///a\0b",
    ],
)
def test_a_url_that_names_no_database_is_refused(url: str):
    with pytest.raises(BadURL, match="use sqlite:///"):
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


def test_a_database_that_takes_no_writes_is_told_as_such(own_database: Database):
    store = swather.store.open(own_database.url)
    run = a_run(store, 1)
    if own_database.kind == "sqlite":
        store.connection.execute("PRAGMA query_only = 1")
    else:
        name = urlsplit(own_database.url).path.removeprefix("/")
        own_database.execute(f'ALTER DATABASE "{name}" SET default_transaction_read_only = on')
        store.close()
        store = swather.store.open(own_database.url)
    with pytest.raises(DatabaseReadOnly):
        store.tasks.enqueue(run, targets(["x"]))
    assert states(store, run) == {"ready": 1}
    store.close()


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


def test_duplicate_keys_within_a_batch_are_stored_once(store: Store):
    run = a_run(store)
    given = [Target(value=n, key="same") for n in range(10)]
    assert store.tasks.enqueue(run, given) == (1, 9)
    assert [task.target for task in store.tasks.find(_all(run))] == [0]


def _all(run: str) -> TaskFilter:
    return TaskFilter(run=run)


def test_strange_but_sound_values_come_back_as_they_were(store: Store):
    strange = [
        "\u2028\u2029\ufeff",
        "'; DROP TABLE tasks; --",
        "%s %(name)s {0} $1 :name ?",
        "😀 ünïcödé \x01\x1f\x7f",
        {"": None, "ключ": [1e308, -1e-308, 0.1, 2**53, -(2**63), 2**64 - 1]},
        [[], {}, [[]], None, True, False, "\\u0000", "\\x00"],
        "x" * 1_000_000,
    ]
    run = a_run(store)
    store.tasks.enqueue(run, [Target(value=value, key=str(n)) for n, value in enumerate(strange)])
    found = [task.target for task in store.tasks.find(_all(run))]
    assert found == strange
    lane = 'it\'s a "lane" %s ü'
    store.tasks.enqueue(run, [Target(value="laned", lane=lane, partition=lane, key=lane)])
    (task,) = [t for t in store.tasks.find(_all(run)) if t.target == "laned"]
    assert (task.lane, task.partition) == (lane, lane)


def test_a_run_may_have_a_strange_name(store: Store):
    name = 'it\'s; DROP "run" %s ü 😀'
    store.runs.create(NewRun(scraper="b'c", name=name))
    store.tasks.enqueue(name, targets(2))
    assert store.runs.get(name).scraper == "b'c"
    assert states(store, name) == {"ready": 2}
