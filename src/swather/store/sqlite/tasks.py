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
from swather.store.batching import Added, Row, batches_of
from swather.store.checks import (
    MAX_ID,
    check_limit,
    may_exist,
    refuse_cancelled,
    unknown_task,
)
from swather.store.clock import at, at_or_none
from swather.store.ports import SCAN, Counted, Enqueued, Found
from swather.store.sqlite.cancel import cancel_tasks
from swather.store.sqlite.connection import Connection
from swather.store.sqlite.enqueue import add_rows
from swather.store.sqlite.filters import Page, page_of
from swather.store.sqlite.names import Heads, run_id
from swather.store.sqlite.ready import counters_of
from swather.store.sqlite.retry import retry_tasks
from swather.store.sqlite.settings import SQLiteSettings
from swather.store.sqlite.statements import queries
from swather.store.task_pages import Bounds, found, is_failed_in_group


class SQLiteTasks:
    """See swather.store.ports.Tasks."""

    def __init__(self, connection: Connection, settings: SQLiteSettings) -> None:
        self._connection = connection
        self._settings = settings
        self._heads = Heads(connection)

    def enqueue(
        self, run: str | Run, targets: Iterable[Target | Row], *, batch_size: int = 10_000
    ) -> Enqueued:
        name = run if isinstance(run, str) else run.name
        self._number(name)
        added = over = total = 0
        for rows in batches_of(targets, batch_size):
            new = self._add(name, rows)
            added += new.new
            over += new.over_limit
            total += len(rows)
        return Enqueued(added, total - added - over, over)

    def get(self, task_id: int) -> Task:
        if not may_exist(task_id):
            raise unknown_task(task_id)
        with self._connection.reading():
            row = self._connection.row(queries.get_task, (task_id,))
        if row is None:
            raise unknown_task(task_id)
        return task_of(row)

    def find(
        self,
        which: TaskFilter,
        *,
        after_id: int = 0,
        before_id: int | None = None,
        newest_first: bool = False,
        limit: int = 100,
    ) -> list[Task]:
        bounds = Bounds.of(after_id, before_id, newest_first=newest_first)
        with self._connection.reading():
            page = page_of(self._connection, which, newest_first=newest_first)
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
        bounds = Bounds.of(after_id, before_id, newest_first=newest_first)
        with self._connection.reading():
            page = page_of(self._connection, which, newest_first=newest_first)
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
        values = {**page.values, **bounds.values, "limit": limit}
        ids = [row[0] for row in self._connection.rows(page.matching, values)]
        rows = self._connection.many_rows(queries.get_task, [(task_id,) for task_id in ids])
        return [task_of(row) for row in rows]

    def count(self, which: TaskFilter) -> int:
        with self._connection.reading():
            if which == TaskFilter(run=which.run, states=which.states):
                counts = counts_from(
                    counters_of(self._connection, run_id(self._connection, which.run))
                )
                states = State if which.states is None else which.states
                return sum(getattr(counts, state) for state in states)
            return self._count(which, MAX_ID)

    def count_up_to(self, which: TaskFilter, limit: int) -> int:
        check_limit(limit)
        if which == TaskFilter(run=which.run, states=which.states):
            return min(self.count(which), limit)
        with self._connection.reading():
            return self._count(which, limit)

    def count_within(self, which: TaskFilter, *, limit: int, scan: int = SCAN) -> Counted:
        check_limit(limit)
        if which == TaskFilter(run=which.run, states=which.states):
            return Counted(self.count(which), is_all=True)
        bounds = Bounds.of(0, None, newest_first=True)
        with self._connection.reading():
            page = page_of(self._connection, which, newest_first=True)
            stop = self._stop(page, bounds, scan)
            number = self._connection.value(
                f"SELECT count(*) FROM ({page.matching})",
                {**page.values, **bounds.up_to(stop).values, "limit": limit},
            )
        return Counted(number, is_all=stop is None and number < limit)

    def _count(self, which: TaskFilter, limit: int) -> int:
        if is_failed_in_group(which):
            this = {
                "run_id": run_id(self._connection, which.run),
                "fingerprint": storable(which.fingerprint or ""),
                "limit": limit,
            }
            failed: int = self._connection.value(queries.count_failed_in_group, this)
            return failed
        page = page_of(self._connection, which, newest_first=False)
        number: int = self._connection.value(
            f"SELECT count(*) FROM ({page.matching})", {**page.values, "limit": limit}
        )
        return number

    def waiting(self, run: str) -> Waiting:
        with self._connection.reading():
            this = {"run_id": run_id(self._connection, run)}
            counted = {**this, "at_most": MAX_COUNTED, "lanes": MAX_LANES}
            ready = self._connection.rows(queries.ready_by_lane, counted)
            next_due, last_due = self._connection.row(queries.due_times, this) or (None, None)
            limited = {**this, "limit": MAX_SCHEDULED}
            scheduled = self._connection.rows(queries.scheduled_by_lane, limited)
        return Waiting(
            lanes=lanes_waiting(ready, scheduled),
            next_due_at=at_or_none(next_due),
            last_due_at=at_or_none(last_due),
        )

    def cancel(self, which: TaskFilter) -> int:
        return cancel_tasks(self._connection, self._settings, which)

    def retry(self, which: TaskFilter, *, anew: bool = False) -> int:
        return retry_tasks(self._connection, self._settings, which, anew=anew)

    def _number(self, run: str) -> int:
        with self._connection.reading():
            return run_id(self._connection, run)

    def _add(self, run: str, rows: list[Row]) -> Added:
        with self._connection.transaction():
            number = run_id(self._connection, run)
            state = self._connection.value(queries.run_state, (number,))
            refuse_cancelled(state)
            added = add_rows(
                self._connection, self._heads, number, rows, self._settings.event_level
            )
            if added.new:
                self._connection.execute(queries.reopen_run, {"run_id": number})
            return added


def task_of(row: tuple[Any, ...]) -> Task:
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
        due_at=at_or_none(row[12]),
        created_at=at(row[13]),
        ended_at=at_or_none(row[14]),
        error_class=row[15],
        error=row[16],
        traceback=row[17],
        progress=decode(row[18]) if row[18] is not None else None,
        claimed_at=at_or_none(row[19]),
    )
