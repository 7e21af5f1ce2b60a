"""A task filter as a query for matching ids, and as one that looks at a part of them."""

from typing import Any, Final, NamedTuple

from swather.model.task import State
from swather.model.task_filter import TaskFilter
from swather.store.checks import MAX_ID, ascii_lower, check_filter, may_exist
from swather.store.postgres.arrays import Bigints, Texts
from swather.store.postgres.connection import Connection
from swather.store.postgres.names import run_id
from swather.store.postgres.statements import queries

_ENDED_BADLY: Final = frozenset({State.FAILED, State.CANCELLED})
_ENDED: Final = _ENDED_BADLY | {State.COMPLETED}
_READY: Final = frozenset({State.READY})
_LEASED: Final = frozenset({State.LEASED})
_SCHEDULED: Final = frozenset({State.SCHEDULED})
_UNFINISHED: Final = frozenset({State.SCHEDULED, State.READY, State.LEASED})
# The ready tasks of a run with more lanes than this are not collected from its lanes.
_MAX_HEADS: Final = 5_000
# The tasks of a run with fewer are looked at one by one, rather than those of all runs.
_LARGE_RUN: Final = 20_000
# Scalar subqueries are never turned into joins: they read one index entry each, whatever the
# planner believes about the tables.
_IN: Final = {
    State.SCHEDULED: "(SELECT task_id FROM swather.scheduled WHERE task_id = t.id) IS NOT NULL",
    State.LEASED: "(SELECT task_id FROM swather.leases WHERE task_id = t.id) IS NOT NULL",
    State.READY: (
        "(SELECT task_id FROM swather.ready WHERE head_id = t.head_id AND priority = t.priority "
        "AND task_id = t.id) IS NOT NULL"
    ),
    State.COMPLETED: "(SELECT state FROM swather.outcomes WHERE task_id = t.id) = 'completed'",
    State.FAILED: "(SELECT state FROM swather.outcomes WHERE task_id = t.id) = 'failed'",
    State.CANCELLED: "(SELECT state FROM swather.outcomes WHERE task_id = t.id) = 'cancelled'",
}


_TASK: Final = (
    "SELECT id, run_id, head_id, priority, target FROM swather.tasks WHERE id = d.id OFFSET 0"
)
_BETWEEN: Final = "> %(after_id)s AND {0} < %(before_id)s"


class Page(NamedTuple):
    """`matching`: a query for at most %(limit)s ids that match, between %(after_id)s and
    %(before_id)s, in order. `looked_at`: a query for the id by which %(scan)s have been looked at,
    '' if it never looks at many.
    """

    matching: str
    looked_at: str
    values: dict[str, Any]


def page_of(connection: Connection, which: TaskFilter, *, newest_first: bool) -> Page:
    """An unknown run is an error."""
    check_filter(which)
    number = run_id(connection, which.run)
    values: dict[str, Any] = {"run_id": number, "after_id": 0, "before_id": MAX_ID}
    conditions = _conditions(which, values)
    order = "DESC" if newest_first else "ASC"
    if not conditions and which.states == _READY:
        many = {"run_id": number, "many": _MAX_HEADS}
        if not connection.value(queries.has_many_heads, many):
            matching = queries.newest_ready_page if newest_first else queries.ready_page
            return Page(matching, "", values)
    is_large = connection.value(queries.count_tasks, {"run_id": number}) > _LARGE_RUN
    walked = _walked(which, values, is_large=is_large)
    if which.states is not None:
        conditions.append(_any_of(which.states))
    is_all_of_run = walked is _TASKS and not conditions
    matching = (
        f"SELECT d.id FROM ({walked}) AS d CROSS JOIN LATERAL ({_TASK}) AS t "
        f"WHERE {' AND '.join(['t.run_id = %(run_id)s', *conditions])} "
        f"ORDER BY d.id {order} LIMIT %(limit)s"
    )
    looked_at = (
        f"SELECT d.id FROM ({walked}) AS d ORDER BY d.id {order} LIMIT 1 OFFSET %(scan)s - 1"
    )
    return Page(matching, "" if is_all_of_run else looked_at, values)


def ids_of(connection: Connection, which: TaskFilter) -> tuple[str, dict[str, Any]]:
    """A query for at most %(limit)s ids above %(after_id)s, in order, and its other values; an
    unknown run is an error.
    """
    check_filter(which)
    values: dict[str, Any] = {"run_id": run_id(connection, which.run)}
    conditions = _conditions(which, values)
    if not conditions and which.states is not None and which.states <= _UNFINISHED:
        return _unfinished(which.states), values
    if which.states is not None:
        conditions.append(_any_of(which.states))
    sql = (
        f"SELECT t.id FROM ({_source(which, values)}) AS d CROSS JOIN LATERAL ("
        f"{_TASK}) AS t "
        f"WHERE {' AND '.join(['t.run_id = %(run_id)s', *conditions])} "
        "ORDER BY d.id LIMIT %(limit)s"
    )
    return sql, values


