"""Rows as one array per column. No twin: SQLite takes rows one by one."""

from collections.abc import Callable, Iterable, Sequence
from typing import Any, Final

from swather.store.postgres.arrays import Bigints, Floats, Integers, Smallints, Texts

_ARRAYS: Final[dict[str, Callable[[Iterable[Any]], list[Any]]]] = {
    "task_id": Bigints,
    "run_id": Bigints,
    "token": Bigints,
    "worker_id": Bigints,
    "head_id": Bigints,
    "sample_task_id": Bigints,
    "size_bytes": Bigints,
    "times": Bigints,
    "part": Integers,
    "seq": Integers,
    "attempts": Integers,
    "blocked": Integers,
    "proxy": Integers,
    "crashes": Integers,
    "crashes_alone": Integers,
    "priority": Smallints,
    "due_in_seconds": Floats,
}


def columns_of(rows: Sequence[Any]) -> dict[str, list[Any]]:
    """Named tuples, at least one, as values for a query that unnests an array per field. What is
    not a number is text.
    """
    columns = zip(rows[0]._fields, zip(*rows, strict=True), strict=True)
    return {name: _ARRAYS.get(name, Texts)(column) for name, column in columns}
