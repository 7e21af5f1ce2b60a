"""Reads items, files and error groups."""

from collections.abc import Collection
from datetime import datetime
from typing import Any

from swather.errors import InputError
from swather.model.payload import decode, storable
from swather.model.results import (
    MAX_MESSAGES_ASKED,
    MAX_TASKS_ASKED,
    Counterpart,
    ErrorExample,
    ErrorGroup,
    FoundItems,
    Part,
    StoredFile,
    StoredItem,
    TaskIdentity,
    TaskResults,
    Unlinked,
    by_key,
    by_part,
    found_items,
    most_frequent,
)
from swather.model.task import check_name
from swather.store.checks import (
    MAX_ID,
    ascii_lower,
    check_limit,
    may_exist,
    unknown_file,
    unknown_group,
)
from swather.store.clock import at
from swather.store.ports import ITEM_SCAN, MAX_ANCESTORS
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
        return [_item_of(row) for row in rows]

    def newest(self, run: str, *, before: str = "", limit: int = 50) -> list[StoredItem]:
        rows = self._rows_before(queries.newest_items, run, before, limit)
        return [_item_of(row) for row in rows]

    def search(
        self, run: str, text: str, *, before: str = "", limit: int = 50, scan: int = ITEM_SCAN
    ) -> FoundItems:
        check_name("text", text)
        with self._connection.reading():
            this = {
                "run_id": run_id(self._connection, run),
                "before": _id_before(before),
                "limit": check_limit(limit),
            }
            stop = self._connection.value(
                queries.last_item_to_search, {**this, "scan": check_limit(scan)}
            )
            values = {**this, "stop": stop or 0, "text": ascii_lower(text)}
            rows = self._connection.rows(queries.search_items, values)
        return found_items([_item_of(row) for row in rows], stop and str(stop), limit)

    def of_task(self, task_id: int, *, limit: int = 1_000) -> TaskResults:
        if not may_exist(task_id):
            return TaskResults([], [])
        this = {"task_id": task_id, "limit": check_limit(limit)}
        with self._connection.reading():
            items = self._connection.rows(queries.items_of_task, this)
            files = self._connection.rows(queries.files_of_task, this)
        return TaskResults([_item_of(row) for row in items], [_file_of(row) for row in files])

    def identities(self, tasks: Collection[int]) -> dict[int, TaskIdentity]:
        ids = [(task_id,) for task_id in tasks if may_exist(task_id)]
        with self._connection.reading():
            rows = self._connection.many_rows(queries.identity, ids)
        return {row[0]: TaskIdentity(bytes(row[1]), decode(row[2])) for row in rows}

    def counterparts(
        self, tasks: Collection[int], run: str, *, after: str
    ) -> dict[int, Counterpart]:
        with self._connection.reading():
            this = {
                "run_id": run_id(self._connection, run),
                "most": MAX_ANCESTORS,
                "after": _id_of(after),
            }
            each = [{**this, "task_id": task_id} for task_id in tasks if may_exist(task_id)]
            rows = self._connection.many_rows(queries.counterpart, each)
        return {
            row[0]: Counterpart(bool(row[1]), row[2], row[3], row[4], bool(row[5])) for row in rows
        }

    def also_found_by(self, run: str, keys: Collection[str]) -> dict[str, list[int]]:
        with self._connection.reading():
            this = {"run_id": run_id(self._connection, run), "limit": MAX_TASKS_ASKED}
            each = [{**this, "key": storable(key)} for key in keys]
            return by_key(self._connection.many_rows(queries.also_found_by, each))

    def files(self, run: str, *, after: str = "", limit: int = 1_000) -> list[StoredFile]:
        with self._connection.reading():
            this = {
                "run_id": run_id(self._connection, run),
                "after": _id_of(after),
                "limit": check_limit(limit),
            }
            rows = self._connection.rows(queries.files, this)
        return [_file_of(row) for row in rows]

    def newest_files(self, run: str, *, before: str = "", limit: int = 50) -> list[StoredFile]:
        rows = self._rows_before(queries.newest_files, run, before, limit)
        return [_file_of(row) for row in rows]

    def file(self, run: str, position: str) -> StoredFile:
        with self._connection.reading():
            this = {"run_id": run_id(self._connection, run), "id": _id_of(position)}
            row = self._connection.row(queries.get_file, this)
        if row is None:
            raise unknown_file(run, position)
        return _file_of(row)

    def _rows_before(self, sql: str, run: str, before: str, limit: int) -> list[tuple[Any, ...]]:
        with self._connection.reading():
            this = {
                "run_id": run_id(self._connection, run),
                "before": _id_before(before),
                "limit": check_limit(limit),
            }
            return self._connection.rows(sql, this)

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

    def error_groups(self, *, limit: int = 100, since: datetime | None = None) -> list[ErrorGroup]:
        this = {"since": 0.0 if since is None else since.timestamp(), "limit": check_limit(limit)}
        with self._connection.reading():
            rows = self._connection.rows(queries.latest_error_groups, this)
        return [_group_of(row[11], row) for row in rows]

    def mute(self, run: str, fingerprint: str, muted: bool) -> None:
        with self._connection.transaction():
            this = {
                "run_id": run_id(self._connection, run),
                "fingerprint": storable(fingerprint),
                "muted": muted,
            }
            if not self._connection.execute_counting(queries.mute_error_group, this):
                raise unknown_group(run, fingerprint)

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
        muted=bool(row[10]),
    )


def _item_of(row: tuple[Any, ...]) -> StoredItem:
    return StoredItem(
        position=str(row[0]),
        task_id=row[1],
        part=row[2],
        seq=row[3],
        key=row[4],
        data=decode(row[5]),
        partial=bool(row[6]),
    )


def _file_of(row: tuple[Any, ...]) -> StoredFile:
    return StoredFile(
        position=str(row[0]),
        task_id=row[1],
        part=row[2],
        seq=row[3],
        name=row[4],
        sha256=row[5],
        size_bytes=row[6],
        media_type=row[7],
    )


def _id_of(position: str) -> int:
    if not position:
        return 0
    try:
        return min(int(position), MAX_ID)
    except ValueError as error:
        raise InputError(f"{position!r} is not a position that this store gave") from error


def _id_before(position: str) -> int:
    return _id_of(position) if position else MAX_ID
