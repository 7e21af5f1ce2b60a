"""What commands write: tables for people, JSON for programs, sizes a person can read."""

import json
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from types import MappingProxyType
from typing import IO, Any, Final, TextIO, cast

from rich.table import Table
from rich.text import Text

from swather.masking import masked, masked_data
from swather.runs.console import PlainConsole
from swather.runs.reason import Reason
from swather.runs.words import size as size  # noqa: PLC0414 - what commands write
from swather.visible import VisibleBytes, underneath, visible_json, visible_line

_PIPED_WIDTH: Final = 200
# What is no longer is kept whole in a table; texts keep at least so many columns.
_UNBROKEN: Final = 32
_LEAST_TEXT: Final = 12


def stderr() -> PlainConsole:
    """For progress and messages."""
    return _console(sys.stderr)


def stdout() -> PlainConsole:
    """For data that is laid out."""
    return _console(sys.stdout)


def _console(stream: TextIO) -> PlainConsole:
    """Rich itself obeys NO_COLOR and leaves colours out where they would not be seen."""
    stream = underneath(stream)
    return PlainConsole(file=stream, width=None if stream.isatty() else _PIPED_WIDTH)


def show(*tables: Table, on: PlainConsole | None = None) -> None:
    """Write tables to stdout, or to another console, an empty line between them; without trailing
    spaces into a pipe.
    """
    console = on or stdout()
    with console.capture() as captured:
        for number, table in enumerate(tables):
            if number:
                console.print()
            console.print(table)
    text = captured.get()
    if not console.is_terminal:
        text = "\n".join(line.rstrip() for line in text.splitlines()) + "\n"
    console.file.write(text)


def tell(reasons: Iterable[Reason]) -> None:
    """Reasons as people read them, each command on a line of its own."""
    for reason in reasons:
        for line in reason.lines():
            print(line)


def print_json(data: Any, *, file: TextIO | None = None, indent: int | None = 2) -> None:
    stream = sys.stdout if file is None else file
    print(json_text(masked_data(data), stream, indent=indent), file=stream, flush=indent is None)


def json_text(data: Any, stream: TextIO, *, indent: int | None = 2) -> str:
    """JSON with all letters that the stream can hold, and nothing that controls a terminal."""
    has_letters = (stream.encoding or "utf-8").lower().startswith("utf")
    return visible_json(
        json.dumps(data, indent=indent, ensure_ascii=not has_letters, default=_plain)
    )


def data_stream() -> IO[bytes]:
    """Where results go as they are; only a terminal gets them visible."""
    stream = underneath(sys.stdout)
    return cast("IO[bytes]", VisibleBytes(stream)) if stream.isatty() else stream.buffer


def print_item(item: Any) -> None:
    """In colour on a terminal."""
    console = stdout()
    if not console.is_terminal:
        print_json(item)
        return
    from rich.highlighter import JSONHighlighter

    text = Text(json_text(masked_data(item), underneath(sys.stdout)))
    JSONHighlighter().highlight(text)
    console.print(text, soft_wrap=True)


def facts(rows: Iterable[tuple[str, Any]]) -> Table:
    """Names on the left, values on the right."""
    table = Table(box=None, show_header=False, padding=(0, 2, 0, 0))
    table.add_column(style="cyan", no_wrap=True)
    table.add_column(overflow="fold")
    for name, value in rows:
        table.add_row(name, _cell(value))
    return table


def listing(headers: Sequence[str], rows: Iterable[Sequence[Any]]) -> Table:
    """A column per header; numbers to the right. Names, numbers and other short values are never
    broken in two: where it gets narrow, texts give way.
    """
    cells = list(rows)
    table = Table(box=None, padding=(0, 2, 0, 0), header_style="bold")
    for position, header in enumerate(headers):
        filled = [row[position] for row in cells if row[position] != ""]
        numbers = bool(filled) and all(isinstance(value, int) for value in filled)
        longest = max((len(shown(value)) for value in filled), default=0)
        is_short = longest <= _UNBROKEN
        table.add_column(
            header,
            justify="right" if numbers else "left",
            overflow="fold",
            no_wrap=is_short,
            min_width=longest if is_short else _LEAST_TEXT,
        )
    for row in cells:
        table.add_row(*map(_cell, row))
    return table


def _cell(value: Any) -> Text:
    # Before it is laid out: a password that is folded is no longer found.
    return Text(visible_line(masked(shown(value))))


def shown(value: Any) -> str:
    if value is None:
        return "-"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int):
        return f"{value:,}"
    if isinstance(value, float):
        return f"{value:,.2f}"
    return str(value)


def readable(
    data: Mapping[str, Any], words: Mapping[str, str] = MappingProxyType({})
) -> Iterator[tuple[str, Any]]:
    """The plain values of a store's answer, named in words and their bytes as sizes."""
    for name, value in data.items():
        if isinstance(value, dict):
            continue
        parts = name.split("_")
        named = words.get(name, " ".join(part for part in parts if part != "bytes"))
        yield named, size(value) if "bytes" in parts else value


def _plain(value: Any) -> Any:
    if isinstance(value, datetime):
        return value.isoformat().replace("+00:00", "Z")
    return str(value)
