"""PostgreSQL numbers transactions when they begin to write, not when they commit: whoever reads on
must miss nothing, and must not wait for transactions that cannot write here.
"""

import threading
import uuid
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from random import Random
from typing import Any

import psycopg
import pytest

import swather.store
from swather.store import Store
from swather.store.clock import Clock
from tests.postgres import PostgresServer
from tests.store.database import Database
from tests.store.given import a_run, a_worker, claim, completed, finish

TAKE_A_NUMBER = "SELECT pg_current_xact_id()"
ADD_AN_ITEM = """
INSERT INTO swather.items (run_id, task_id, part, seq, data) VALUES (%s, %s, 0, 0, %s)
"""


@pytest.fixture
def database_kind() -> str:
    return "postgres"


@pytest.fixture
def elsewhere(postgres_server: PostgresServer) -> Iterator[str]:
    """Another database on the same server."""
    with postgres_server.fresh_database() as url:
        yield url


@contextmanager
def writing(url: str) -> Iterator[psycopg.Connection[Any]]:
    """An open transaction that has a number."""
    with psycopg.connect(url) as connection:
        connection.execute(TAKE_A_NUMBER)
        yield connection


def follow(store: Store, run: str, after: str, seen: list[Any]) -> str:
    while page := store.results.items(run, after=after, limit=7):
        seen += [item.data for item in page]
        after = page[-1].position
    return after


def read(store: Store, run: str) -> list[Any]:
    seen: list[Any] = []
    follow(store, run, "", seen)
    return seen


def two_leases(store: Store) -> tuple[str, int, Any, Any]:
    run = a_run(store, 2)
    return run, store.runs.get(run).id, *claim(store, a_worker(store), 2)


def test_a_transaction_of_another_database_holds_nothing_back(store: Store, elsewhere: str):
    run, _, lease, _ = two_leases(store)
    with writing(elsewhere) as open_there:
        open_there.execute("CREATE TABLE written (n integer)")
        finish(store, completed(lease, "here"))
        assert read(store, run) == ["here"]
        assert [item.data for item in store.results.items(run, complete_only=True)] == ["here"]


def test_a_prepared_transaction_of_another_database_holds_nothing_back(
    store: Store, elsewhere: str
):
    run, _, lease, _ = two_leases(store)
    with psycopg.connect(elsewhere, autocommit=True) as there, prepared(there, TAKE_A_NUMBER):
        finish(store, completed(lease, "here"))
        assert read(store, run) == ["here"]


def test_a_number_taken_here_holds_back_even_before_the_first_item(
    store: Store, database: Database
):
    run, run_id, late, quick = two_leases(store)
    seen: list[Any] = []
    with writing(database.url) as writer:
        finish(store, completed(quick, "quick"))
        position = follow(store, run, "", seen)
        writer.execute(ADD_AN_ITEM, (run_id, late.task_id, '"late"'))
        position = follow(store, run, position, seen)
    follow(store, run, position, seen)
    assert seen == ["late", "quick"]
    assert seen == read(store, run)


def test_a_transaction_prepared_here_holds_back_until_it_is_decided(
    store: Store, database: Database
):
    run, run_id, late, quick = two_leases(store)
    seen: list[Any] = []
    add = ADD_AN_ITEM.replace("%s", "{}").format(run_id, late.task_id, "'\"late\"'")
    with psycopg.connect(database.url, autocommit=True) as here, prepared(here, add):
        finish(store, completed(quick, "quick"))
        position = follow(store, run, "", seen)
        assert seen == []
    follow(store, run, position, seen)
    assert seen == ["late", "quick"]


def test_a_transaction_that_is_rolled_back_holds_back_nothing_more(
    store: Store, database: Database
):
    run, run_id, late, quick = two_leases(store)
    with writing(database.url) as writer:
        writer.execute(ADD_AN_ITEM, (run_id, late.task_id, '"late"'))
        finish(store, completed(quick, "quick"))
        writer.rollback()
        assert read(store, run) == ["quick"]


@pytest.mark.slow
def test_an_ordinary_role_reads_on_past_a_superuser_of_another_database(
    own_database: Database, elsewhere: str, clock: Clock
):
    """It may not see what other users do; the locks it sees are enough."""
    role = f"swather_{uuid.uuid4().hex[:12]}"
    own_database.execute(f"CREATE ROLE {role} LOGIN")
    own_database.execute(f"GRANT USAGE ON SCHEMA swather TO {role}")
    own_database.execute(f"GRANT ALL ON ALL TABLES IN SCHEMA swather TO {role}")
    own_database.execute(f"GRANT ALL ON ALL SEQUENCES IN SCHEMA swather TO {role}")
    store = swather.store.open(own_database.url.replace("postgres@", f"{role}@"), clock=clock)
    try:
        run, _, lease, _ = two_leases(store)
        with writing(elsewhere):
            finish(store, completed(lease, "here"))
            assert read(store, run) == ["here"]
    finally:
        store.close()
        own_database.execute(f"DROP OWNED BY {role}")
        own_database.execute(f"DROP ROLE {role}")


@pytest.mark.slow
def test_whatever_commits_when_a_reader_misses_nothing(
    store: Store, database: Database, elsewhere: str
):
    """Writers take a number, dawdle, add an item, dawdle, and commit or roll back; others dawdle
    in another database.
    """
    count, writers = 240, 6
    run, worker = a_run(store, count), a_worker(store)
    run_id = store.runs.get(run).id
    tasks = [lease.task_id for lease in claim(store, worker, count)]
    committed: list[int] = []
    done = threading.Event()

    def dawdle(random: Random) -> None:
        done.wait(random.choice((0, 0, 0.001, 0.01)))

    def write(seed: int) -> None:
        random = Random(seed)
        with psycopg.connect(database.url) as connection:
            for task in tasks[seed::writers]:
                connection.execute(TAKE_A_NUMBER)
                dawdle(random)
                connection.execute(ADD_AN_ITEM, (run_id, task, str(task)))
                dawdle(random)
                if random.random() < 0.1:
                    connection.rollback()
                else:
                    connection.commit()
                    committed.append(task)

    def dawdle_elsewhere() -> None:
        with psycopg.connect(elsewhere) as connection:
            while not done.is_set():
                connection.execute(TAKE_A_NUMBER)
                done.wait(0.005)
                connection.commit()

    def read_on() -> list[int]:
        mine, position = store.another(), ""
        seen: list[int] = []
        while not done.is_set():
            position = follow(mine, run, position, seen)
        follow(mine, run, position, seen)
        mine.close()
        return seen

    with ThreadPoolExecutor(writers + 2) as threads:
        reading = threads.submit(read_on)
        threads.submit(dawdle_elsewhere)
        for writing_thread in [threads.submit(write, seed) for seed in range(writers)]:
            writing_thread.result(timeout=50)
        done.set()
        seen = reading.result(timeout=50)
    assert sorted(seen) == sorted(committed)
    assert seen == read(store, run)


@contextmanager
def prepared(connection: psycopg.Connection[Any], statement: str) -> Iterator[None]:
    """A prepared transaction, committed when the block ends."""
    name = uuid.uuid4().hex
    connection.execute("BEGIN")
    connection.execute(statement)
    connection.execute(f"PREPARE TRANSACTION '{name}'")
    try:
        yield
    finally:
        connection.execute(f"COMMIT PREPARED '{name}'")
