"""Targets become tasks: once per key and run, a batch at a time."""

from collections import OrderedDict
from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from swather.model.event import EventKind, EventLevel
from swather.model.run import counts_from
from swather.model.task import State
from swather.store.batching import Added, Row, fitting
from swather.store.sqlite import counting
from swather.store.sqlite.connection import Connection
from swather.store.sqlite.names import lane_id
from swather.store.sqlite.statements import queries

MAX_KNOWN_HEADS: Final = 100_000


class Heads:
    """Head ids by (run, partition, lane), remembered so that a batch need not ask for each row.

    Committed ids are never used twice, so what is remembered of a removed run can only be useless,
    not wrong.
    """

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._known: OrderedDict[tuple[int, str, str], int] = OrderedDict()
        self._rollbacks = connection.rollbacks

    def id_of(self, run_id: int, partition: str, lane: str) -> int:
        if self._rollbacks != self._connection.rollbacks:
            self._rollbacks = self._connection.rollbacks
            self._known.clear()
        place = run_id, partition, lane
        head_id = self._known.get(place)
        if head_id is not None:
            return head_id
        where = {
            "run_id": run_id,
            "partition": partition,
            "lane_id": lane_id(self._connection, lane),
        }
        self._connection.execute(queries.ensure_head, where)
        head_id = self._connection.value(queries.get_head, where)
        if partition:
            self._connection.execute(queries.ensure_partition, (run_id, partition))
        assert isinstance(head_id, int)
        self._known[place] = head_id
        if len(self._known) > MAX_KNOWN_HEADS:
            self._known.popitem(last=False)
        return head_id


def add_rows(
    connection: Connection, heads: Heads, run_id: int, rows: Sequence[Row], level: EventLevel
) -> Added:
    """Add what the run has not yet, as far as its limit allows, inside a transaction."""
    limit = connection.value(queries.get_task_limit, (run_id,))
    if limit is None:
        return Added(_add(connection, heads, run_id, rows, level))
    kept, over = _fitting(connection, run_id, rows, limit)
    counting.count(connection, {(run_id, "over_limit"): over})
    new = _add(connection, heads, run_id, kept, level) if kept else 0
    return Added(new, over)


def _fitting(
    connection: Connection, run_id: int, rows: Sequence[Row], limit: int
) -> tuple[list[Row], int]:
    there = counts_from(counting.sums(connection, run_id)).total
    known = connection.many_rows(queries.known_key, [(run_id, row.key) for row in rows])
    places, over = fitting(rows, {key for (key,) in known}, limit - there)
    return [rows[place] for place in places], over


def _add(
    connection: Connection, heads: Heads, run_id: int, rows: Sequence[Row], level: EventLevel
) -> int:
    now = connection.clock.wall()
    before = connection.value(queries.last_task)
    best: dict[int, int] = {}
    mask = 0
    values = []
    scheduled = False
    head_ids: dict[tuple[str, str], int] = {}
    for key, target, priority, lane, partition, due_in_seconds, parent_id in rows:
        head_id = head_ids.get((partition, lane))
        if head_id is None:
            head_id = head_ids[partition, lane] = heads.id_of(run_id, partition, lane)
        if best.get(head_id, 0) < priority:
            best[head_id] = priority
        mask |= 1 << priority
        due_at = now + due_in_seconds if due_in_seconds > 0 else None
        scheduled = scheduled or due_at is not None
        values.append((run_id, head_id, priority, key, target, parent_id, due_at, now))
    connection.executemany(queries.add_tasks, values)
    this = {"before": before}
    ready = connection.changed(queries.add_new_to_ready, this)
    later = connection.changed(queries.add_new_to_scheduled, this) if scheduled else 0
    connection.execute(
        queries.add_priorities,
        {"mask": mask, "run_id": run_id},
    )
    wake(connection, best)
    counting.count(connection, {(run_id, State.READY): ready, (run_id, State.SCHEDULED): later})
    if level.logs(EventKind.CREATED):
        connection.execute(queries.log_created, this)
    return ready + later


def wake(connection: Connection, best: Mapping[int, int]) -> None:
    """Tell heads that tasks of up to the given priority wait there now."""
    connection.executemany(
        queries.wake_heads, [{"head_id": head, "best": best[head]} for head in best]
    )


def make_ready(connection: Connection, rows: Iterable[tuple[int, int, int]]) -> None:
    """Put tasks (head_id, priority, task_id) in the queue and wake their heads."""
    rows = list(rows)
    connection.executemany(queries.add_ready, rows)
    best: dict[int, int] = {}
    for head_id, priority, _ in rows:
        best[head_id] = max(best.get(head_id, 0), priority)
    wake(connection, best)
