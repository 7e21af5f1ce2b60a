"""Stores for the threads that answer requests: shared, bounded, and new after an outage."""

import threading
from concurrent.futures import ThreadPoolExecutor
from urllib.parse import urlsplit

import psycopg
import pytest
from psycopg import sql

import swather.store
from swather.api.stores import Stores
from swather.errors import Closed, DatabaseBusy, InputError, StoreError
from swather.store import Store
from tests.postgres import PostgresServer


def test_a_store_is_used_by_one_thread_at_a_time_and_kept_for_the_next(store: Store):
    stores = Stores(store, most=2)
    both, ever = threading.Barrier(2), set()

    def work(_: int) -> None:
        with stores.borrowed() as borrowed:
            ever.add(id(borrowed))
            both.wait(20)
            assert borrowed.runs.find() == []

    with ThreadPoolExecutor(6) as threads:
        list(threads.map(work, range(6)))
    assert len(ever) == 2
    stores.close()


def test_a_mistake_of_a_request_costs_no_store(sqlite: Store):
    stores = Stores(sqlite, most=1)
    with stores.borrowed() as first:
        pass
    with pytest.raises(InputError), stores.borrowed():
        raise InputError("no such run")
    with stores.borrowed() as again:
        assert again is first
    with pytest.raises(StoreError), stores.borrowed():
        raise StoreError("the connection was lost")
    with stores.borrowed() as another:
        assert another is not first
    stores.close()


def test_a_store_that_had_to_wait_for_a_writer_is_kept_with_the_idle_ones(sqlite: Store):
    stores = Stores(sqlite, most=1)
    with stores.borrowed() as first:
        pass
    with pytest.raises(DatabaseBusy), stores.borrowed():
        raise DatabaseBusy("locked by another process")
    with stores.borrowed() as again:
        assert again is first
    stores.close()


def test_a_server_that_stops_lends_nothing_more(sqlite: Store):
    stores = Stores(sqlite)
    with stores.borrowed() as borrowed:
        stores.close()
        assert borrowed.runs.find() == []  # what is under way ends
    with pytest.raises(Closed), stores.borrowed():
        pass


def test_after_an_outage_no_request_gets_a_connection_from_before_it(
    postgres_server: PostgresServer,
):
    with (
        postgres_server.fresh_database() as url,
        psycopg.connect(postgres_server.url(), autocommit=True) as admin,
    ):
        swather.store.prepare(url)
        store = swather.store.open(url)
        stores = Stores(store)
        all_at_once = threading.Barrier(6)

        def ask(_: int) -> None:
            with stores.borrowed() as borrowed:
                all_at_once.wait(20)
                borrowed.runs.find()

        with ThreadPoolExecutor(6) as threads:
            list(threads.map(ask, range(6)))
        name = urlsplit(url).path.strip("/")
        may_connect = sql.SQL("ALTER DATABASE {} ALLOW_CONNECTIONS {}")
        admin.execute(may_connect.format(sql.Identifier(name), sql.SQL("false")))
        cut = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = %s"
        admin.execute(cut, [name])
        with pytest.raises(StoreError), stores.borrowed() as borrowed:
            borrowed.runs.find()
        admin.execute(may_connect.format(sql.Identifier(name), sql.SQL("true")))
        for _ in range(6):
            with stores.borrowed() as borrowed:
                assert borrowed.runs.find() == []
        stores.close()
        store.close()
