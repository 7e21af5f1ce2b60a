"""A task filter as a condition on the columns of queries.tasks."""

from typing import Any

from swather.model.payload import MAX_ITEM_BYTES, encode
from swather.model.task import State
from swather.model.task_filter import TaskFilter
from swather.store.checks import check_filter, may_exist
from swather.store.sqlite.connection import Connection
from swather.store.sqlite.names import run_id

_STATES = {
    State.READY: "(o.task_id IS NULL AND l.task_id IS NULL AND s.task_id IS NULL)",
    State.SCHEDULED: "s.task_id IS NOT NULL",
    State.LEASED: "l.task_id IS NOT NULL",
    State.COMPLETED: "o.state = 'completed'",
    State.FAILED: "o.state = 'failed'",
    State.CANCELLED: "o.state = 'cancelled'",
}
_ENDED_BADLY = frozenset({State.FAILED, State.CANCELLED})


def where(connection: Connection, which: TaskFilter) -> tuple[str, dict[str, Any]]:
    """The condition and its values; an unknown run is an error."""
    check_filter(which)
    conditions = ["t.run_id = :run_id"]
    values: dict[str, Any] = {"run_id": run_id(connection, which.run)}
    if which.states is not None:
        any_of = " OR ".join(_STATES[state] for state in sorted(which.states))
        conditions.append(f"({any_of or 'false'})")
        if which.states and which.states <= _ENDED_BADLY:
            # Spelled out so that the small index on what did not complete is used.
            conditions.append(
                "t.id IN (SELECT task_id FROM outcomes "
                "WHERE run_id = :run_id AND state <> 'completed')"
            )
    if which.reasons is not None:
        conditions.append("o.reason IN (SELECT value FROM json_each(:reasons))")
        values["reasons"] = encode(sorted(which.reasons))
    if which.error_class is not None:
        conditions.append("f.error_class = :error_class")
        values["error_class"] = str(which.error_class)
    if which.fingerprint is not None:
        conditions.append(
            "t.id IN (SELECT task_id FROM faults "
            "WHERE run_id = :run_id AND fingerprint = :fingerprint)"
        )
        values["fingerprint"] = which.fingerprint
    if which.lane is not None:
        conditions.append("n.name = :lane")
        values["lane"] = which.lane
    if which.task_ids is not None:
        conditions.append("t.id IN (SELECT value FROM json_each(:task_ids))")
        values["task_ids"] = encode([*filter(may_exist, which.task_ids)], max_bytes=MAX_ITEM_BYTES)
    return " AND ".join(conditions), values
