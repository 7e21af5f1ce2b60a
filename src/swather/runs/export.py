"""Export: all items of a run in one file, whole or not at all."""

import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from enum import StrEnum
from pathlib import Path
from typing import IO, Any, Final, NamedTuple, assert_never

from swather.errors import InputError
from swather.model.payload import decode
from swather.runs.arrow_table import load_pyarrow
from swather.runs.csv_file import write_csv
from swather.runs.items import Lines, Outdated, Reading
from swather.runs.parquet_file import write_parquet
from swather.runs.replacing import replacing
from swather.runs.results_file import position_path
from swather.runs.table import Columns
from swather.runs.xlsx_file import load_xlsxwriter, write_xlsx
from swather.store import Store


class Format(StrEnum):
    """How results are written."""

    JSONL = "jsonl"
    JSON = "json"
    CSV = "csv"
    XLSX = "xlsx"
    PARQUET = "parquet"


_CHUNK_BYTES: Final = 1 << 18
_FORMATS: Final = {".ndjson": Format.JSONL} | {f".{form}": form for form in Format}


class Exported(NamedTuple):
    """The file that was written, and how many items it has."""

    path: Path
    items: int


def format_of(path: Path | str) -> Format:
    """The format that a file's name asks for."""
    suffix = Path(path).suffix.lower()
    if suffix not in _FORMATS:
        raise InputError(
            f"{path}: results are written to .jsonl, .json, .csv, .xlsx and .parquet files"
        )
    return _FORMATS[suffix]


def check_format(form: Format) -> None:
    """Raise now whatever would prevent writing this format at the end of a long run."""
    if form is Format.PARQUET:
        load_pyarrow()
    elif form is Format.XLSX:
        load_xlsxwriter()


def export(
    store: Store,
    run: str,
    path: Path | str,
    *,
    form: Format | None = None,
    complete_only: bool = False,
    outdated: bool = False,
    raw: bool = False,
) -> Exported:
    """Write all items that are committed now; an existing file is replaced when all are written,
    and left alone when some cannot be read.

    `complete_only` leaves out the items of tasks that have not completed; `outdated` writes the
    items of tasks that were tried again and failed instead. `raw` leaves CSV cells as they are,
    formulas too.
    """
    path = Path(path)
    form = form or format_of(path)
    check_format(form)
    store.runs.get(run)
    reading = items_of(store, run, complete_only=complete_only, outdated=outdated)
    write_file(reading, path, form, raw=raw)
    return Exported(path, reading.lines)


def write_file(reading: Lines, path: Path, form: Format, *, raw: bool = False) -> None:
    """Write lines to a file; an existing one is replaced when all are written."""
    try:
        with replacing(path) as stream:
            write_items(reading, stream, form, raw=raw, spool_folder=path.parent)
        # The file that was written live under this name is gone.
        position_path(path).unlink(missing_ok=True)
    except OSError as error:
        # Not the error's own text, which names a file that is gone.
        raise InputError(f"cannot write results to {path}: {error.strerror or error}") from error


def items_of(store: Store, run: str, *, complete_only: bool, outdated: bool) -> Lines:
    """The items to write: those of the run, or its outdated ones."""
    if outdated and complete_only:
        raise InputError("outdated items belong to tasks that have not completed; ask for either")
    return Outdated(store, run) if outdated else Reading(store, run, complete_only=complete_only)


def write_items(
    reading: Lines,
    stream: IO[bytes],
    form: Format,
    *,
    raw: bool = False,
    spool_folder: Path | None = None,
) -> None:
    """Write all items to a stream (standard output, say)."""
    match form:
        case Format.JSONL:
            for lines in reading:
                stream.writelines(lines)
        case Format.JSON:
            _write_json(reading, stream)
        case Format.CSV:
            with spooled(reading, spool_folder) as (items, columns):
                write_csv(items, columns.names, stream, raw=raw)
        case Format.XLSX:
            with spooled(reading, spool_folder) as (items, columns):
                write_xlsx(items, columns.names, stream, folder=spool_folder)
        case Format.PARQUET:
            with spooled(reading, spool_folder) as (items, columns):
                write_parquet(items, columns, stream)
        case _:
            assert_never(form)


def chunks_of(reading: Lines, form: Format, *, raw: bool = False) -> Iterator[bytes]:
    """What `write_items` writes, some at a time, for somebody who takes it slowly. JSON lines come
    as they are read; other formats once all is written, so that an error comes before any of it.
    """
    if form is Format.JSONL:
        yield from map(b"".join, reading)
        return
    with tempfile.TemporaryFile(prefix=".swather-export-") as written:
        write_items(reading, written, form, raw=raw)
        written.seek(0)
        while chunk := written.read(_CHUNK_BYTES):
            yield chunk


@contextmanager
def spooled(
    reading: Iterable[list[bytes]], folder: Path | None = None
) -> Iterator[tuple[Iterator[Any], Columns]]:
    """All items, and the columns of all of them: those must be known before the first row, and
    both passes must see the same items.
    """
    with tempfile.TemporaryFile(prefix=".swather-export-", dir=folder) as spool:
        columns = Columns()
        for lines in reading:
            spool.writelines(lines)
            columns.add_all(map(decode, lines))
        spool.seek(0)
        yield map(decode, spool), columns


def _write_json(reading: Iterable[list[bytes]], stream: IO[bytes]) -> None:
    """An array with one item a line."""
    before = b"[\n"
    for lines in reading:
        for line in lines:
            stream.write(before + line.rstrip(b"\n"))
            before = b",\n"
    stream.write(b"[]\n" if before == b"[\n" else b"\n]\n")
