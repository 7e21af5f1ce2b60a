"""Tasks: enqueued, read, cancelled, retried."""

from collections.abc import Iterable
from typing import Any

from swather.model.payload import decode, storable
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
from swather.store.checks import check_limit, may_exist, unknown_task
from swather.store.ports import SCAN, Counted, Enqueued, Found
from swather.store.postgres.cancel import cancel_tasks
from swather.store.postgres.claim import Claimer
from swather.store.postgres.connection import Connection
from swather.store.postgres.enqueue import Enqueuer, parts_of
from swather.store.postgres.filters import Page, ids_of, page_of
from swather.store.postgres.names import run_id, run_to_fill
from swather.store.postgres.retry import retry_tasks
from swather.store.postgres.settings import PostgresSettings
from swather.store.postgres.statements import queries
from swather.store.task_pages import Bounds, found, is_failed_in_group


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

    def find(
        self,
        which: TaskFilter,
        *,
        after_id: int = 0,
        before_id: int | None = None,
        newest_first: bool = False,
        limit: int = 100,
    ) -> list[Task]:
        page = page_of(self._connection, which, newest_first=newest_first)
        bounds = Bounds.of(after_id, before_id, newest_first=newest_first)
        return self._read(page, bounds, check_limit(limit))

    def search(
        self,
        which: TaskFilter,
        *,
        after_id: int = 0,
        before_id: int | None = None,
        newest_first: bool = False,
        limit: int = 100,
        scan: int = SCAN,
    ) -> Found:
        check_limit(limit)
        page = page_of(self._connection, which, newest_first=newest_first)
        bounds = Bounds.of(after_id, before_id, newest_first=newest_first)
        stop = self._stop(page, bounds, scan)
        tasks = self._read(page, bounds.up_to(stop), limit)
        return found(tasks, stop, limit=limit, scan=scan)

    def _stop(self, page: Page, bounds: Bounds, scan: int) -> int | None:
        """The id at which so many have been looked at; None where there are no more."""
        if not page.looked_at:
            return None
        values = {**page.values, **bounds.values, "scan": check_limit(scan)}
        stop: int | None = self._connection.value(page.looked_at, values)
        return stop

    def _read(self, page: Page, bounds: Bounds, limit: int) -> list[Task]:
        rows = self._connection.rows(
            f"{queries.tasks} WHERE t.id = ANY(ARRAY({page.matching})) ORDER BY t.id",
            {**page.values, **bounds.values, "limit": limit},
        )
        tasks = [_task_of(row) for row in rows]
        return tasks[::-1] if bounds.newest_first else tasks

    def count(self, which: TaskFilter) -> int:
        if which == TaskFilter(run=which.run, states=which.states):
            this = {"run_id": run_id(self._connection, which.run)}
            counts = counts_from(dict(self._connection.rows(queries.sum_counters, this)))
            states = State if which.states is None else which.states
            return sum(getattr(counts, state) for state in states)
        if is_failed_in_group(which):
            return self._count_failed(which, None)
        ids, values = ids_of(self._connection, which)
        everything = {**values, "after_id": 0, "limit": None}
        number: int = self._connection.value(f"SELECT count(*) FROM ({ids}) AS i", everything)
        return number

    def count_up_to(self, which: TaskFilter, limit: int) -> int:
        check_limit(limit)
        if which == TaskFilter(run=which.run, states=which.states):
            return min(self.count(which), limit)
        if is_failed_in_group(which):
            return self._count_failed(which, limit)
        page = page_of(self._connection, which, newest_first=False)
        number: int = self._connection.value(
            f"SELECT count(*) FROM ({page.matching}) AS i", {**page.values, "limit": limit}
        )
        return number

    def count_within(self, which: TaskFilter, *, limit: int, scan: int = SCAN) -> Counted:
        check_limit(limit)
        if which == TaskFilter(run=which.run, states=which.states):
            return Counted(self.count(which), is_all=True)
        page = page_of(self._connection, which, newest_first=True)
        bounds = Bounds.of(0, None, newest_first=True)
        stop = self._stop(page, bounds, scan)
        number = self._connection.value(
            f"SELECT count(*) FROM ({page.matching}) AS i",
            {**page.values, **bounds.up_to(stop).values, "limit": limit},
        )
        return Counted(number, is_all=stop is None and number < limit)

    def _count_failed(self, which: TaskFilter, limit: int | None) -> int:
        this = {
            "run_id": run_id(self._connection, which.run),
            "fingerprint": storable(which.fingerprint or ""),
            "limit": limit,
        }
        number: int = self._connection.value(queries.count_failed_in_group, this)
        return number

    def waiting(self, run: str) -> Waiting:
        this = {"run_id": run_id(self._connection, run)}
        counted = {**this, "at_most": MAX_COUNTED, "lanes": MAX_LANES}
        ready = self._connection.by_index(
            lambda: self._connection.rows(queries.ready_by_lane, counted)
        )
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
