"""Items as Arrow: typed columns, some rows at a time. pyarrow is loaded only here."""

from collections.abc import Iterable, Iterator
from importlib import import_module
from itertools import islice
from typing import Any, Final

from swather.errors import MissingExtra
from swather.runs.table import Columns, Kind, row_of, text_of

_ROWS_TOGETHER: Final = 10_000


def load_pyarrow() -> Any:
    """The module, or MissingExtra with the command to install it."""
    try:
        return import_module("pyarrow")
    except ImportError as error:
        raise MissingExtra(
            "Arrow and Parquet need an optional package: pip install 'swather[parquet]'"
        ) from error


def schema_of(columns: Columns) -> Any:
    """One column per name, typed by what it holds; mixed and nested values are text."""
    arrow = load_pyarrow()
    types = {
        Kind.EMPTY: arrow.string(),
        Kind.BOOLEAN: arrow.bool_(),
        Kind.WHOLE: arrow.int64(),
        Kind.NUMBER: arrow.float64(),
        Kind.TEXT: arrow.string(),
        Kind.MIXED: arrow.string(),
    }
    return arrow.schema([(name, types[kind]) for name, kind in columns.kinds.items()])


def record_batches(items: Iterable[Any], columns: Columns) -> Iterator[Any]:
    arrow = load_pyarrow()
    schema, kinds = schema_of(columns), columns.kinds
    rows = map(row_of, items)
    while some := list(islice(rows, _ROWS_TOGETHER)):
        arrays = [
            arrow.array([_cell(row.get(field.name), kinds[field.name]) for row in some], field.type)
            for field in schema
        ]
        yield arrow.RecordBatch.from_arrays(arrays, schema=schema)


def _cell(value: Any, kind: Kind) -> Any:
    if value is None:
        return None
    match kind:
        case Kind.MIXED:
            return text_of(value)
        case Kind.NUMBER:
            return float(value)
        case _:
            return value
