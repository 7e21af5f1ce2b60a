"""Items as a pandas DataFrame; pandas is loaded only here."""

from collections.abc import Iterable
from importlib import import_module
from typing import Any, Final

from swather.errors import MissingExtra
from swather.runs.table import Columns, Kind, row_of

# With missing values, numpy's own types would turn whole numbers into floats.
_WITH_MISSING: Final = {Kind.BOOLEAN: "boolean", Kind.WHOLE: "Int64"}
_TYPES: Final = {
    Kind.EMPTY: "object",
    Kind.BOOLEAN: "bool",
    Kind.WHOLE: "int64",
    Kind.NUMBER: "float64",
    # As pandas likes it: this differs by release.
    Kind.TEXT: None,
    Kind.MIXED: "object",
}


def load_pandas() -> Any:
    """The module, or MissingExtra with the command to install it."""
    try:
        return import_module("pandas")
    except ImportError as error:
        raise MissingExtra(
            "a DataFrame needs an optional package: pip install 'swather[pandas]'"
        ) from error


def data_frame(items: Iterable[Any], columns: Columns) -> Any:
    """A row per item. Nested values, and those of mixed columns, stay what they are in Python."""
    pandas = load_pandas()
    values: dict[str, list[Any]] = {name: [] for name in columns.names}
    for row in map(row_of, items):
        for name, cells in values.items():
            cells.append(row.get(name))
    return pandas.DataFrame(
        {name: _series(pandas, values.pop(name), kind) for name, kind in columns.kinds.items()},
        columns=columns.names,
    )


def _series(pandas: Any, cells: list[Any], kind: Kind) -> Any:
    missing = any(cell is None for cell in cells)
    dtype = _WITH_MISSING.get(kind, _TYPES[kind]) if missing else _TYPES[kind]
    return pandas.Series(cells, dtype=dtype)
