"""Finish: outcomes with all that commits with them, fenced by their tokens."""

from collections.abc import Callable, Collection, Sequence
from itertools import islice
from typing import Any, Final, TypeGuard

from swather.model.outcome import Completed, Outcome, Released, Verdict
from swather.model.task import EventLevel
from swather.store.batching import Row
from swather.store.finish_rows import HeldLease, Prepared
from swather.store.finishing import NOTHING, Plan
from swather.store.ports import Fence
from swather.store.postgres.arrays import Bigints, Integers, Texts, columns_of
from swather.store.postgres.connection import Connection
from swather.store.postgres.enqueue import Enqueuer
from swather.store.postgres.ready import wake, wake_full
from swather.store.postgres.settings import level_of
from swather.store.postgres.sources import note_sources
from swather.store.postgres.statements import queries
from swather.store.rejection_rows import KnownReasons

MAX_CHILDREN: Final = 10_000


Fences = Callable[[], list[tuple[Any, ...]]]


class Finisher:
    """Writes outcomes inside the caller's transaction."""

    def __init__(self, connection: Connection, enqueuer: Enqueuer) -> None:
        self._connection = connection
        self._enqueuer = enqueuer
        self._reasons = KnownReasons(self._reasons_of)

    def finish(
        self, outcomes: Sequence[Outcome], prepared: Sequence[Prepared]
    ) -> tuple[list[Verdict], Plan]:
        """The verdicts, and the plan, which was written except for the rows that others may want
        to change, too: `write_contended` comes last.
        """
        fences = [outcome.fence for outcome in outcomes]
        held, level = self.take_out(fences)
        plan = Plan(level)
        lanes = {lease.lane_id for lease in held.values()}
        verdicts, stale, ended = [], [], []
        for outcome, payload, fence in zip(outcomes, prepared, fences, strict=True):
            lease = held.pop(fence, None)
            if lease is None:
                verdicts.append(Verdict.STALE)
                stale.append(outcome.task_id)
                continue
            plan.add(outcome, lease, payload)
            verdicts.append(Verdict.ACCEPTED)
            if isinstance(outcome, Completed) and outcome.part:
                ended.append(lease.task_id)
        if stale:
            self._connection.execute(queries.count_stale, {"tasks": Bigints(stale)}, hot=True)
        self.write(plan)
        if ended:
            self._connection.execute(queries.drop_checkpoints, {"tasks": Bigints(ended)}, hot=True)
        wake_full(self._connection, lanes)
        return verdicts, plan

    def give_back(self, leases: Collection[HeldLease], level: EventLevel) -> Plan:
        """Leases already taken out return to the queue as if they had never been claimed."""
        plan = Plan(level)
        for lease in leases:
            plan.add(Released(task_id=lease.task_id, token=lease.token), lease, NOTHING)
        self.write(plan)
        wake_full(self._connection, {lease.lane_id for lease in leases})
        return plan

    def take_out(self, fences: Sequence[Fence]) -> tuple[dict[Fence, HeldLease], EventLevel]:
        rows = self._connection.rows(
            queries.take_leases,
            {
                "tasks": Bigints(task_id for task_id, _ in fences),
                "tokens": Bigints(token for _, token in fences),
            },
            hot=True,
        )
        level = level_of(rows[0][8] if rows else None)
        return {(row[0], row[1]): HeldLease(*row[:8]) for row in rows}, level

    def held_lease(self, fence: Fence) -> HeldLease | None:
        """The lease behind a fence, locked until the transaction ends."""
        row = self._connection.row(
            queries.held_lease, {"task_id": fence[0], "token": fence[1]}, hot=True
        )
        return None if row is None else HeldLease(*row)

    def add_children_ahead(self, fence: Fence, children: Sequence[Row]) -> Sequence[Row]:
        """More children than fit one short transaction go first, in batches that may be repeated;
        the rest is returned, its heads made. A stale lease adds nothing.
        """
        if not children:
            return children
        run_id = self._connection.value(queries.run_of_task, {"task_id": fence[0]}, hot=True)
        if run_id is None:
            return ()
        remaining = iter(children)
        left = len(children)
        while left > MAX_CHILDREN:
            batch = list(islice(remaining, MAX_CHILDREN))
            left -= MAX_CHILDREN
            self._enqueuer.make_heads(run_id, batch)
            if not self._add_fenced(fence, run_id, batch):
                return ()
        rest = list(remaining)
        self._enqueuer.make_heads(run_id, rest)
        return rest

    def is_committed(self, task_id: int, part: int) -> bool:
        """Whether a checkpoint has this part already: it is sent again after a lost reply."""
        following = self._connection.value(queries.next_part, {"task_id": task_id}, hot=True)
        return following is not None and following > part

    def write(self, plan: Plan) -> None:
        """Write a plan except for its contended rows."""
        if plan.replaced:
            self._connection.execute(queries.drop_replaced, {"tasks": Bigints(plan.replaced)})
        if plan.outdated:
            self._connection.execute(queries.set_aside, {"tasks": Bigints(plan.outdated)})
        self._write(queries.add_outcomes, plan.outcomes)
        keyed = any(item.key is not None for item in plan.items)
        self._write(queries.add_keyed_items if keyed else queries.add_items, plan.items)
        if plan.rejections:
            self._write(queries.add_rejections, self._reasons.folded(plan.rejections))
        self._write(queries.add_files, plan.files)
        woken: list[tuple[int, int]] = []
        for run_id in sorted(plan.children):
            woken += self._enqueuer.add_children(run_id, plan.children[run_id])
        self._write(queries.add_faults, plan.faults)
        self._write(queries.add_waiting, plan.waiting)
        self._write(queries.add_events, plan.events)
        self._count(plan)
        woken += [(row.head_id, row.priority) for row in plan.waiting if row.due_in_seconds <= 0]
        wake(self._connection, woken)

    def write_contended(self, plan: Plan) -> None:
        """Write the rows that tasks of several workers share."""
        self._write(queries.remember, plan.memories)
        if plan.sources:
            note_sources(self._connection, plan.sources)
        self._write(queries.add_error_groups, list(plan.groups.values()))

    def drop_replaced(self, task_id: int) -> None:
        """Delete the rows of an earlier completion; the new ones replace them."""
        self._connection.execute(queries.drop_replaced, {"tasks": Bigints([task_id])})

    def _reasons_of(self, run_id: int) -> list[str]:
        return [
            row[0] for row in self._connection.rows(queries.rejected_reasons, {"run_id": run_id})
        ]

    def _add_fenced(self, fence: Fence, run_id: int, rows: Sequence[Row]) -> bool:
        def work() -> bool:
            if self.held_lease(fence) is None:
                return False
            wake(self._connection, self._enqueuer.add_children(run_id, rows))
            return True

        return self._connection.transact(work)

    def _count(self, plan: Plan) -> None:
        changes = [(run_id, name, n) for (run_id, name), n in plan.deltas.items() if n]
        if changes:
            runs, names, numbers = zip(*changes, strict=True)
            self._connection.execute(
                queries.add_counters,
                {
                    "run_id": Bigints(runs),
                    "name": Texts(names),
                    "n": Bigints(numbers),
                },
                hot=True,
            )

    def _write(self, sql: str, rows: Sequence[Any]) -> None:
        if rows:
            self._connection.execute(sql, columns_of(rows), hot=True)


