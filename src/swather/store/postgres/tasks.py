"""Tasks: enqueued, read, cancelled, retried."""

from collections.abc import Iterable
from typing import Any

from swather.model.payload import decode
from swather.model.run import Run, counts_from
from swather.model.task import State, Target, Task
from swather.model.task_filter import TaskFilter
from swather.model.waiting import (
    MAX_COUNTED,
    MAX_LANES,
    MAX_SCHEDULED,
    Waiting,
    lanes_waiting,
)
from swather.store.batching import Row, batches_of
from swather.store.checks import MAX_ID, check_limit, may_exist, unknown_task
from swather.store.ports import Enqueued
from swather.store.postgres.cancel import cancel_tasks
from swather.store.postgres.claim import Claimer
from swather.store.postgres.connection import Connection
from swather.store.postgres.enqueue import Enqueuer, parts_of
from swather.store.postgres.filters import ids_of
from swather.store.postgres.names import run_id, run_to_fill
from swather.store.postgres.retry import retry_tasks
from swather.store.postgres.settings import PostgresSettings
from swather.store.postgres.statements import queries


class PostgresTasks:
    """See swather.store.ports.Tasks."""

    def __init__(
        self,
        connection: Connection,
        settings: PostgresSettings,
        enqueuer: Enqueuer,
        claimer: Claimer,
    ) -> None:
        self._connection = connection
        self._settings = settings
        self._enqueuer = enqueuer
        self._claimer = claimer

    def enqueue(
        self, run: str | Run, targets: Iterable[Target | Row], *, batch_size: int = 5_000
    ) -> Enqueued:
        number, limit = run_to_fill(self._connection, run)
        added = over = total = 0
        for rows in batches_of(targets, batch_size):
            for part in parts_of(rows):
                if limit is None:
                    added += self._enqueuer.add(number, part)
                else:
                    new = self._enqueuer.add_within_limit(number, part, limit)
                    added += new.new
                    over += new.over_limit
            total += len(rows)
        return Enqueued(added, total - added - over, over)

    def get(self, task_id: int) -> Task:
        if not may_exist(task_id):
            raise unknown_task(task_id)
        row = self._connection.row(
            f"{queries.tasks} WHERE t.id = %(task_id)s", {"task_id": task_id}
        )
        if row is None:
            raise unknown_task(task_id)
        return _task_of(row)

    def find(self, which: TaskFilter, *, after_id: int = 0, limit: int = 100) -> list[Task]:
        ids, values = ids_of(self._connection, which)
        rows = self._connection.rows(
            f"{queries.tasks} WHERE t.id = ANY(ARRAY({ids})) ORDER BY t.id",
            {**values, "after_id": min(after_id, MAX_ID), "limit": check_limit(limit)},
        )
        return [_task_of(row) for row in rows]

    def count(self, which: TaskFilter) -> int:
        if which == TaskFilter(run=which.run, states=which.states):
            this = {"run_id": run_id(self._connection, which.run)}
            counts = counts_from(dict(self._connection.rows(queries.sum_counters, this)))
            states = State if which.states is None else which.states
            return sum(getattr(counts, state) for state in states)
        ids, values = ids_of(self._connection, which)
        everything = {**values, "after_id": 0, "limit": None}
        number: int = self._connection.value(f"SELECT count(*) FROM ({ids}) AS i", everything)
        return number

    def waiting(self, run: str) -> Waiting:
        this = {"run_id": run_id(self._connection, run)}
        counted = {**this, "at_most": MAX_COUNTED, "lanes": MAX_LANES}
        ready = self._connection.rows(queries.ready_by_lane, counted)
        next_due_at, last_due_at = self._connection.row(queries.due_times, this) or (None, None)
        scheduled: list[tuple[str, int]] = []
        if next_due_at is not None:
            limited = {**this, "limit": MAX_SCHEDULED}
            scheduled = self._connection.rows(queries.scheduled_by_lane, limited)
        return Waiting(
            lanes=lanes_waiting(ready, scheduled),
            next_due_at=next_due_at,
            last_due_at=last_due_at,
        )

    def cancel(self, which: TaskFilter) -> int:
        return cancel_tasks(self._connection, self._settings, which)

    def retry(self, which: TaskFilter, *, anew: bool = False) -> int:
        return retry_tasks(
            self._connection, self._settings, which, self._claimer.returned, anew=anew
        )


def _task_of(row: tuple[Any, ...]) -> Task:
    return Task(
        id=row[0],
        run=row[1],
        state=State(row[2]),
        reason=row[3],
        target=decode(row[4]),
        priority=row[5],
        lane=row[6],
        partition=row[7],
        parent_id=row[8],
        attempts=row[9],
        crashes=row[10],
        worker=row[11],
        due_at=row[12],
        created_at=row[13],
        ended_at=row[14],
        error_class=row[15],
        error=row[16],
        traceback=row[17],
        progress=None if row[18] is None else decode(row[18]),
        claimed_at=row[19],
    )