def _any_of(states: frozenset[State]) -> str:
    any_of = " OR ".join(_IN[state] for state in sorted(states))
    return f"({any_of or 'false'})"


def _conditions(which: TaskFilter, values: dict[str, Any]) -> list[str]:
    conditions = []
    if which.reasons is not None:
        conditions.append(
            "(SELECT reason FROM swather.outcomes WHERE task_id = t.id) = ANY(%(reasons)s::text[])"
        )
        values["reasons"] = Texts(sorted(which.reasons))
    if which.error_class is not None:
        conditions.append(
            "(SELECT error_class FROM swather.faults WHERE task_id = t.id) = %(error_class)s"
        )
        values["error_class"] = str(which.error_class)
    if which.fingerprint is not None:
        conditions.append(
            "(SELECT fingerprint FROM swather.faults WHERE task_id = t.id) = %(fingerprint)s"
        )
        values["fingerprint"] = which.fingerprint
    if which.lane is not None:
        conditions.append(
            "(SELECT name FROM swather.lanes WHERE id = "
            "(SELECT lane_id FROM swather.heads WHERE id = t.head_id)) = %(lane)s"
        )
        values["lane"] = which.lane
    if which.worker is not None:
        conditions.append(
            "coalesce((SELECT worker_id FROM swather.leases WHERE task_id = t.id), "
            "(SELECT worker_id FROM swather.outcomes WHERE task_id = t.id)) "
            "= ANY(ARRAY(SELECT id FROM swather.workers WHERE name = %(worker)s))"
        )
        values["worker"] = which.worker
    if which.text is not None:
        # In the C collation only A to Z have two cases, as on SQLite.
        conditions.append("""strpos(lower(t.target COLLATE "C"), %(text)s COLLATE "C") > 0""")
        values["text"] = ascii_lower(which.text)
    if which.task_ids is not None:
        conditions.append("t.id = ANY(%(task_ids)s::bigint[])")
        values["task_ids"] = Bigints(filter(may_exist, which.task_ids))
    return conditions


_TASKS: Final = (
    f"SELECT id FROM swather.tasks WHERE run_id = %(run_id)s AND id {_BETWEEN.format('id')}"
)


def _walked(which: TaskFilter, values: dict[str, Any], *, is_large: bool) -> str:
    """The smallest index with all ids that the filter can match, in order."""
    if "task_ids" in values:
        between = _BETWEEN.format("id")
        return f"SELECT id FROM swather.tasks WHERE id = ANY(%(task_ids)s) AND id {between}"
    between = _BETWEEN.format("task_id")
    if "fingerprint" in values:
        return (
            "SELECT task_id AS id FROM swather.faults WHERE run_id = %(run_id)s "
            f"AND fingerprint = %(fingerprint)s AND task_id {between}"
        )
    if which.states and which.states <= _ENDED_BADLY:
        return (
            "SELECT task_id AS id FROM swather.outcomes WHERE run_id = %(run_id)s "
            f"AND state <> 'completed' AND task_id {between}"
        )
    table = _table_of(which, is_large=is_large)
    return f"SELECT task_id AS id FROM swather.{table} WHERE task_id {between}" if table else _TASKS


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


def _source(which: TaskFilter, values: dict[str, Any]) -> str:
    """The smallest index with all ids that the filter can match, in order."""
    if "task_ids" in values:
        return "SELECT id FROM swather.tasks WHERE id = ANY(%(task_ids)s) AND id > %(after_id)s"
    if "fingerprint" in values:
        return (
            "SELECT task_id AS id FROM swather.faults WHERE run_id = %(run_id)s "
            "AND fingerprint = %(fingerprint)s AND task_id > %(after_id)s"
        )
    if which.states and which.states <= _ENDED_BADLY:
        return (
            "SELECT task_id AS id FROM swather.outcomes WHERE run_id = %(run_id)s "
            "AND state <> 'completed' AND task_id > %(after_id)s"
        )
    return "SELECT id FROM swather.tasks WHERE run_id = %(run_id)s AND id > %(after_id)s"


def _unfinished(states: frozenset[State]) -> str:
    """From the small tables only, without ended tasks."""
    parts = {
        State.SCHEDULED: queries.scheduled_ids,
        State.LEASED: queries.leased_ids,
        State.READY: queries.ready_ids,
    }
    chosen = " UNION ALL ".join(f"({parts[state]})" for state in sorted(states))
    if not chosen:
        return "SELECT 0::bigint AS id WHERE false"
    return f"SELECT id FROM ({chosen}) AS u ORDER BY id LIMIT %(limit)s"
