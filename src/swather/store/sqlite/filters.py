"""A task filter as a condition on the columns of queries.tasks, and as a query for matching ids."""

from typing import Any, Final, NamedTuple

from swather.model.payload import MAX_ITEM_BYTES, encode
from swather.model.task import State
from swather.model.task_filter import TaskFilter
from swather.store.checks import MAX_ID, ascii_lower, check_filter, may_exist
from swather.store.sqlite.connection import Connection
from swather.store.sqlite.names import run_id
from swather.store.sqlite.statements import queries

_STATES = {
    State.READY: "(o.task_id IS NULL AND l.task_id IS NULL AND s.task_id IS NULL)",
    State.SCHEDULED: "s.task_id IS NOT NULL",
    State.LEASED: "l.task_id IS NOT NULL",
    State.COMPLETED: "o.state = 'completed'",
    State.FAILED: "o.state = 'failed'",
    State.CANCELLED: "o.state = 'cancelled'",
}
_ENDED_BADLY: Final = frozenset({State.FAILED, State.CANCELLED})
_ENDED: Final = _ENDED_BADLY | {State.COMPLETED}
_READY: Final = frozenset({State.READY})
_LEASED: Final = frozenset({State.LEASED})
_SCHEDULED: Final = frozenset({State.SCHEDULED})
# The ready tasks of a run with more lanes than this are not collected from its lanes.
_MAX_HEADS: Final = 5_000
# The tasks of a run with fewer are looked at one by one, rather than those of all runs.
_LARGE_RUN: Final = 20_000


class Page(NamedTuple):
    """`matching`: a query for at most :limit ids that match, between :after_id and :before_id, in
    order. `looked_at`: a query for the id by which :scan have been looked at, '' if it never looks
    at many.
    """

    matching: str
    looked_at: str
    values: dict[str, Any]


class _Walked(NamedTuple):
    """An index in the order of ids, and which of its entries count."""

    table: str
    id: str
    condition: str


_TASKS: Final = _Walked("tasks", "id", "d.run_id = :run_id")


def where(connection: Connection, which: TaskFilter) -> tuple[str, dict[str, Any]]:
    """The condition and its values; an unknown run is an error."""
    conditions, values = _conditions(connection, which)
    if which.states and which.states <= _ENDED_BADLY:
        # Spelled out so that the small index on what did not complete is used.
        conditions.append(
            "t.id IN (SELECT task_id FROM outcomes WHERE run_id = :run_id AND state <> 'completed')"
        )
    if which.fingerprint is not None:
        conditions.append(
            "t.id IN (SELECT task_id FROM faults "
            "WHERE run_id = :run_id AND fingerprint = :fingerprint)"
        )
    return " AND ".join(conditions), values


def page_of(connection: Connection, which: TaskFilter, *, newest_first: bool) -> Page:
    """An unknown run is an error."""
    conditions, values = _conditions(connection, which)
    values |= {"after_id": 0, "before_id": MAX_ID}
    this = {"run_id": values["run_id"]}
    if _is_read_from_heads(connection, which, this):
        values["priorities"] = encode(_priorities(connection.value(queries.get_priorities, this)))
        return Page(queries.newest_ready_page if newest_first else queries.ready_page, "", values)
    is_large = connection.value(queries.count_tasks, this) > _LARGE_RUN
    walked = _walked(which, is_large=is_large)
    entries = f"{walked.condition} AND d.{walked.id} > :after_id AND d.{walked.id} < :before_id"
    order = f"ORDER BY d.{walked.id} {'DESC' if newest_first else 'ASC'}"
    matching = (
        f"SELECT t.id FROM {walked.table} AS d CROSS JOIN tasks AS t ON t.id = d.{walked.id} "
        f"{queries.places_of_task} WHERE {entries} AND {' AND '.join(conditions)} "
        f"{order} LIMIT :limit"
    )
    looked_at = (
        f"SELECT d.{walked.id} FROM {walked.table} AS d WHERE {entries} {order} "
        "LIMIT 1 OFFSET :scan - 1"
    )
    is_all_of_run = walked is _TASKS and len(conditions) == 1
    return Page(matching, "" if is_all_of_run else looked_at, values)


def _is_read_from_heads(connection: Connection, which: TaskFilter, this: dict[str, int]) -> bool:
    if which != TaskFilter(run=which.run, states=_READY):
        return False
    return not connection.value(queries.has_many_heads, {**this, "many": _MAX_HEADS})


def _walked(which: TaskFilter, *, is_large: bool) -> _Walked:
    """The smallest index with all ids that the filter can match, in order."""
    if which.task_ids is not None:
        return _Walked("tasks", "id", "d.id IN (SELECT value FROM json_each(:task_ids))")
    if which.fingerprint is not None:
        return _Walked("faults", "task_id", "d.run_id = :run_id AND d.fingerprint = :fingerprint")
    if which.states and which.states <= _ENDED_BADLY:
        return _Walked("outcomes", "task_id", "d.run_id = :run_id AND d.state <> 'completed'")
    table = _table_of(which, is_large=is_large)
    return _Walked(table, "task_id", "true") if table else _TASKS


def _table_of(which: TaskFilter, *, is_large: bool) -> str:
    """The smallest table in which all tasks are that the filter can match, of all runs; '' where a
    run has fewer tasks than such a table.
    """
    if which.states == _LEASED:
        return "leases"
    if not is_large:
        return ""
    if which.error_class is not None:
        return "faults"
    if which.states == _SCHEDULED:
        return "scheduled"
    has_ended = which.reasons is not None or (which.states and which.states <= _ENDED)
    return "outcomes" if has_ended else ""


def _priorities(mask: int) -> list[int]:
    return [priority for priority in range(1, 11) if mask & 1 << priority]


def _conditions(connection: Connection, which: TaskFilter) -> tuple[list[str], dict[str, Any]]:
    check_filter(which)
    conditions = ["t.run_id = :run_id"]
    values: dict[str, Any] = {"run_id": run_id(connection, which.run)}
    if which.states is not None:
        any_of = " OR ".join(_STATES[state] for state in sorted(which.states))
        conditions.append(f"({any_of or 'false'})")
    if which.reasons is not None:
        conditions.append("o.reason IN (SELECT value FROM json_each(:reasons))")
        values["reasons"] = encode(sorted(which.reasons))
    if which.error_class is not None:
        conditions.append("f.error_class = :error_class")
        values["error_class"] = str(which.error_class)
    if which.fingerprint is not None:
        conditions.append("f.fingerprint = :fingerprint")
        values["fingerprint"] = which.fingerprint
    if which.lane is not None:
        conditions.append("n.name = :lane")
        values["lane"] = which.lane
    if which.worker is not None:
        conditions.append(
            "coalesce(l.worker_id, o.worker_id) IN (SELECT id FROM workers WHERE name = :worker)"
        )
        values["worker"] = which.worker
    if which.text is not None:
        conditions.append("instr(lower(t.target), :text) > 0")
        values["text"] = ascii_lower(which.text)
    if which.task_ids is not None:
        conditions.append("t.id IN (SELECT value FROM json_each(:task_ids))")
        values["task_ids"] = encode([*filter(may_exist, which.task_ids)], max_bytes=MAX_ITEM_BYTES)
    return conditions, values
