"""Reads items, files and error groups."""

from collections.abc import Collection
from datetime import datetime
from typing import Any, Final

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
from swather.store.ports import ITEM_SCAN, MAX_ANCESTORS
from swather.store.postgres.arrays import Bigints, Integers, Texts
from swather.store.postgres.connection import Connection
from swather.store.postgres.names import run_id
from swather.store.postgres.statements import queries

# Above all numbers of transactions.
_LAST_XID: Final = str(2**64 - 1)


class PostgresResults:
    """See swather.store.ports.Results. A position is 'transaction:id'.

    What is read stays below the oldest transaction that may still write, so that whatever commits
    later has a higher position.
    """

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def items(
        self, run: str, *, after: str = "", limit: int = 1_000, complete_only: bool = False
    ) -> list[StoredItem]:
        sql = queries.completed_items if complete_only else queries.items
        return [_item_of(row) for row in self._rows_after(sql, run, after, limit)]

    def outdated(self, run: str, *, after: str = "", limit: int = 1_000) -> list[StoredItem]:
        this = {
            "run_id": run_id(self._connection, run),
            "after": _parsed(after)[1],
            "limit": check_limit(limit),
        }
        rows = self._connection.rows(queries.outdated_items, this)
        return [_item_of((f"0:{row[0]}", *row[1:], True)) for row in rows]

    def newest(self, run: str, *, before: str = "", limit: int = 50) -> list[StoredItem]:
        rows = self._connection.rows(queries.newest_items, self._before(run, before, limit))
        return [_item_of(row) for row in rows]

    def search(
        self, run: str, text: str, *, before: str = "", limit: int = 50, scan: int = ITEM_SCAN
    ) -> FoundItems:
        check_name("text", text)
        this = self._before(run, before, limit)
        stop: str | None = self._connection.value(
            queries.last_item_to_search, {**this, "scan": check_limit(scan)}
        )
        xid, number = _parsed(stop or "")
        values = {**this, "stop_xid": xid, "stop_id": number, "text": ascii_lower(text)}
        rows = self._connection.rows(queries.search_items, values)
        return found_items([_item_of(row) for row in rows], stop, limit)

    def of_task(self, task_id: int, *, limit: int = 1_000) -> TaskResults:
        if not may_exist(task_id):
            return TaskResults([], [])
        this = {"task_id": task_id, "limit": check_limit(limit)}
        items = self._connection.rows(queries.items_of_task, this)
        files = self._connection.rows(queries.files_of_task, this)
        return TaskResults([_item_of(row) for row in items], [_file_of(row) for row in files])

    def identities(self, tasks: Collection[int]) -> dict[int, TaskIdentity]:
        ids = Bigints(filter(may_exist, tasks))
        rows = self._connection.rows(queries.identities, {"tasks": ids})
        return {row[0]: TaskIdentity(bytes(row[1]), decode(row[2])) for row in rows}

    def counterparts(
        self, tasks: Collection[int], run: str, *, after: str
    ) -> dict[int, Counterpart]:
        xid, number = _parsed(after)
        this = {
            "xid": xid,
            "id": number,
            "run_id": run_id(self._connection, run),
            "tasks": Bigints(filter(may_exist, tasks)),
            "most": MAX_ANCESTORS,
        }
        rows = self._connection.rows(queries.counterparts, this)
        return {row[0]: Counterpart(*row[1:]) for row in rows}

    def also_found_by(self, run: str, keys: Collection[str]) -> dict[str, list[int]]:
        this = {
            "run_id": run_id(self._connection, run),
            "keys": Texts(map(storable, keys)),
            "limit": MAX_TASKS_ASKED,
        }
        return by_key(self._connection.rows(queries.also_found_by, this))

    def files(self, run: str, *, after: str = "", limit: int = 1_000) -> list[StoredFile]:
        return [_file_of(row) for row in self._rows_after(queries.files, run, after, limit)]

    def newest_files(self, run: str, *, before: str = "", limit: int = 50) -> list[StoredFile]:
        rows = self._connection.rows(queries.newest_files, self._before(run, before, limit))
        return [_file_of(row) for row in rows]

    def file(self, run: str, position: str) -> StoredFile:
        xid, number = _parsed(position)
        this = {"run_id": run_id(self._connection, run), "xid": xid, "id": number}
        row = self._connection.row(queries.get_file, this)
        if row is None:
            raise unknown_file(run, position)
        return _file_of(row)

    def unlinked(self, *, after: Part = (0, 0), limit: int = 1_000) -> list[Unlinked]:
        this = {"task_id": after[0], "part": after[1], "limit": check_limit(limit)}
        return by_part(self._connection.rows(queries.unlinked, this))

    def mark_linked(self, parts: Collection[Part]) -> None:
        tasks = Bigints(task_id for task_id, _ in parts)
        numbers = Integers(part for _, part in parts)
        self._connection.execute(queries.linked, {"tasks": tasks, "parts": numbers})

    def has_file(self, sha256: str) -> bool:
        found: bool = self._connection.value(
            queries.has_file,
            {"sha256": sha256},
        )
        return found

    def errors(self, run: str, *, limit: int = 100) -> list[ErrorGroup]:
        this = {"run_id": run_id(self._connection, run), "limit": check_limit(limit)}
        return [_group_of(run, row) for row in self._connection.rows(queries.error_groups, this)]

    def errors_like(self, run: str, prefix: str, *, limit: int = 10) -> list[ErrorGroup]:
        this = {
            "run_id": run_id(self._connection, run),
            "prefix": storable(prefix),
            "limit": check_limit(limit),
        }
        rows = self._connection.rows(queries.error_groups_like, this)
        return [_group_of(run, row) for row in rows]

    def error_groups(self, *, limit: int = 100, since: datetime | None = None) -> list[ErrorGroup]:
        this = {"since": 0.0 if since is None else since.timestamp(), "limit": check_limit(limit)}
        rows = self._connection.rows(queries.latest_error_groups, this)
        return [_group_of(row[11], row) for row in rows]

    def mute(self, run: str, fingerprint: str, muted: bool) -> None:
        this = {
            "run_id": run_id(self._connection, run),
            "fingerprint": storable(fingerprint),
            "muted": muted,
        }
        if self._connection.row(queries.mute_error_group, this) is None:
            raise unknown_group(run, fingerprint)

    def error_example(self, group: ErrorGroup) -> ErrorExample:
        this = {
            "run_id": run_id(self._connection, group.run),
            "fingerprint": group.fingerprint,
            "seen": MAX_TASKS_ASKED,
            "limit": MAX_MESSAGES_ASKED,
        }
        rows = self._connection.rows(queries.frequent_messages, this)
        task_id, message = most_frequent(rows, group)
        found = self._connection.row(queries.fault_traceback, {"task_id": task_id})
        traceback = found[0] if found is not None else None
        return ErrorExample(
            task_id=task_id, message=message, traceback=traceback or group.sample_traceback
        )

    def _before(self, run: str, before: str, limit: int) -> dict[str, Any]:
        xid, number = _parsed(before) if before else (_LAST_XID, MAX_ID)
        return {
            "run_id": run_id(self._connection, run),
            "xid": xid,
            "id": number,
            "limit": check_limit(limit),
        }

    def _rows_after(self, sql: str, run: str, after: str, limit: int) -> list[tuple[Any, ...]]:
        xid, number = _parsed(after)
        this = {
            "run_id": run_id(self._connection, run),
            "xid": xid,
            "id": number,
            "limit": check_limit(limit),
            "horizon": self._connection.value(queries.horizon, hot=True),
        }
        return self._connection.rows(sql, this)


