"""One name for one thing in all that commands write with --json.

The structs of the program name things from where they stand: a task's number is `id` in the task
itself and `task_id` in an event. Programs that read us see the same name everywhere.
"""

from collections.abc import Mapping
from typing import Any, Final, TypeVar, get_args, get_origin

import msgspec

from swather.model.source import SourceStats
from swather.runs.reason import Reason

# By the name of the struct, so that its module need not be imported.
NAMES: Final[Mapping[str, Mapping[str, str]]] = {
    "Task": {"id": "task", "parent_id": "parent_task"},
    "Event": {"id": "event", "task_id": "task"},
    "ErrorGroup": {"fingerprint": "group", "sample_task_id": "task"},
    "FailedGroup": {"fingerprint": "group", "sample_task_id": "task"},
    "StoredItem": {"task_id": "task"},
    "StoredFile": {"task_id": "task"},
    "Action": {"id": "action"},
    "WorkerLine": {"id": "worker_id", "name": "worker"},
    "WorkerReport": {"name": "worker"},
    "FleetTotals": {"name": "fleet"},
    "WorkerTotals": {"number": "worker_number"},
}


T = TypeVar("T")


def named(value: Any) -> Any:
    """A struct, or whatever holds structs, as JSON values under the names of commands."""
    if isinstance(value, Reason | SourceStats):
        return named(value.as_data())
    if isinstance(value, msgspec.Struct):
        names = NAMES.get(type(value).__name__, {})
        return {
            names.get(field, field): named(getattr(value, field))
            for field in value.__struct_fields__
        }
    if isinstance(value, dict):
        return {str(name): named(member) for name, member in value.items()}
    if isinstance(value, list | tuple):
        return [named(member) for member in value]
    return msgspec.to_builtins(value)


def unnamed(data: Any, kind: type[T]) -> T:
    """The struct that data of `named` was made of; what the data lacks has its default."""
    found: T = _unnamed(data, kind)
    return found


def _unnamed(data: Any, kind: Any) -> Any:
    if data is None:
        return None
    if isinstance(kind, type) and issubclass(kind, msgspec.Struct):
        names = NAMES.get(kind.__name__, {})
        members = {
            field.name: _unnamed(data[names.get(field.name, field.name)], field.type)
            for field in msgspec.structs.fields(kind)
            if names.get(field.name, field.name) in data
        }
        return kind(**members)
    inside = [each for each in get_args(kind) if each is not type(None)]
    if get_origin(kind) is list:
        return [_unnamed(each, inside[0]) for each in data]
    if inside and isinstance(data, dict) and issubclass(inside[0], msgspec.Struct):
        return _unnamed(data, inside[0])
    return msgspec.convert(data, kind, strict=False)
