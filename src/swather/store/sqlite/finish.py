"""Finish: outcomes with all that commits with them, fenced by their tokens."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from itertools import groupby
from typing import Any, Final

from swather.model.outcome import Completed, Outcome, Verdict
from swather.model.rejection import REJECTED_PREFIX
from swather.model.run import DUPLICATES
from swather.store.batching import Row
from swather.store.finish_rows import FileRow, HeldLease, ItemRow, OutcomeRow, Prepared
from swather.store.finishing import Plan
from swather.store.ports import Fence
from swather.store.rejection_rows import KnownReasons
from swather.store.sqlite.connection import Connection, ids
from swather.store.sqlite.enqueue import add_rows
from swather.store.sqlite.names import Heads
from swather.store.sqlite.ready import change_counters, make_ready, wake_full
from swather.store.sqlite.settings import SQLiteSettings
from swather.store.sqlite.sources import note_sources
from swather.store.sqlite.statements import queries

MAX_CHILDREN: Final = 10_000
# Tables that a counter goes with.
_COUNTED: Final = {"items": "items", "outdated_items": "outdated", "files": "files"}


class Finisher:
    """Writes outcomes inside the caller's transaction."""

    def __init__(self, connection: Connection, settings: SQLiteSettings) -> None:
        self._connection = connection
        self._settings = settings
        self.heads = Heads(connection)
        self._reasons = KnownReasons(self._reasons_of)

    def finish(self, outcomes: Sequence[Outcome], prepared: Sequence[Prepared]) -> list[Verdict]:
        fences = [outcome.fence for outcome in outcomes]
        held = self._take_out(fences)
        plan = Plan(self._settings.event_level)
        verdicts = []
        lanes = {lease.lane_id for lease in held.values()}
        ended = []
        for outcome, payload, fence in zip(outcomes, prepared, fences, strict=True):
            lease = held.pop(fence, None)
            if lease is None:
                verdicts.append(Verdict.STALE)
                self._count_stale(plan, outcome.task_id)
                continue
            plan.add(outcome, lease, payload)
            verdicts.append(Verdict.ACCEPTED)
            if isinstance(outcome, Completed) and outcome.part:
                ended.append((lease.task_id,))
        self.write(plan)
        if ended:
            self._connection.executemany(queries.drop_checkpoints, ended)
        wake_full(self._connection, lanes)
        return verdicts

    def _reasons_of(self, run_id: int) -> list[str]:
        return [row[0] for row in self._connection.rows(queries.rejected_reasons, (run_id,))]

    def _count_stale(self, plan: Plan, task_id: int) -> None:
        row = self._connection.row(queries.run_of_task, (task_id,))
        if row is not None:
            plan.count(row[0], "stale", 1)

    def add_children_ahead(self, fence: Fence, children: Sequence[Row]) -> Sequence[Row]:
        """More children than fit one short transaction go first, in batches that may be repeated;
        the rest is returned. A stale lease adds nothing.
        """
        while len(children) > MAX_CHILDREN:
            batch, children = children[:MAX_CHILDREN], children[MAX_CHILDREN:]
            with self._connection.transaction():
                lease = self.held_lease(fence)
                if lease is None:
                    return ()
                self._add_children(lease.run_id, batch)
        return children

    def held_lease(self, fence: Fence) -> HeldLease | None:
        row = self._connection.row(queries.held_lease, {"task_id": fence[0], "token": fence[1]})
        return None if row is None else HeldLease(*row)

    def is_committed(self, task_id: int, part: int) -> bool:
        """Whether a checkpoint has this part already: it is sent again after a lost reply."""
        following = self._connection.value(queries.next_part, (task_id,))
        return following is not None and following > part

    def write(self, plan: Plan) -> None:
        now = self._connection.clock.wall()
        many = self._connection.executemany
        self.drop_replaced(plan.replaced, plan)
        self.set_aside(plan.outdated, plan)
        self._add_outcomes(plan.outcomes, now)
        if plan.items:
            self._add_results(plan, "items", queries.add_items, plan.items)
            self._add_heirs(plan)
        if plan.rejections:
            self._add_rejections(plan)
        if plan.files:
            self._add_results(plan, "files", queries.add_files, plan.files)
            many(queries.add_unlinked, sorted({(row.task_id, row.part) for row in plan.files}))
        for run_id, children in plan.children.items():
            self._add_children(run_id, children)
        if plan.sources:
            note_sources(self._connection, plan.sources)
        if plan.memories:
            many(queries.remember, [(*row, now) for row in plan.memories])
        if plan.faults:
            many(queries.add_faults, [(*row, now) for row in plan.faults])
            many(queries.add_error_groups, [(*row, now, now) for row in plan.groups.values()])
        if plan.waiting:
            self._wait(plan, now)
        if plan.events:
            many(queries.add_events, [(*row, now) for row in plan.events])
        change_counters(self._connection, plan.deltas)

    def _add_results(
        self, plan: Plan, name: str, sql: str, rows: Sequence[ItemRow | FileRow]
    ) -> None:
        """Add rows and count those that were not there yet."""
        for run_id, rows_of_run in groupby(rows, lambda row: row.run_id):
            before = self._connection.db.total_changes()
            self._connection.executemany(sql, list(rows_of_run))
            plan.count(run_id, name, self._connection.db.total_changes() - before)

    def _add_heirs(self, plan: Plan) -> None:
        """Items that were not added because another had their key."""
        keyed = [row for row in plan.items if row.key is not None]
        for run_id, rows_of_run in groupby(keyed, lambda row: row.run_id):
            before = self._connection.db.total_changes()
            self._connection.executemany(queries.add_heirs, [row._asdict() for row in rows_of_run])
            plan.count(run_id, DUPLICATES, self._connection.db.total_changes() - before)

    def _add_rejections(self, plan: Plan) -> None:
        for row in self._reasons.folded(plan.rejections):
            if self._connection.execute_counting(queries.add_rejection, row):
                plan.count(row.run_id, REJECTED_PREFIX + row.reason, row.times)

    def drop_replaced(self, task_ids: Iterable[int], plan: Plan) -> None:
        """Delete the rows of an earlier completion; the new ones replace them."""
        for task_id in task_ids:
            self._pass_on_items(task_id, plan)
            for table, name in _COUNTED.items():
                self._drop(table, name, task_id, plan)
            self._drop("item_heirs", DUPLICATES, task_id, plan)
            self._drop_rejections(task_id, plan)
            for table in ("checkpoints", "unlinked"):
                self._connection.execute(f"DELETE FROM {table} WHERE task_id = ?", (task_id,))
            self._connection.execute(queries.forget_replaces, (task_id,))

    def set_aside(self, task_ids: Iterable[int], plan: Plan) -> None:
        """The items of an earlier attempt are outdated: the task was tried again and failed."""
        now = self._connection.clock.wall()
        for task_id in task_ids:
            self._pass_on_items(task_id, plan)
            self._drop("item_heirs", DUPLICATES, task_id, plan)
            self._drop_rejections(task_id, plan)
            kept = self._connection.execute_counting(queries.keep_outdated, (task_id,))
            run_id = self._drop("items", "items", task_id, plan)
            if run_id is not None:
                plan.count(run_id, "outdated", kept)
                # What replaces them drops them, too.
                self._connection.execute(queries.mark_replaces, (task_id, run_id, 0, now))

    def _drop(self, table: str, name: str, task_id: int, plan: Plan) -> int | None:
        """Delete the rows of a task and count them; returns its run if there were any."""
        gone = self._connection.rows(
            f"DELETE FROM {table} WHERE task_id = ? RETURNING run_id", (task_id,)
        )
        if not gone:
            return None
        run_id: int = gone[0][0]
        plan.count(run_id, name, -len(gone))
        return run_id

    def _drop_rejections(self, task_id: int, plan: Plan) -> None:
        for run_id, reason, n in self._connection.rows(queries.drop_rejections, (task_id,)):
            plan.count(run_id, REJECTED_PREFIX + reason, -n)

    def _pass_on_items(self, task_id: int, plan: Plan) -> None:
        """An item that another task has produced, too, goes to that task."""
        for number, *heir in self._connection.rows(queries.heirs, (task_id,)):
            self._connection.execute(queries.drop_heir, tuple(heir))
            plan.count(heir[0], DUPLICATES, -1)
            self._connection.execute(queries.pass_on_item, (*heir[2:], number))

    def _take_out(self, fences: list[Fence]) -> dict[Fence, HeldLease]:
        """Leases by their fences; a claim gives one token to all its tasks."""
        by_token: dict[int, list[int]] = defaultdict(list)
        for task_id, token in fences:
            by_token[token].append(task_id)
        return {
            (row[0], row[1]): HeldLease._make(row)
            for token, task_ids in by_token.items()
            for row in self._taken_out(token, ids(task_ids))
        }

    def _taken_out(self, token: int, task_ids: Any) -> list[tuple[Any, ...]]:
        # A DELETE with RETURNING takes twice as long as these two.
        rows = self._connection.rows(queries.held_leases, (token, task_ids))
        self._connection.execute(queries.fence, (token, task_ids))
        return rows

    def _add_outcomes(self, outcomes: Iterable[OutcomeRow], now: float) -> None:
        alike: dict[tuple[Any, ...], list[int]] = defaultdict(list)
        for row in outcomes:
            alike[row[1:]].append(row[0])
        for same, task_ids in alike.items():
            self._connection.execute(queries.add_outcomes, (ids(task_ids), *same, now))

    def _add_children(self, run_id: int, children: Sequence[Row]) -> None:
        add_rows(self._connection, self.heads, run_id, children, self._settings.event_level)

    def _wait(self, plan: Plan, now: float) -> None:
        self._connection.executemany(
            queries.add_scheduled,
            [
                (row.task_id, row.run_id, row.head_id, row.priority, now + row.due_in_seconds)
                for row in plan.waiting
                if row.due_in_seconds > 0
            ],
        )
        make_ready(
            self._connection,
            [
                (row.head_id, row.priority, row.task_id)
                for row in plan.waiting
                if row.due_in_seconds <= 0
            ],
        )
