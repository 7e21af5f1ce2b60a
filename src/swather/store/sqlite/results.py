"""Reads items, files and error groups."""

from collections.abc import Collection
from typing import Any

from swather.errors import InputError
from swather.model.payload import decode, storable
from swather.model.results import (
    MAX_MESSAGES_ASKED,
    MAX_TASKS_ASKED,
    ErrorExample,
    ErrorGroup,
    Part,
    StoredFile,
    StoredItem,
    Unlinked,
    by_part,
    most_frequent,
)
from swather.store.checks import check_limit
from swather.store.clock import at
from swather.store.sqlite.connection import Connection
from swather.store.sqlite.names import run_id
from swather.store.sqlite.statements import queries


class SQLiteResults:
    """See swather.store.ports.Results. With one writer at a time, ids are in commit order."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def items(
        self, run: str, *, after: str = "", limit: int = 1_000, complete_only: bool = False
    ) -> list[StoredItem]:
        sql = queries.completed_items if complete_only else queries.items
        return self._items(sql, run, after, limit)

    def outdated(self, run: str, *, after: str = "", limit: int = 1_000) -> list[StoredItem]:
        return self._items(queries.outdated_items, run, after, limit)

    def _items(self, sql: str, run: str, after: str, limit: int) -> list[StoredItem]:
        with self._connection.reading():
            this = {
                "run_id": run_id(self._connection, run),
                "after": _id_of(after),
                "limit": check_limit(limit),
            }
            rows = self._connection.rows(sql, this)
        return [
            StoredItem(
                position=str(row[0]),
                task_id=row[1],
                part=row[2],
                seq=row[3],
                key=row[4],
                data=decode(row[5]),
                partial=bool(row[6]),
            )
            for row in rows
        ]

    def files(self, run: str, *, after: str = "", limit: int = 1_000) -> list[StoredFile]:
        with self._connection.reading():
            this = {
                "run_id": run_id(self._connection, run),
                "after": _id_of(after),
                "limit": check_limit(limit),
            }
            rows = self._connection.rows(queries.files, this)
        return [
            StoredFile(
                position=str(row[0]),
                task_id=row[1],
                part=row[2],
                seq=row[3],
                name=row[4],
                sha256=row[5],
                size_bytes=row[6],
                media_type=row[7],
            )
            for row in rows
        ]

    def unlinked(self, *, after: Part = (0, 0), limit: int = 1_000) -> list[Unlinked]:
        this = {"task_id": after[0], "part": after[1], "limit": check_limit(limit)}
        with self._connection.reading():
            return by_part(self._connection.rows(queries.unlinked, this))

    def mark_linked(self, parts: Collection[Part]) -> None:
        with self._connection.transaction():
            self._connection.executemany(queries.linked, sorted(parts))

    def has_file(self, sha256: str) -> bool:
        with self._connection.reading():
            found = self._connection.row(queries.has_file, (sha256,))
        return found is not None

    def errors(self, run: str, *, limit: int = 100) -> list[ErrorGroup]:
        with self._connection.reading():
            this = {"run_id": run_id(self._connection, run), "limit": check_limit(limit)}
            return [
                _group_of(run, row) for row in self._connection.rows(queries.error_groups, this)
            ]

    def errors_like(self, run: str, prefix: str, *, limit: int = 10) -> list[ErrorGroup]:
        with self._connection.reading():
            this = {
                "run_id": run_id(self._connection, run),
                "prefix": storable(prefix),
                "limit": check_limit(limit),
            }
            rows = self._connection.rows(queries.error_groups_like, this)
        return [_group_of(run, row) for row in rows]

    def error_example(self, group: ErrorGroup) -> ErrorExample:
        with self._connection.reading():
            this = {
                "run_id": run_id(self._connection, group.run),
                "fingerprint": group.fingerprint,
                "seen": MAX_TASKS_ASKED,
                "limit": MAX_MESSAGES_ASKED,
            }
            rows = self._connection.rows(queries.frequent_messages, this)
            task_id, message = most_frequent(rows, group)
            traceback = self._connection.value(queries.fault_traceback, {"task_id": task_id})
        return ErrorExample(
            task_id=task_id, message=message, traceback=traceback or group.sample_traceback
        )


def _group_of(run: str, row: tuple[Any, ...]) -> ErrorGroup:
    return ErrorGroup(
        run=run,
        fingerprint=row[0],
        error_class=row[1],
        title=row[2],
        where=row[3],
        count=row[4],
        first_at=at(row[5]),
        last_at=at(row[6]),
        sample_task_id=row[7],
        sample_message=row[8],
        sample_traceback=row[9],
    )


def _id_of(position: str) -> int:
    if not position:
        return 0
    try:
        return int(position)
    except ValueError as error:
        raise InputError(f"{position!r} is not a position that this store gave") from error
