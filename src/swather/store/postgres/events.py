"""The event log."""

from collections.abc import Collection
from typing import Any

from swather.model.payload import decode
from swather.model.task import Event, EventKind
from swather.store.checks import MAX_ID, check_limit, may_exist
from swather.store.ports import Fence
from swather.store.postgres.arrays import Bigints
from swather.store.postgres.connection import Connection
from swather.store.postgres.names import run_id
from swather.store.postgres.statements import queries


class PostgresEvents:
    """See swather.store.ports.Events."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def find(
        self,
        run: str,
        *,
        task_id: int | None = None,
        worker_id: int | None = None,
        after_id: int = 0,
        limit: int = 100,
    ) -> list[Event]:
        number = run_id(self._connection, run)
        if not may_exist(task_id, worker_id):
            return []
        rows = self._connection.rows(
            _query(task_id, worker_id),
            {
                "run_id": number,
                "task_id": task_id,
                "worker_id": worker_id,
                "after_id": after_id,
                "limit": check_limit(limit),
            },
        )
        return [_event_of(run, row) for row in rows]

    def newest(self, run: str, *, before_id: int | None = None, limit: int = 100) -> list[Event]:
        this = {
            "run_id": run_id(self._connection, run),
            "before_id": MAX_ID if before_id is None else min(before_id, MAX_ID),
            "limit": check_limit(limit),
        }
        return [_event_of(run, row) for row in self._connection.rows(queries.newest_events, this)]

    def log_started(self, fences: Collection[Fence]) -> None:
        if fences:
            self._connection.execute(
                queries.log_started,
                {
                    "tasks": Bigints(task_id for task_id, _ in fences),
                    "tokens": Bigints(token for _, token in fences),
                },
                hot=True,
            )


def _query(task_id: int | None, worker_id: int | None) -> str:
    if task_id is None:
        return queries.events if worker_id is None else queries.events_of_worker
    return queries.events_of_task if worker_id is None else queries.events_of_task_and_worker


def _event_of(run: str, row: tuple[Any, ...]) -> Event:
    return Event(
        id=row[0],
        at=row[1],
        kind=EventKind(row[2]),
        run=run,
        task_id=row[3],
        worker_id=row[4],
        message=row[5],
        data=None if row[6] is None else decode(row[6]),
    )
