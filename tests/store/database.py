"""The two databases as the tests see them: a URL to open, and plain SQL behind the store's back."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Protocol

import apsw
import psycopg


class Database(Protocol):
    """`one_host`: all workers share this machine, so another boot's worker is dead for sure.
    `migrates_itself`: opening an older schema brings it up to date.
    `one_writer`: a second writer waits until the first has committed.
    """

    kind: str
    url: str
    one_host: bool
    migrates_itself: bool
    one_writer: bool

    def rows(self, sql: str) -> list[tuple[Any, ...]]: ...
    def execute(self, sql: str) -> None: ...
    @contextmanager
    def transaction(self) -> Iterator[Any]:
        """An open transaction that has not written yet; leave the block to commit it."""
        ...

    def close(self) -> None: ...


class SQLite:
    kind = "sqlite"
    package = "swather.store.sqlite"
    one_host = True
    migrates_itself = True
    one_writer = True

    def __init__(self, path: Path) -> None:
        self.path = path
        self.url = f"sqlite:///{path}"

    @contextmanager
    def _connection(self) -> Iterator[apsw.Connection]:
        connection = apsw.Connection(str(self.path))
        connection.set_busy_timeout(10_000)
        try:
            yield connection
        finally:
            connection.close()

    def rows(self, sql: str) -> list[tuple[Any, ...]]:
        with self._connection() as connection:
            return list(connection.execute(sql))

    def execute(self, sql: str) -> None:
        with self._connection() as connection:
            connection.execute(sql)

    @contextmanager
    def transaction(self) -> Iterator[apsw.Connection]:
        with self._connection() as connection:
            connection.execute("BEGIN IMMEDIATE")
            try:
                yield connection
            finally:
                connection.execute("COMMIT")

    def close(self) -> None:
        """Nothing stays open between calls."""


class Postgres:
    kind = "postgres"
    package = "swather.store.postgres"
    one_host = False
    migrates_itself = False
    one_writer = False

    def __init__(self, url: str) -> None:
        self.url = url
        self._kept: psycopg.Connection[Any] | None = None

    def _connect(self, *, autocommit: bool) -> psycopg.Connection[Any]:
        return psycopg.connect(
            self.url, autocommit=autocommit, options="-c search_path=swather,public"
        )

    @property
    def _connection(self) -> psycopg.Connection[Any]:
        if self._kept is None or self._kept.closed:
            self._kept = self._connect(autocommit=True)
        return self._kept

    def rows(self, sql: str) -> list[tuple[Any, ...]]:
        return self._connection.execute(sql).fetchall()

    def execute(self, sql: str) -> None:
        self._connection.execute(sql)

    @contextmanager
    def transaction(self) -> Iterator[psycopg.Connection[Any]]:
        with self._connect(autocommit=False) as connection:
            yield connection

    def close(self) -> None:
        if self._kept is not None:
            self._kept.close()


class ReusedPostgres(Postgres):
    """A database that can be brought back to what it held at first."""

    def __init__(self, url: str) -> None:
        super().__init__(url)
        self._columns: dict[str, str] = dict(
            self.rows(
                """
                SELECT table_name, string_agg(quote_ident(column_name), ', ')
                FROM information_schema.columns
                JOIN information_schema.tables USING (table_schema, table_name)
                WHERE table_schema = 'swather' AND table_type = 'BASE TABLE'
                  AND is_generated = 'NEVER'
                GROUP BY table_name
                """
            )
        )
        self._first_rows = {
            table: rows for table in self._columns if (rows := self._copy_out(table))
        }

    def empty(self) -> None:
        """Disconnect whoever is left, delete all rows, put back the first ones, and count anew. A
        backend that is ending may still commit, so each is waited for.
        """
        self.execute(
            "SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity"
            " WHERE datname = current_database() AND pid <> pg_backend_pid()"
        )
        with self._connection.transaction():
            self.execute(";".join(f"DELETE FROM {table}" for table in self._children_first()))
            for table in reversed(self._children_first()):
                if table in self._first_rows:
                    self._copy_in(table, self._first_rows[table])
            self.execute(
                "SELECT setval(format('%I.%I', schemaname, sequencename)::regclass, 1, false)"
                " FROM pg_sequences WHERE schemaname = 'swather'"
            )

    def _children_first(self) -> list[str]:
        referred = ["heads", "runs", "lanes"]
        return [table for table in self._columns if table not in referred] + referred

    def _copy_out(self, table: str) -> bytes:
        with self._connection.cursor().copy(
            f"COPY {table} ({self._columns[table]}) TO STDOUT"
        ) as copy:
            return b"".join(bytes(part) for part in copy)

    def _copy_in(self, table: str, rows: bytes) -> None:
        with self._connection.cursor().copy(
            f"COPY {table} ({self._columns[table]}) FROM STDIN"
        ) as copy:
            copy.write(rows)