def tell_returned(plan: Plan, returned: Callable[[int, int, int], None]) -> None:
    """After the commit: report tasks that are ready again."""
    for row in plan.waiting:
        if row.due_in_seconds <= 0:
            returned(row.head_id, row.priority, row.task_id)


def all_plain(
    outcomes: Sequence[Outcome], prepared: Sequence[Prepared]
) -> TypeGuard[Sequence[Completed]]:
    """Whether all outcomes are successes with one reason and nothing but items without keys."""
    first = outcomes[0]
    return isinstance(first, Completed) and all(
        isinstance(outcome, Completed)
        and outcome.reason == first.reason
        and not outcome.part
        and not outcome.log
        and not outcome.sources
        and not outcome.dropped
        and not outcome.skipped
        and not payload.children
        and not payload.files
        and not payload.memories
        and not payload.rejected
        and all(key is None for key, _ in payload.items)
        for outcome, payload in zip(outcomes, prepared, strict=True)
    )


def complete(
    connection: Connection, outcomes: Sequence[Completed], prepared: Sequence[Prepared]
) -> Fences:
    """The fast path of finish, in one statement inside a transaction. Calling the result gives the
    fences of the accepted outcomes.
    """
    values = {
        "tasks": Bigints(outcome.task_id for outcome in outcomes),
        "tokens": Bigints(outcome.token for outcome in outcomes),
        "reason": outcomes[0].reason,
        "left_tasks": Bigints(outcome.task_id for outcome in outcomes if outcome.egress),
        "egresses": Texts(outcome.egress for outcome in outcomes if outcome.egress),
    }
    tasks, tokens, numbers, data = Bigints(), Bigints(), Integers(), Texts()
    for outcome, payload in zip(outcomes, prepared, strict=True):
        for number, (_, encoded) in enumerate(payload.items):
            tasks.append(outcome.task_id)
            tokens.append(outcome.token)
            numbers.append(number)
            data.append(encoded)
    if not tasks:
        return connection.send(queries.complete + queries.completed, values, hot=True)
    items = {"item_tasks": tasks, "item_tokens": tokens, "seqs": numbers, "data": data}
    sql = queries.complete + queries.complete_items + queries.completed
    return connection.send(sql, {**values, **items}, hot=True)
