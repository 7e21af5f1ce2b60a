"""PostgreSQL: a client that goes silent inside a transaction, stopped or cut off, holds nobody up
for long, and knows afterwards what became of its work.
"""

import os
import signal
import time
import uuid
from collections.abc import Iterator
from typing import Any

import pytest

import swather.store
from swather.errors import ConnectionLost
from swather.model.outcome import Verdict
from swather.store import Store
from swather.store.postgres import link, transactions
from swather.store.writer import Writer
from tests.store.database import Database
from tests.store.given import a_run, a_worker, claim, completed, data, finish, states, until
from tests.store.processes import Running, running
from tests.store.proxy import COMMIT, Proxy, a_proxy

pytestmark = pytest.mark.slow

SESSIONS = """
SELECT pid, state, wait_event FROM pg_stat_activity
WHERE datname = current_database() AND application_name = 'swather' AND backend_xid IS NOT NULL
"""

# Takes the locks of all leases, and is stopped in the transaction.
STOPPED = """
import os, signal
from swather.store.postgres import link
link.SETTINGS["idle_in_transaction_session_timeout"] = "{idle}"
store = store.another()
def work():
    store.connection.{verb}("UPDATE swather.leases SET progress = '1' RETURNING task_id")
    print("holds", flush=True)
    os.kill(os.getpid(), signal.SIGSTOP)
    store.connection.execute("UPDATE swather.leases SET progress = '2'")
try:
    store.connection.transact(work)
except Exception as error:
    print(type(error).__name__, flush=True)
"""
# The answer is fetched: the server knows that it waits for the client.
BETWEEN_STATEMENTS = STOPPED.format(verb="rows", idle="1s")
# It is not: the server waits for the rest of the pipeline.
IN_A_PIPELINE = STOPPED.format(verb="execute", idle="1s")


@pytest.fixture
def database_kind() -> str:
    return "postgres"


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(transactions, "SILENT_SECONDS", 1.0)
    monkeypatch.setattr(link, "QUIET_SECONDS", 1.0)
    monkeypatch.setitem(link.SETTINGS, "lock_timeout", "1s")


@pytest.fixture
def healthy(impatient: None, store: Store) -> Iterator[Store]:
    opened = store.another()
    yield opened
    opened.close()


@pytest.fixture
def proxy(database: Database) -> Iterator[Proxy]:
    with a_proxy(database.url) as opened:
        yield opened


@pytest.fixture
def cut_off(impatient: None, proxy: Proxy) -> Iterator[Store]:
    """A store whose link can go silent."""
    opened = swather.store.open(proxy.url)
    yield opened
    opened.close()


def holding(database: Database) -> list[tuple[Any, ...]]:
    return database.rows(SESSIONS)


def stopped_with_locks(process: Running, database: Database) -> None:
    assert process.line() == "holds"
    until(lambda: bool(holding(database)))
    assert holding(database)


def goes_on_and_is_told(process: Running) -> None:
    os.kill(process.pid, signal.SIGCONT)
    assert process.line() == "ConnectionLost"


def test_a_process_stopped_between_two_statements_loses_its_locks(store: Store, database: Database):
    run = a_run(store, 1)
    claim(store, a_worker(store))
    with running(database.url, BETWEEN_STATEMENTS) as process:
        stopped_with_locks(process, database)
        until(lambda: not holding(database))
        assert not holding(database)
        assert states(store, run) == {"leased": 1}


def test_a_process_stopped_in_a_pipeline_is_ended_by_a_sweep(healthy: Store, database: Database):
    run = a_run(healthy, 1)
    (lease,) = claim(healthy, a_worker(healthy))
    with running(database.url, IN_A_PIPELINE) as process:
        stopped_with_locks(process, database)
        until(lambda: bool(healthy.workers.sweep()) and not holding(database), 15)
        assert not holding(database)
        assert finish(healthy, completed(lease)) == [Verdict.ACCEPTED]
        goes_on_and_is_told(process)
    assert states(healthy, run) == {"completed": 1}


def test_a_process_stopped_in_a_pipeline_is_ended_by_whoever_waits_for_its_locks(
    healthy: Store, database: Database
):
    a_run(healthy, 1)
    (lease,) = claim(healthy, a_worker(healthy))
    with running(database.url, IN_A_PIPELINE) as process:
        stopped_with_locks(process, database)
        began = time.monotonic()
        assert finish(healthy, completed(lease)) == [Verdict.ACCEPTED]
        assert time.monotonic() - began < 20


