"""Items as Parquet, through pyarrow, which is loaded only here."""

from collections.abc import Iterable
from importlib import import_module
from itertools import islice
from typing import IO, Any, Final

from swather.errors import MissingExtra
from swather.runs.table import Columns, Kind, json_text, row_of

_ROWS_TOGETHER: Final = 10_000


def load_pyarrow() -> tuple[Any, Any]:
    """The modules pyarrow and pyarrow.parquet, or MissingExtra with the command to install them."""
    try:
        return import_module("pyarrow"), import_module("pyarrow.parquet")
    except ImportError as error:
        raise MissingExtra(
            "Parquet needs an optional package: pip install 'swather[parquet]'"
        ) from error


def write_parquet(items: Iterable[Any], columns: Columns, stream: IO[bytes]) -> None:
    """One column per name, typed by what it holds; mixed and nested values are JSON text."""
    arrow, parquet = load_pyarrow()
    kinds = columns.kinds
    types = {
        Kind.EMPTY: arrow.string(),
        Kind.BOOLEAN: arrow.bool_(),
        Kind.WHOLE: arrow.int64(),
        Kind.NUMBER: arrow.float64(),
        Kind.TEXT: arrow.string(),
        Kind.MIXED: arrow.string(),
    }
    schema = arrow.schema([(name, types[kind]) for name, kind in kinds.items()])
    with parquet.ParquetWriter(stream, schema, compression="zstd") as writer:
        rows = map(row_of, items)
        while some := list(islice(rows, _ROWS_TOGETHER)):
            arrays = [
                arrow.array([_cell(row.get(name), kind) for row in some], types[kind])
                for name, kind in kinds.items()
            ]
            writer.write_table(arrow.Table.from_arrays(arrays, schema=schema))


def _cell(value: Any, kind: Kind) -> Any:
    if value is None:
        return None
    match kind:
        case Kind.MIXED:
            return json_text(value)
        case Kind.NUMBER:
            return float(value)
        case _:
            return value
