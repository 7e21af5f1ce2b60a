"""Export: all items of a run in one file, whole or not at all."""

import tempfile
from collections.abc import Iterator
from enum import StrEnum
from pathlib import Path
from typing import IO, Any, Final, NamedTuple, assert_never

from swather.errors import InputError
from swather.model.payload import decode
from swather.runs.csv_file import write_csv
from swather.runs.items import Reading
from swather.runs.parquet_file import load_pyarrow, write_parquet
from swather.runs.replacing import replacing
from swather.runs.results_file import position_path
from swather.runs.table import Columns
from swather.store import Store


class Format(StrEnum):
    """How results are written."""

    JSONL = "jsonl"
    CSV = "csv"
    PARQUET = "parquet"


_FORMATS: Final = {
    ".jsonl": Format.JSONL,
    ".ndjson": Format.JSONL,
    ".csv": Format.CSV,
    ".parquet": Format.PARQUET,
}


class Exported(NamedTuple):
    """The file that was written, and how many items it has."""

    path: Path
    items: int


def format_of(path: Path | str) -> Format:
    """The format that a file's name asks for."""
    suffix = Path(path).suffix.lower()
    if suffix not in _FORMATS:
        raise InputError(f"{path}: results are written to .jsonl, .csv and .parquet files")
    return _FORMATS[suffix]


def check_format(form: Format) -> None:
    """Raise now whatever would prevent writing this format at the end of a long run."""
    if form is Format.PARQUET:
        load_pyarrow()


def export(
    store: Store,
    run: str,
    path: Path | str,
    *,
    form: Format | None = None,
    complete_only: bool = False,
    raw: bool = False,
) -> Exported:
    """Write all items that are committed now; an existing file is replaced when all are written,
    and left alone when some cannot be read.

    `complete_only` leaves out the items of tasks that have not completed. `raw` leaves CSV cells
    as they are, formulas too.
    """
    path = Path(path)
    form = form or format_of(path)
    check_format(form)
    store.runs.get(run)
    try:
        with replacing(path) as stream:
            reading = Reading(store, run, complete_only=complete_only)
            write_items(reading, stream, form, raw=raw, spool_folder=path.parent)
        # The file that was written live under this name is gone.
        position_path(path).unlink(missing_ok=True)
    except OSError as error:
        # Not the error's own text, which names a file that is gone.
        raise InputError(
            f"results cannot be written to {path}: {error.strerror or error}"
        ) from error
    return Exported(path, reading.lines)


def write_items(
    reading: Reading,
    stream: IO[bytes],
    form: Format,
    *,
    raw: bool = False,
    spool_folder: Path | None = None,
) -> None:
    """Write all items to a stream (standard output, say)."""
    if form is Format.JSONL:
        for lines in reading:
            stream.writelines(lines)
        return
    # Columns must be known before the first row, and both passes must see the same items.
    with tempfile.TemporaryFile(prefix=".swather-export-", dir=spool_folder) as spool:
        columns = Columns()
        for lines in reading:
            spool.writelines(lines)
            columns.add_all(map(decode, lines))
        items = _items_of(spool)
        match form:
            case Format.CSV:
                write_csv(items, columns.names, stream, raw=raw)
            case Format.PARQUET:
                write_parquet(items, columns, stream)
            case _:
                assert_never(form)


def _items_of(spool: IO[bytes]) -> Iterator[Any]:
    spool.seek(0)
    return map(decode, spool)
