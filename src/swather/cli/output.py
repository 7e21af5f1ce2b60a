"""What commands write: tables for people, JSON for programs, sizes a person can read."""

import json
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from types import MappingProxyType
from typing import Any, Final

from rich.console import Console
from rich.table import Table
from rich.text import Text

_PIPED_WIDTH: Final = 200
_UNITS: Final = ("kB", "MB", "GB", "TB")


def stderr() -> Console:
    """For progress and messages."""
    return _console(stderr=True)


def _console(*, stderr: bool) -> Console:
    """Rich itself heeds NO_COLOR and leaves colours out where nobody would see them."""
    stream = sys.stderr if stderr else sys.stdout
    width = None if stream.isatty() else _PIPED_WIDTH
    return Console(stderr=stderr, width=width, highlight=False, soft_wrap=False)


def show(*tables: Table) -> None:
    """Write tables to stdout, an empty line between them; without trailing spaces into a pipe."""
    console = _console(stderr=False)
    with console.capture() as captured:
        for number, table in enumerate(tables):
            if number:
                console.print()
            console.print(table)
    text = captured.get()
    if not console.is_terminal:
        text = "\n".join(line.rstrip() for line in text.splitlines()) + "\n"
    sys.stdout.write(text)


def print_json(data: Any) -> None:
    print(json.dumps(data, indent=2, ensure_ascii=is_ascii_only(), default=_plain))


def is_ascii_only() -> bool:
    """Whether stdout may lack letters, which JSON then spells in its own way."""
    return not (sys.stdout.encoding or "utf-8").lower().startswith("utf")


def facts(rows: Iterable[tuple[str, Any]]) -> Table:
    """Names on the left, values on the right."""
    table = Table(box=None, show_header=False, padding=(0, 2, 0, 0))
    table.add_column(style="cyan", no_wrap=True)
    table.add_column(overflow="fold")
    for name, value in rows:
        table.add_row(name, Text(shown(value)))
    return table


def listing(headers: Sequence[str], rows: Iterable[Sequence[Any]]) -> Table:
    """A column per header; numbers to the right."""
    cells = list(rows)
    table = Table(box=None, padding=(0, 2, 0, 0), header_style="bold")
    for position, header in enumerate(headers):
        numbers = bool(cells) and all(isinstance(row[position], int) for row in cells)
        table.add_column(header, justify="right" if numbers else "left", overflow="fold")
    for row in cells:
        table.add_row(*(Text(shown(cell)) for cell in row))
    return table


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


def size(count: int) -> str:
    """'812 bytes', '4.1 MB'."""
    if count < 1000:
        return f"{count} bytes"
    power = min(len(str(count)) - 1, 12) // 3
    return f"{count / 1000**power:,.1f} {_UNITS[power - 1]}"


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
        return value.isoformat()
    return str(value)
