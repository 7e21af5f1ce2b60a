"""A task filter as a query for the ids it means."""

from typing import Any, Final

from swather.model.query import TaskFilter
from swather.model.task import State
from swather.store.postgres.arrays import Bigints, Texts
from swather.store.postgres.connection import Connection
from swather.store.postgres.names import run_id
from swather.store.postgres.settings import queries

_ENDED_BADLY: Final = frozenset({State.FAILED, State.CANCELLED})
_UNFINISHED: Final = frozenset({State.SCHEDULED, State.READY, State.LEASED})
_IN = {
    State.SCHEDULED: "EXISTS (SELECT FROM swather.scheduled WHERE task_id = t.id)",
    State.LEASED: "EXISTS (SELECT FROM swather.leases WHERE task_id = t.id)",
    State.READY: (
        "EXISTS (SELECT FROM swather.ready WHERE head_id = t.head_id AND priority = t.priority "
        "AND task_id = t.id)"
    ),
    State.COMPLETED: (
        "EXISTS (SELECT FROM swather.outcomes WHERE task_id = t.id AND state = 'completed')"
    ),
    State.FAILED: "EXISTS (SELECT FROM swather.outcomes WHERE task_id = t.id AND state = 'failed')",
    State.CANCELLED: (
        "EXISTS (SELECT FROM swather.outcomes WHERE task_id = t.id AND state = 'cancelled')"
    ),
}


def ids_of(connection: Connection, which: TaskFilter) -> tuple[str, dict[str, Any]]:
    """A query for at most %(limit)s ids above %(after_id)s, in order, and its other values; an
    unknown run is an error.
    """
    values: dict[str, Any] = {"run_id": run_id(connection, which.run)}
    conditions = _conditions(which, values)
    if not conditions and which.states is not None and which.states <= _UNFINISHED:
        return _unfinished(which.states), values
    if which.states is not None:
        any_of = " OR ".join(_IN[state] for state in sorted(which.states))
        conditions.append(f"({any_of or 'false'})")
    sql = (
        f"SELECT t.id FROM ({_source(which, values)}) AS d "
        "JOIN swather.tasks AS t ON t.id = d.id "
        f"WHERE {' AND '.join(['t.run_id = %(run_id)s', *conditions])} "
        "ORDER BY d.id LIMIT %(limit)s"
    )
    return sql, values


def _conditions(which: TaskFilter, values: dict[str, Any]) -> list[str]:
    conditions = []
    if which.reasons is not None:
        conditions.append(
            "EXISTS (SELECT FROM swather.outcomes "
            "WHERE task_id = t.id AND reason = ANY(%(reasons)s::text[]))"
        )
        values["reasons"] = Texts(sorted(which.reasons))
    if which.error_class is not None:
        conditions.append(
            "EXISTS (SELECT FROM swather.faults "
            "WHERE task_id = t.id AND error_class = %(error_class)s)"
        )
        values["error_class"] = str(which.error_class)
    if which.fingerprint is not None:
        conditions.append(
            "EXISTS (SELECT FROM swather.faults "
            "WHERE task_id = t.id AND fingerprint = %(fingerprint)s)"
        )
        values["fingerprint"] = which.fingerprint
    if which.lane is not None:
        conditions.append(
            "EXISTS (SELECT FROM swather.heads AS h JOIN swather.lanes AS l ON l.id = h.lane_id "
            "WHERE h.id = t.head_id AND l.name = %(lane)s)"
        )
        values["lane"] = which.lane
    if which.task_ids is not None:
        conditions.append("t.id = ANY(%(task_ids)s::bigint[])")
        values["task_ids"] = Bigints(which.task_ids)
    return conditions


def _source(which: TaskFilter, values: dict[str, Any]) -> str:
    """The smallest index that has all ids that the filter can mean, in their order."""
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
    """From the small tables, without a look at what has ended."""
    parts = {
        State.SCHEDULED: queries.scheduled_ids,
        State.LEASED: queries.leased_ids,
        State.READY: queries.ready_ids,
    }
    chosen = " UNION ALL ".join(f"({parts[state]})" for state in sorted(states))
    if not chosen:
        return "SELECT 0::bigint AS id WHERE false"
    return f"SELECT id FROM ({chosen}) AS u ORDER BY id LIMIT %(limit)s"
