"""Reads targets from arguments, text files, CSV and JSON lines."""

from collections.abc import Callable, Iterable, Iterator
from enum import StrEnum
from itertools import chain, islice
from pathlib import Path
from typing import Any, Final, NamedTuple

import msgspec

from swather.errors import InputError
from swather.model.payload import decode
from swather.runs import table_lines
from swather.runs.layout import PLAIN, Layout
from swather.runs.lines import MAX_LINE_BYTES, STDIN, physical_lines
from swather.runs.table_head import TableHead
from swather.runs.target_options import NO_OPTIONS, TargetOptions, options_in


class Line(NamedTuple):
    """A target and where it was written; `key` None = made from the value."""

    number: int
    value: Any
    key: str | None
    source: str
    options: TargetOptions = NO_OPTIONS


class Note(NamedTuple):
    """What was assumed about a file, for people to read."""

    text: str


class BadLine(NamedTuple):
    """A line that holds no usable target, and why."""

    number: int
    reason: str
    source: str


class Form(StrEnum):
    """How targets are written in a file."""

    TEXT = "txt"
    CSV = "csv"
    JSON_LINES = "jsonl"


_FORMS: Final = {
    ".csv": Form.CSV,
    ".tsv": Form.CSV,
    ".jsonl": Form.JSON_LINES,
    ".ndjson": Form.JSON_LINES,
}
ARGUMENTS: Final = "arguments"
VALUES: Final = "targets"
# How many lines of a file are looked at before the first is used.
_SAMPLE: Final = 20
_Parsed = tuple[Any, str | None, TargetOptions] | None
Entry = Line | BadLine | Note


def read_targets(
    source: str, layout: Layout = PLAIN, *, form: Form | None = None
) -> Iterator[Entry]:
    """What a file (or '-', standard input) holds, line by line; the bad lines among them."""
    return targets_in(physical_lines(source), source, form or form_of(source, layout), layout)


def targets_in(
    lines: Iterable[tuple[int, bytes | None]], source: str, form: Form, layout: Layout = PLAIN
) -> Iterator[Entry]:
    """The same of numbered lines that come from anywhere."""
    if form is not Form.CSV and layout.is_of_csv:
        raise InputError(f"{source} is not CSV; only CSV has a header and rows")
    match form:
        case Form.TEXT:
            if layout.names_columns:
                raise InputError(f"{source} is plain text; only CSV and JSON lines have columns")
            return _each(source, lines, lambda raw: _text_target(raw, layout))
        case Form.JSON_LINES:
            return _each(source, lines, lambda raw: _json_target(raw, layout))
        case Form.CSV:
            return _rows(source, lines, layout)


def form_of(source: str, layout: Layout = PLAIN) -> Form:
    """The form by a file's name; standard input is CSV when its columns or header are named."""
    if source == STDIN:
        return Form.CSV if layout.is_of_table else Form.TEXT
    suffixes = [suffix.lower() for suffix in Path(source).suffixes]
    if suffixes[-1:] == [".gz"]:
        suffixes.pop()
    suffix = suffixes[-1] if suffixes else ""
    if suffix in {".json", ".parquet", ".xlsx", ".xls"}:
        raise InputError(
            f"{source}: targets are read from .txt, .csv and .jsonl files, not from {suffix}; "
            "write one target per line"
        )
    return _FORMS.get(suffix, Form.TEXT)


def from_arguments(arguments: Iterable[str], options: TargetOptions = NO_OPTIONS) -> Iterator[Line]:
    for number, text in enumerate(arguments, 1):
        yield Line(number, value_of(text), None, ARGUMENTS, options)


def value_of(argument: str) -> Any:
    """A target as a person types it: text, unless it is a JSON object or array."""
    if argument.lstrip()[:1] in {"{", "["}:
        try:
            return msgspec.json.decode(argument)
        except (ValueError, RecursionError):
            return argument
    return argument


def from_values(values: Iterable[Any]) -> Iterator[Line]:
    """Targets from Python code, numbered from 1."""
    return (Line(number, value, None, VALUES) for number, value in enumerate(values, 1))


def _each(
    source: str,
    lines: Iterable[tuple[int, bytes | None]],
    parse: Callable[[bytes], _Parsed],
) -> Iterator[Line | BadLine]:
    for number, raw in lines:
        if raw is None:
            yield BadLine(number, f"longer than {MAX_LINE_BYTES:,} bytes", source)
            continue
        try:
            parsed = parse(raw)
        except InputError as error:
            yield BadLine(number, str(error), source)
            continue
        if parsed is not None:
            value, key, options = parsed
            yield Line(number, value, key, source, options)


def _text_target(raw: bytes, layout: Layout) -> _Parsed:
    try:
        text = raw.decode().strip()
    except UnicodeDecodeError as error:
        raise _not_utf8(error) from error
    if "\0" in text:
        raise InputError("contains a NUL character")
    return (text, None, layout.given) if text else None


def _json_target(raw: bytes, layout: Layout) -> _Parsed:
    if not raw.strip():
        return None
    try:
        raw.decode()
        value = decode(raw)
    except UnicodeDecodeError as error:
        raise _not_utf8(error) from error
    except RecursionError as error:
        raise InputError("is nested too deeply") from error
    except msgspec.MsgspecError as error:
        raise InputError(f"is not JSON: {error}") from error
    if value is None:
        raise InputError("null is not a target")
    column, key = layout.column, layout.key
    members = value if isinstance(value, dict) else {}
    if layout.options and not members:
        raise InputError(f"is not a JSON object, so it has no {layout.columns[-1]!r}")
    return (
        value if column is None else _member(value, column),
        None if key is None else _key(_member(value, key), key),
        options_in(layout.options, members.get, layout.given),
    )


def _member(value: Any, name: str) -> Any:
    if not isinstance(value, dict):
        raise InputError(f"is not a JSON object, so it has no {name!r}")
    member = value.get(name)
    if member is None:
        raise InputError(f"has no {name!r}")
    return member


def _key(value: Any, name: str) -> str:
    if isinstance(value, str) and value:
        return value
    if isinstance(value, int | float) and not isinstance(value, bool):
        return str(value)
    raise InputError(f"{name!r} is not a key: expected text or a number, got {value!r:.80}")


def _rows(
    source: str, lines: Iterable[tuple[int, bytes | None]], layout: Layout
) -> Iterator[Entry]:
    # Of a pipe, no more is read ahead than is needed: its lines may come slowly.
    sample = 1 if source == STDIN else _SAMPLE
    rows = table_lines.rows(lines, sample=sample)
    chooses = layout.column is None and not layout.rows
    first = list(islice(rows, max(sample, 1 + chooses)))
    cells = [row.cells for row in first if isinstance(row, table_lines.Row)]
    head = TableHead(source, cells, layout) if cells else None
    yield from map(Note, head.notes if head else ())
    is_header = head is not None and head.has_header
    for row in chain(first, rows):
        if isinstance(row, table_lines.BadRow):
            yield BadLine(row.number, row.reason, source)
        elif is_header:
            is_header = False
        else:
            assert head is not None
            yield _row_target(source, row, head)


def _row_target(source: str, row: table_lines.Row, head: TableHead) -> Line | BadLine:
    try:
        value, key, options = head.target(row.cells)
    except InputError as error:
        return BadLine(row.number, str(error), source)
    return Line(row.number, value, key, source, options)


def _not_utf8(error: UnicodeDecodeError) -> InputError:
    byte = error.object[error.start]
    return InputError(f"is not UTF-8: byte {error.start + 1} is 0x{byte:02x}")