def test_transactions_of_other_programs_are_named_and_left_alone(
    healthy: Store, database: Database
):
    run = a_run(healthy, 1)
    claim(healthy, a_worker(healthy))
    with database.transaction() as theirs:
        theirs.execute("UPDATE swather.leases SET progress = '1'")
        pid = theirs.info.backend_pid
        until(lambda: (healthy.upkeep.transactions()[0].silent_seconds or 0) > 1.5)
        healthy.workers.sweep()
        (found,) = healthy.upkeep.transactions()
        assert (found.pid, found.is_ours, found.holds_locks) == (pid, False, True)
        assert found.silent_seconds is not None
        assert found.silent_seconds > 1
        theirs.execute("SELECT 1")
    assert states(healthy, run) == {"leased": 1}


def test_who_may_not_end_it_says_whom_to_ask(
    own_database: Database, impatient: None, caplog: pytest.LogCaptureFixture
):
    owner = swather.store.open(own_database.url)
    a_run(owner, 1)
    claim(owner, a_worker(owner))
    role = f"swather_{uuid.uuid4().hex[:12]}"
    own_database.execute(f"CREATE ROLE {role} LOGIN IN ROLE pg_read_all_stats")
    own_database.execute(f"GRANT USAGE ON SCHEMA swather TO {role}")
    own_database.execute(f"GRANT ALL ON ALL TABLES IN SCHEMA swather TO {role}")
    ordinary = swather.store.open(own_database.url.replace("postgres@", f"{role}@"))
    try:
        with running(own_database.url, IN_A_PIPELINE) as process:
            stopped_with_locks(process, own_database)
            pid = holding(own_database)[0][0]
            until(lambda: bool(ordinary.workers.sweep()) and "may not end it" in caplog.text, 15)
            assert f"SELECT pg_terminate_backend({pid})" in caplog.text
            assert holding(own_database)
    finally:
        ordinary.close()
        owner.close()
        own_database.execute(f"DROP OWNED BY {role}")
        own_database.execute(f"DROP ROLE {role}")


@pytest.mark.parametrize("after", [False, True], ids=["before the commit", "after the commit"])
def test_a_client_whose_link_went_silent_reads_back_what_became_of_its_work(
    healthy: Store, cut_off: Store, proxy: Proxy, after: bool
):
    run = a_run(healthy, 2)
    worker = a_worker(cut_off)
    first, second = claim(cut_off, worker, 2)
    with Writer(cut_off) as writer:
        assert writer.finish([completed(first, "first")]).result(20) == [Verdict.ACCEPTED]
        proxy.hush_at(COMMIT, after=after)
        finishing = writer.finish([completed(second, "second")])
        assert proxy.is_silent.wait(10)
        assert finishing.result(30) == [Verdict.ACCEPTED]
        assert writer.statistics().uncertain == 1
    assert data(healthy, run) == ["first", "second"]
    assert states(healthy, run) == {"completed": 2}


def test_a_server_that_works_for_long_is_waited_for(cut_off: Store):
    assert cut_off.connection.value("SELECT 7 FROM pg_sleep(4)") == 7


def test_a_server_that_cannot_be_reached_is_given_up(impatient: None, proxy: Proxy):
    cut_off = swather.store.open(f"{proxy.url}?connect_timeout=2")
    proxy.hush_all()
    with pytest.raises(ConnectionLost, match="no longer answers"):
        cut_off.settings.control_version()
    cut_off.close()


def test_the_server_is_told_to_let_go_of_lost_clients(store: Store, database: Database):
    names = (
        "lock_timeout", "idle_in_transaction_session_timeout", "client_connection_check_interval",
        "tcp_keepalives_idle", "tcp_keepalives_interval", "tcp_keepalives_count",
        "tcp_user_timeout",
    )  # fmt: skip
    sources = dict(store.connection.rows("SELECT name, source FROM pg_settings"))
    assert {sources[name] for name in names} <= {"client", "session"}


def test_a_transaction_has_a_limit_where_the_server_has_one(store: Store):
    """From PostgreSQL 17 on; bulk work and what runs outside of transactions takes its time."""
    show = "SELECT current_setting('transaction_timeout', true)"
    version = store.connection.value("SELECT current_setting('server_version_num')::integer")
    limit, none = ("5min", "0") if version >= 170_000 else (None, None)
    assert store.connection.value(show) == limit
    assert store.connection.in_bulk(lambda: store.connection.value(show)) == none
    assert store.connection.transact(lambda: store.connection.value(show), pipelined=False) == none
    assert list(store.upkeep.vacuum())
    assert store.connection.value(show) == limit


def test_a_statement_larger_than_all_buffers_is_sent_whole(impatient: None, store: Store):
    mine = store.another()
    large = "x" * (32 << 20)
    sql = "SELECT length(%(large)s::text)"
    assert (
        mine.connection.transact(lambda: mine.connection.value(sql, {"large": large})) == 32 << 20
    )
    mine.close()
