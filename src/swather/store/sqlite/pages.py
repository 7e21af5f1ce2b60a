"""Stored pages: each with its task, each body once."""

from collections.abc import Sequence
from typing import Any, Final

from swather.model.stored_page import StoredPage
from swather.store.checks import check_limit
from swather.store.clock import at
from swather.store.page_rows import ORPHAN_SECONDS, TOUCH_SECONDS, page_of, prepare
from swather.store.sqlite.connection import Connection
from swather.store.sqlite.names import run_id
from swather.store.sqlite.statements import queries

_ORPHANS_BATCH: Final = 1_000


class SQLitePages:
    """See swather.store.ports.Pages."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def put(self, run: str, pages: Sequence[StoredPage]) -> None:
        parts = list(prepare(pages))
        with self._connection.transaction():
            number = run_id(self._connection, run)
            now = self._connection.clock.wall()
            for rows, bodies in parts:
                self._connection.executemany(
                    queries.add_bodies, [(*body, now, now - TOUCH_SECONDS) for body in bodies]
                )
                self._connection.executemany(
                    queries.add_pages,
                    [(number, *row[:-1], now if row[-1] is None else row[-1]) for row in rows],
                )

    def find(self, run: str, task_id: int) -> list[StoredPage]:
        with self._connection.reading():
            this = {"run_id": run_id(self._connection, run), "task_id": task_id}
            rows = self._connection.rows(queries.pages_of_task, this)
        return [_page_of(row) for row in rows]

    def get(self, run: str, task_id: int, request_key: bytes) -> StoredPage | None:
        with self._connection.reading():
            this = {
                "run_id": run_id(self._connection, run),
                "task_id": task_id,
                "request_key": request_key,
            }
            row = self._connection.row(queries.get_page, this)
        return None if row is None else _page_of(row)

    def latest(self, request_key: bytes, *, run: str | None = None) -> StoredPage | None:
        with self._connection.reading():
            if run is None:
                row = self._connection.row(queries.latest_page, {"request_key": request_key})
            else:
                this = {"request_key": request_key, "run_id": run_id(self._connection, run)}
                row = self._connection.row(queries.latest_page_of_run, this)
        return None if row is None else _page_of(row)

    def tasks(self, run: str, *, after_id: int = 0, limit: int = 10_000) -> list[int]:
        with self._connection.reading():
            number = run_id(self._connection, run)
            this = {"run_id": number, "after_id": after_id, "limit": check_limit(limit)}
            return [row[0] for row in self._connection.rows(queries.tasks_with_pages, this)]

    def stats(self, run: str | None = None) -> dict[str, int]:
        with self._connection.reading():
            if run is None:
                row = self._connection.row(queries.page_stats)
            else:
                this = {"run_id": run_id(self._connection, run)}
                row = self._connection.row(queries.page_stats_of_run, this)
        assert row is not None
        return {"pages": row[0], "size_bytes": row[1], "stored_bytes": row[2]}


def drop_orphans(connection: Connection) -> int:
    """Delete bodies that have had no page for a while, a batch at a time; returns how many."""
    dropped = 0
    after: tuple[float, bytes] = (0.0, b"")
    before = connection.clock.wall() - ORPHAN_SECONDS
    while True:
        with connection.transaction():
            rows = connection.rows(queries.old_bodies, (*after, before, _ORPHANS_BATCH))
            orphans = [(row[1],) for row in rows if not row[2]]
            connection.executemany(queries.drop_bodies, orphans)
        dropped += len(orphans)
        if len(rows) < _ORPHANS_BATCH:
            return dropped
        after = rows[-1][:2]


def _page_of(row: tuple[Any, ...]) -> StoredPage:
    return page_of(row[:-1], at(row[-1]))
