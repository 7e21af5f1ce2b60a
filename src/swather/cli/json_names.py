"""One name for one thing in all that commands write with --json.

The structs of the program name things from where they stand: a task's number is `id` in the task
itself and `task_id` in an event. Programs that read us see the same name everywhere.
"""

from collections.abc import Mapping
from typing import Any, Final

import msgspec

from swather.model.source import SourceStats
from swather.runs.reason import Reason

# By the name of the struct, so that its module need not be imported.
_NAMES: Final[Mapping[str, Mapping[str, str]]] = {
    "Task": {"id": "task", "parent_id": "parent_task"},
    "Event": {"id": "event", "task_id": "task"},
    "ErrorGroup": {"fingerprint": "group", "sample_task_id": "task"},
    "FailedGroup": {"fingerprint": "group", "sample_task_id": "task"},
    "WorkerLine": {"id": "worker_id", "name": "worker"},
    "WorkerReport": {"name": "worker"},
    "FleetTotals": {"name": "fleet"},
    "WorkerTotals": {"number": "worker_number"},
}


def named(value: Any) -> Any:
    """A struct, or whatever holds structs, as JSON values under the names of commands."""
    if isinstance(value, Reason | SourceStats):
        return named(value.as_data())
    if isinstance(value, msgspec.Struct):
        names = _NAMES.get(type(value).__name__, {})
        return {
            names.get(field, field): named(getattr(value, field))
            for field in value.__struct_fields__
        }
    if isinstance(value, dict):
        return {str(name): named(member) for name, member in value.items()}
    if isinstance(value, list | tuple):
        return [named(member) for member in value]
    return msgspec.to_builtins(value)
