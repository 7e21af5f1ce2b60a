"""Stored pages: each with its task, each body once."""

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any, Final

from swather.errors import NotFound
from swather.model.stored_page import StoredPage
from swather.store.checks import check_limit
from swather.store.page_rows import ORPHAN_SECONDS, TOUCH_SECONDS, PageBatch, page_of, prepare
from swather.store.postgres.arrays import Bigints, Blobs, Floats, Integers, Texts
from swather.store.postgres.connection import Connection
from swather.store.postgres.names import run_id
from swather.store.postgres.statements import queries

_ORPHANS_BATCH: Final = 1_000


class PostgresPages:
    """See swather.store.ports.Pages."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def put(self, run: str, pages: Sequence[StoredPage]) -> None:
        parts = list(prepare(pages))
        number = run_id(self._connection, run)

        def work() -> None:
            # A removal of the run waits, so that no page is left behind.
            if self._connection.row(queries.lock_run, {"run_id": number}, hot=True) is None:
                raise NotFound("the run was removed in the meantime")
            for part in parts:
                self._add(number, part)

        self._connection.transact(work)

    def _add(self, number: int, part: PageBatch) -> None:
        pages, bodies = part
        self._connection.execute(
            queries.add_bodies,
            {
                "sha256": Blobs(body.sha256 for body in bodies),
                "encoding": Texts(body.encoding for body in bodies),
                "size_bytes": Bigints(body.size_bytes for body in bodies),
                "stored_bytes": Bigints(body.stored_bytes for body in bodies),
                "content": Blobs(body.content for body in bodies),
                "touch_seconds": TOUCH_SECONDS,
            },
            hot=True,
        )
        self._connection.execute(
            queries.add_pages,
            {
                "run_id": number,
                "task_id": Bigints(page.task_id for page in pages),
                "request_key": Blobs(page.request_key for page in pages),
                "method": Texts(page.method for page in pages),
                "url": Texts(page.url for page in pages),
                "status": Integers(page.status for page in pages),
                "headers": Texts(page.headers for page in pages),
                "sha256": Blobs(page.sha256 for page in pages),
                "fetched_at": Floats(-1.0 if p.fetched_at is None else p.fetched_at for p in pages),
            },
            hot=True,
        )

    def find(self, run: str, task_id: int) -> list[StoredPage]:
        this = {"run_id": run_id(self._connection, run), "task_id": task_id}
        return [_page_of(row) for row in self._connection.rows(queries.pages_of_task, this)]

    def get(self, run: str, task_id: int, request_key: bytes) -> StoredPage | None:
        this = {
            "run_id": run_id(self._connection, run),
            "task_id": task_id,
            "request_key": request_key,
        }
        row = self._connection.row(queries.get_page, this, hot=True)
        return None if row is None else _page_of(row)

    def latest(self, request_key: bytes, *, run: str | None = None) -> StoredPage | None:
        if run is None:
            row = self._connection.row(queries.latest_page, {"request_key": request_key}, hot=True)
        else:
            this = {"request_key": request_key, "run_id": run_id(self._connection, run)}
            row = self._connection.row(queries.latest_page_of_run, this, hot=True)
        return None if row is None else _page_of(row)

    def tasks(self, run: str, *, after_id: int = 0, limit: int = 10_000) -> list[int]:
        number = run_id(self._connection, run)
        this = {"run_id": number, "after_id": after_id, "limit": check_limit(limit)}
        return [row[0] for row in self._connection.rows(queries.tasks_with_pages, this)]

    def stats(self, run: str | None = None) -> dict[str, int]:
        def work() -> list[Any]:
            if run is None:
                return self._connection.rows(queries.page_stats)
            this = {"run_id": run_id(self._connection, run)}
            return self._connection.rows(queries.page_stats_of_run, this)

        row = self._connection.in_bulk(work)[0]
        return {"pages": row[0], "size_bytes": row[1], "stored_bytes": row[2]}


def drop_orphans(connection: Connection) -> int:
    """Delete bodies that have had no page for a while, a batch at a time; returns how many."""
    dropped = 0
    after: tuple[datetime, bytes] = (datetime.fromtimestamp(0, UTC), b"")
    while True:
        this = {
            "after": after[0],
            "after_sha256": after[1],
            "seconds": ORPHAN_SECONDS,
            "limit": _ORPHANS_BATCH,
        }
        rows = connection.rows(queries.old_bodies, this)
        orphans = Blobs(row[1] for row in rows if not row[2])
        if orphans:
            gone = {"orphans": orphans, "seconds": ORPHAN_SECONDS}
            dropped += connection.value(queries.drop_bodies, gone)
        if len(rows) < _ORPHANS_BATCH:
            return dropped
        after = rows[-1][:2]


def _page_of(row: tuple[Any, ...]) -> StoredPage:
    return page_of(row[:-1], row[-1])
