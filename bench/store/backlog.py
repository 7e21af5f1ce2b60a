"""Backlogs put straight into the tables by a few statements, millions of rows in seconds."""

from pathlib import Path
from typing import Any, ClassVar

import apsw
import psycopg

from swather.model.run import REASON_PREFIX
from swather.model.task import DEFAULT_PRIORITY, State

ADD_LANES = """
    INSERT INTO lanes (kind, name)
    SELECT 'lane', 'bench-{lanes}-' || n FROM {series} WHERE true
    ON CONFLICT DO NOTHING
"""
ADD_HEADS = """
    INSERT INTO heads (run_id, partition, lane_id, best, wake_at)
    SELECT {run}, '', id, {priority}, {at_once} FROM lanes
    WHERE kind = 'lane' AND name LIKE 'bench-{lanes}-%' ORDER BY id
    ON CONFLICT DO NOTHING
"""
WAKE_HEADS = "UPDATE heads SET wake_at = {at_once}, asleep = '' WHERE run_id = {run}"
FIND_HEADS = "SELECT min(id), max(id) FROM heads WHERE run_id = {run}"
FIND_TASKS = "SELECT coalesce(max(id), 0) + 1 FROM tasks"
ADD_TASKS = """
    INSERT INTO tasks (id, run_id, head_id, priority, key, target, created_at) {given_ids}
    SELECT id, {run}, {head} + id % {lanes}, {priority}, {key},
           '"https://example.com/' || id || '"', {now}
    FROM (SELECT {first} + n AS id FROM {series}) AS new
"""
ADD_READY = """
    INSERT INTO ready (head_id, priority, task_id)
    SELECT head_id, priority, id FROM tasks WHERE id >= {first} ORDER BY head_id, id
"""
ADD_OUTCOMES = """
    INSERT INTO outcomes (task_id, run_id, token, state, reason, at)
    SELECT id, run_id, 0, 'completed', 'ok', {now} FROM tasks WHERE id >= {first}
"""
ADD_PRIORITY = "UPDATE runs SET priorities = priorities | (1 << {priority}) WHERE id = {run}"
LIMIT_LANES = "UPDATE runs SET lane_in_flight = {in_flight} WHERE id = {run}"


class Backlog:
    """What both databases share; a subclass has the words that differ and a connection."""

    words: ClassVar[dict[str, str]]
    series: str
    count_tasks: str

    def rows(self, sql: str) -> list[tuple[Any, ...]]:
        raise NotImplementedError

    def settle_down(self) -> None:
        """Do what the database does by itself some time after a bulk load."""
        raise NotImplementedError

    def close(self) -> None:
        raise NotImplementedError

    def add_ready(self, run_id: int, count: int, *, lanes: int = 1) -> None:
        """Ready tasks, dealt out to the lanes in turn as a crawl does."""
        first = self.add_tasks(run_id, count, lanes)
        self.run(ADD_READY, first=first)
        self.count(run_id, State.READY, count)
        self.run(WAKE_HEADS, run=run_id)

    def add_completed(self, run_id: int, count: int) -> None:
        first = self.add_tasks(run_id, count, lanes=1)
        self.run(ADD_OUTCOMES, first=first)
        self.count(run_id, State.COMPLETED, count)
        self.count(run_id, f"{REASON_PREFIX}ok", count)

    def limit_lanes(self, run_id: int, in_flight: int) -> None:
        self.run(LIMIT_LANES, run=run_id, in_flight=in_flight)

    def add_tasks(self, run_id: int, count: int, lanes: int) -> int:
        """The id of the first."""
        self.run(ADD_LANES, lanes=lanes, series=self.series.format(count=lanes))
        self.run(ADD_HEADS, run=run_id, lanes=lanes)
        ((head, last_head),) = self.run(FIND_HEADS, run=run_id)
        assert last_head - head == lanes - 1, "a run has one set of lanes, with ids in a row"
        ((first,),) = self.run(FIND_TASKS)
        series = self.series.format(count=count)
        self.run(ADD_TASKS, run=run_id, head=head, lanes=lanes, first=first, series=series)
        self.run(ADD_PRIORITY, run=run_id)
        return int(first)

    def count(self, run_id: int, name: str, count: int) -> None:
        self.run(self.count_tasks, run=run_id, name=name, count=count)

    def run(self, sql: str, **values: Any) -> list[tuple[Any, ...]]:
        return self.rows(sql.format(priority=DEFAULT_PRIORITY, **self.words, **values))


class SQLiteBacklog(Backlog):
    series = """(
        WITH RECURSIVE series (n) AS (
            SELECT 0 UNION ALL SELECT n + 1 FROM series WHERE n + 1 < {count}
        ) SELECT n FROM series
    )"""
    words: ClassVar = {
        "at_once": "0",
        "given_ids": "",
        "key": "CAST(printf('%032d', id) AS BLOB)",
        "now": "unixepoch('subsec')",
        "second": "1.0",
    }
    count_tasks = """
        INSERT INTO counters (run_id, name, n) VALUES ({run}, '{name}', {count})
        ON CONFLICT DO UPDATE SET n = n + excluded.n
    """

    def __init__(self, path: Path) -> None:
        self._db = apsw.Connection(str(path))
        self._db.set_busy_timeout(10_000)
        self._db.pragma("synchronous", "off")
        self._db.pragma("cache_size", -262144)

    def rows(self, sql: str) -> list[tuple[Any, ...]]:
        return self._db.execute(sql).fetchall()

    def settle_down(self) -> None:
        self.rows("PRAGMA wal_checkpoint(TRUNCATE)")

    def close(self) -> None:
        self._db.close()


class PostgresBacklog(Backlog):
    series = "generate_series(0, {count} - 1) AS n"
    words: ClassVar = {
        "at_once": "'-infinity'",
        "given_ids": "OVERRIDING SYSTEM VALUE",
        "key": "convert_to(lpad(id::text, 32, '0'), 'UTF8')",
        "now": "now()",
        "second": "interval '1 second'",
    }
    count_tasks = "INSERT INTO counters (run_id, name, n) VALUES ({run}, '{name}', {count})"

    def __init__(self, url: str) -> None:
        self._db: psycopg.Connection[Any] = psycopg.connect(
            url, autocommit=True, options="-c search_path=swather,public"
        )

    def rows(self, sql: str) -> list[tuple[Any, ...]]:
        cursor = self._db.execute(sql)
        return cursor.fetchall() if cursor.description else []

    def add_tasks(self, run_id: int, count: int, lanes: int) -> int:
        first = super().add_tasks(run_id, count, lanes)
        self.rows("SELECT setval(pg_get_serial_sequence('tasks', 'id'), max(id)) FROM tasks")
        return first

    def settle_down(self) -> None:
        self.rows("VACUUM ANALYZE")

    def close(self) -> None:
        self._db.close()
