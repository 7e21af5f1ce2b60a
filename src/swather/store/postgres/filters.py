"""A task filter as a query for matching ids."""

from typing import Any, Final

from swather.model.task import State
from swather.model.task_filter import TaskFilter
from swather.store.checks import check_filter, may_exist
from swather.store.postgres.arrays import Bigints, Texts
from swather.store.postgres.connection import Connection
from swather.store.postgres.names import run_id
from swather.store.postgres.statements import queries

_ENDED_BADLY: Final = frozenset({State.FAILED, State.CANCELLED})
_UNFINISHED: Final = frozenset({State.SCHEDULED, State.READY, State.LEASED})
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
        any_of = " OR ".join(_IN[state] for state in sorted(which.states))
        conditions.append(f"({any_of or 'false'})")
    sql = (
        f"SELECT t.id FROM ({_source(which, values)}) AS d CROSS JOIN LATERAL ("
        "SELECT id, run_id, head_id, priority FROM swather.tasks WHERE id = d.id OFFSET 0) AS t "
        f"WHERE {' AND '.join(['t.run_id = %(run_id)s', *conditions])} "
        "ORDER BY d.id LIMIT %(limit)s"
    )
    return sql, values


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
    if which.task_ids is not None:
        conditions.append("t.id = ANY(%(task_ids)s::bigint[])")
        values["task_ids"] = Bigints(filter(may_exist, which.task_ids))
    return conditions


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
