"""Reads targets from arguments, text files, CSV and JSON lines."""

from collections.abc import Callable, Iterable, Iterator
from enum import StrEnum
from pathlib import Path
from typing import Any, Final, NamedTuple

import msgspec

from swather.errors import InputError
from swather.model.payload import decode
from swather.runs import table_lines
from swather.runs.lines import MAX_LINE_BYTES, STDIN, physical_lines


class Line(NamedTuple):
    """A target and where it was written; `key` None = made from the value."""

    number: int
    value: Any
    key: str | None
    source: str


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
_Parsed = tuple[Any, str | None] | None


def read_targets(
    source: str, *, column: str | None = None, key: str | None = None, form: Form | None = None
) -> Iterator[Line | BadLine]:
    """What a file (or '-', standard input) holds, line by line; the bad lines among them.

    `column` and `key` name a CSV column or a member of a JSON object. A CSV row without `column`
    is an object of all its cells, or the cell itself when there is only one column.
    """
    form = form or form_of(source, column)
    lines = physical_lines(source)
    match form:
        case Form.TEXT:
            if column or key:
                raise InputError(f"{source} is plain text; only CSV and JSON lines have columns")
            return _each(source, lines, _text_target)
        case Form.JSON_LINES:
            return _each(source, lines, lambda raw: _json_target(raw, column, key))
        case Form.CSV:
            return _rows(source, lines, column, key)


def form_of(source: str, column: str | None = None) -> Form:
    """The form by a file's name; standard input is CSV when a column is named."""
    if source == STDIN:
        return Form.TEXT if column is None else Form.CSV
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


def from_arguments(arguments: Iterable[str]) -> Iterator[Line]:
    return from_values(arguments, source=ARGUMENTS)


def from_values(values: Iterable[Any], *, source: str = VALUES) -> Iterator[Line]:
    """Targets from Python code, numbered from 1."""
    return (Line(number, value, None, source) for number, value in enumerate(values, 1))


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
            yield Line(number, parsed[0], parsed[1], source)


def _text_target(raw: bytes) -> _Parsed:
    try:
        text = raw.decode().strip()
    except UnicodeDecodeError as error:
        raise _not_utf8(error) from error
    if "\0" in text:
        raise InputError("contains a NUL character")
    return (text, None) if text else None


def _json_target(raw: bytes, column: str | None, key: str | None) -> _Parsed:
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
        raise InputError("null is no target")
    chosen = value if column is None else _member(value, column)
    return chosen, None if key is None else _key(_member(value, key), key)


def _member(value: Any, name: str) -> Any:
    if not isinstance(value, dict):
        raise InputError(f"is no JSON object, so it has no {name!r}")
    member = value.get(name)
    if member is None:
        raise InputError(f"has no {name!r}")
    return member


def _key(value: Any, name: str) -> str:
    if isinstance(value, str) and value:
        return value
    if isinstance(value, int | float) and not isinstance(value, bool):
        return str(value)
    raise InputError(f"{name!r} is no key: expected text or a number, got {value!r:.80}")


def _rows(
    source: str, lines: Iterable[tuple[int, bytes | None]], column: str | None, key: str | None
) -> Iterator[Line | BadLine]:
    header: table_lines.Header | None = None
    for row in table_lines.rows(lines):
        if isinstance(row, table_lines.BadRow):
            yield BadLine(row.number, row.reason, source)
        elif header is None:
            header = table_lines.Header(source, row.cells, column, key)
        else:
            try:
                value, given = header.target(row.cells)
            except InputError as error:
                yield BadLine(row.number, str(error), source)
            else:
                yield Line(row.number, value, given, source)


def _not_utf8(error: UnicodeDecodeError) -> InputError:
    byte = error.object[error.start]
    return InputError(f"is not UTF-8: byte {error.start + 1} is 0x{byte:02x}")
