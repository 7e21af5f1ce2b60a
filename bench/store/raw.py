"""The same work in the best honest hand-written SQL: one table, no fences, counters or lanes."""

from collections.abc import Iterable, Sequence
from itertools import islice
from pathlib import Path
from typing import Any, Protocol

import apsw
import psycopg

BATCH = 5_000
Row = tuple[bytes, str]


class Raw(Protocol):
    """`exchanges`: ways to finish some tasks and claim the next; the best of them is the limit."""

    def fill(self, count: int) -> None: ...
    def add(self, rows: Iterable[Row]) -> None: ...
    def claim(self, count: int) -> list[int]: ...
    def finish(self, ids: Sequence[int]) -> None: ...
    def exchange_in_one(self, ids: Sequence[int], count: int) -> list[int]: ...
    def exchange_in_two(self, ids: Sequence[int], count: int) -> list[int]: ...
    def close(self) -> None: ...


class RawSQLite:
    TABLE = """
        CREATE TABLE queue (
            id     INTEGER PRIMARY KEY,
            state  INTEGER NOT NULL DEFAULT 0,
            worker INTEGER,
            key    BLOB NOT NULL,
            target TEXT NOT NULL
        );
        CREATE INDEX queue_ready ON queue (id) WHERE state = 0;
    """
    FILL = """
        WITH RECURSIVE n (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM n WHERE n < ?)
        INSERT INTO queue (key, target)
        SELECT CAST(printf('%032d', n) AS BLOB), '"https://example.com/' || n || '"' FROM n
    """
    ADD = "INSERT INTO queue (key, target) VALUES (?, ?)"
    CLAIM = """
        UPDATE queue SET state = 1, worker = 7
        WHERE id IN (SELECT id FROM queue WHERE state = 0 ORDER BY id LIMIT ?)
        RETURNING id, target
    """
    FINISH = "UPDATE queue SET state = 2 WHERE id = ?"

    def __init__(self, path: Path) -> None:
        self._db = apsw.Connection(str(path))
        self._db.pragma("journal_mode", "wal")
        self._db.pragma("synchronous", "full")
        self._db.pragma("cache_size", -65536)
        self._db.pragma("wal_autocheckpoint", 4_000)
        self._db.execute(self.TABLE)

    def fill(self, count: int) -> None:
        self._db.pragma("synchronous", "off")
        self._db.execute(self.FILL, (count,))
        self._db.pragma("wal_checkpoint", "truncate")
        self._db.pragma("synchronous", "full")

    def add(self, rows: Iterable[Row]) -> None:
        stream = iter(rows)
        while batch := list(islice(stream, BATCH)):
            self._db.execute("BEGIN IMMEDIATE")
            self._db.executemany(self.ADD, batch)
            self._db.execute("COMMIT")

    def claim(self, count: int) -> list[int]:
        self._db.execute("BEGIN IMMEDIATE")
        ids = self._claim(count)
        self._db.execute("COMMIT")
        return ids

    def finish(self, ids: Sequence[int]) -> None:
        self._db.execute("BEGIN IMMEDIATE")
        self._finish(ids)
        self._db.execute("COMMIT")

    def exchange_in_one(self, ids: Sequence[int], count: int) -> list[int]:
        self._db.execute("BEGIN IMMEDIATE")
        self._finish(ids)
        claimed = self._claim(count)
        self._db.execute("COMMIT")
        return claimed

    def exchange_in_two(self, ids: Sequence[int], count: int) -> list[int]:
        self.finish(ids)
        return self.claim(count)

    def close(self) -> None:
        self._db.close()

    def _claim(self, count: int) -> list[int]:
        found: list[Any] = self._db.execute(self.CLAIM, (count,)).fetchall()
        return [row[0] for row in found]

    def _finish(self, ids: Sequence[int]) -> None:
        self._db.executemany(self.FINISH, [(task_id,) for task_id in ids])


class RawPostgres:
    SETTINGS = (
        "jit = off",
        "plan_cache_mode = force_generic_plan",
        "enable_hashjoin = off",
        "enable_mergejoin = off",
        "enable_seqscan = off",
    )
    TABLE = """
        CREATE TABLE queue (
            id     bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
            state  smallint NOT NULL DEFAULT 0,
            worker bigint,
            key    bytea NOT NULL,
            target text NOT NULL
        ) WITH (autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_cost_delay = 0);
        CREATE INDEX queue_ready ON queue (id) WHERE state = 0;
    """
    FILL = """
        INSERT INTO queue (key, target)
        SELECT convert_to(lpad(n::text, 32, '0'), 'UTF8'), '"https://example.com/' || n || '"'
        FROM generate_series(1, %s) AS n
    """
    CLAIM = """
        WITH next AS (
            SELECT id FROM queue WHERE state = 0 ORDER BY id LIMIT %s FOR UPDATE SKIP LOCKED
        )
        UPDATE queue SET state = 1, worker = 7 FROM next WHERE queue.id = next.id
        RETURNING queue.id, queue.target
    """
    FINISH = "UPDATE queue SET state = 2 WHERE id = ANY(%b)"

    def __init__(self, url: str) -> None:
        self._db: psycopg.Connection[Any] = psycopg.connect(url, autocommit=True)
        for statement in self.TABLE.split(";"):
            if statement.strip():
                self._db.execute(statement)
        for setting in self.SETTINGS:
            self._db.execute(f"SET {setting}")

    def fill(self, count: int) -> None:
        self._db.execute(self.FILL, (count,))
        self._db.execute("VACUUM ANALYZE queue")

    def add(self, rows: Iterable[Row]) -> None:
        stream = iter(rows)
        while batch := list(islice(stream, BATCH)):
            with (
                self._db.cursor() as cursor,
                cursor.copy("COPY queue (key, target) FROM STDIN (FORMAT binary)") as copy,
            ):
                copy.set_types(["bytea", "text"])
                for row in batch:
                    copy.write_row(row)

    def claim(self, count: int) -> list[int]:
        found = self._db.execute(self.CLAIM, (count,), prepare=True, binary=True)
        return [row[0] for row in found.fetchall()]

    def finish(self, ids: Sequence[int]) -> None:
        self._db.execute(self.FINISH, (list(ids),), prepare=True)

    def exchange_in_one(self, ids: Sequence[int], count: int) -> list[int]:
        with self._db.transaction():
            self.finish(ids)
            return self.claim(count)

    def exchange_in_two(self, ids: Sequence[int], count: int) -> list[int]:
        self.finish(ids)
        return self.claim(count)

    def close(self) -> None:
        self._db.close()
