"""Changes between two runs in a file, or on stdout: for `export --since` and `changes -o`."""

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from swather.runs.changes import Changes
    from swather.runs.export import Format


def export_changes(
    db: str | None,
    run: str,
    since: str,
    path: Path,
    form: "Format",
    *,
    raw: bool,
    as_json: bool,
) -> None:
    """`swather export RUN --since OLD`."""
    from swather.cli import database, output
    from swather.runs.changes import compared
    from swather.runs.selection import run_named
    from swather.runs.words import count

    with database.opened(db) as store:
        found = run_named(store, run)
        written = write_changes(compared(store, found, since), path, form, raw=raw)
    if as_json:
        output.print_json({"run": found.name, "path": str(path), "items": written})
    elif str(path) != "-":
        print(f"{count(written, 'change')} of run {found.name} in {path}")


def write_changes(changes: "Changes", path: Path, form: "Format", *, raw: bool = False) -> int:
    """Write them all; how many there were. The path - is stdout."""
    from swather.cli import output
    from swather.runs.change_words import ChangeLines
    from swather.runs.export import check_format, write_file, write_items

    check_format(form)
    lines = ChangeLines(changes, form)
    if str(path) != "-":
        write_file(lines, path, form, raw=raw)
        return lines.changes
    stream = output.data_stream()
    try:
        write_items(lines, stream, form, raw=raw)
    finally:
        stream.flush()
    return lines.changes