def _group_of(run: str, row: tuple[Any, ...]) -> ErrorGroup:
    return ErrorGroup(
        run=run,
        fingerprint=row[0],
        error_class=row[1],
        title=row[2],
        where=row[3],
        count=row[4],
        first_at=row[5],
        last_at=row[6],
        sample_task_id=row[7],
        sample_message=row[8],
        sample_traceback=row[9],
        muted=row[10],
    )


def _item_of(row: tuple[Any, ...]) -> StoredItem:
    return StoredItem(
        position=row[0],
        task_id=row[1],
        part=row[2],
        seq=row[3],
        key=row[4],
        data=decode(row[5]),
        partial=row[6],
    )


def _file_of(row: tuple[Any, ...]) -> StoredFile:
    return StoredFile(
        position=row[0],
        task_id=row[1],
        part=row[2],
        seq=row[3],
        name=row[4],
        sha256=row[5],
        size_bytes=row[6],
        media_type=row[7],
    )


def _parsed(position: str) -> tuple[str, int]:
    if not position:
        return "0", 0
    xid, colon, number = position.partition(":")
    if not (colon and xid.isdecimal() and number.isdecimal()):
        raise InputError(f"{position!r} is not a position that this store gave")
    if int(xid) > int(_LAST_XID):
        raise InputError(f"{position!r} is not a position that this store gave")
    return xid, min(int(number), MAX_ID)
