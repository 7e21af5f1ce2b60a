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
from swather.store.postgres.arrays import Bigints, Integers
from swather.store.postgres.connection import Connection
from swather.store.postgres.names import run_id
from swather.store.postgres.statements import queries


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
        return [
            StoredItem(
                position=row[0],
                task_id=row[1],
                part=row[2],
                seq=row[3],
                key=row[4],
                data=decode(row[5]),
                partial=row[6],
            )
            for row in self._rows_after(sql, run, after, limit)
        ]

    def outdated(self, run: str, *, after: str = "", limit: int = 1_000) -> list[StoredItem]:
        this = {
            "run_id": run_id(self._connection, run),
            "after": _parsed(after)[1],
            "limit": check_limit(limit),
        }
        return [
            StoredItem(
                position=f"0:{row[0]}",
                task_id=row[1],
                part=row[2],
                seq=row[3],
                key=row[4],
                data=decode(row[5]),
                partial=True,
            )
            for row in self._connection.rows(queries.outdated_items, this)
        ]

    def files(self, run: str, *, after: str = "", limit: int = 1_000) -> list[StoredFile]:
        return [
            StoredFile(
                position=row[0],
                task_id=row[1],
                part=row[2],
                seq=row[3],
                name=row[4],
                sha256=row[5],
                size_bytes=row[6],
                media_type=row[7],
            )
            for row in self._rows_after(queries.files, run, after, limit)
        ]

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
    )


def _parsed(position: str) -> tuple[str, int]:
    if not position:
        return "0", 0
    xid, colon, number = position.partition(":")
    if not (colon and xid.isdecimal() and number.isdecimal()):
        raise InputError(f"{position!r} is not a position that this store gave")
    return xid, int(number)
