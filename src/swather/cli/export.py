"""`swather export`: a run's items in a file."""

from enum import StrEnum
from pathlib import Path
from typing import Annotated, Final

import typer

from swather.cli.arguments import RunName
from swather.cli.options import AsJSON, Database

EXAMPLES: Final = """\
swather export books -o books.csv
swather export 20260215_120000-books -o books.parquet --complete-only
swather export books -o - | jq .title"""


class FormatName(StrEnum):
    """How items are written."""

    JSONL = "jsonl"
    CSV = "csv"
    PARQUET = "parquet"


def command(
    run: RunName,
    path: Annotated[
        Path,
        typer.Option(
            "-o",
            "--output",
            metavar="FILE",
            help="A .jsonl, .csv or .parquet file, replaced if it exists; - is stdout.",
        ),
    ],
    form: Annotated[
        FormatName | None,
        typer.Option("--format", help="Else as the file's name says; jsonl for stdout."),
    ] = None,
    complete_only: Annotated[
        bool,
        typer.Option("--complete-only", help="Leave out items of tasks that have not completed."),
    ] = False,
    raw: Annotated[
        bool,
        typer.Option(
            "--raw", help="Leave CSV cells as they are, also those a spreadsheet would run."
        ),
    ] = False,
    db: Database = None,
    as_json: AsJSON = False,
) -> None:
    """Write the items of a run to a file.

    What is committed now, in the order in which it was committed; the run may go on meanwhile. The
    file is whole or left as it was: items that cannot be read within ten seconds, because another
    program keeps a transaction open in the database, make it exit with 1.
    """
    from swather.cli import database, output
    from swather.cli.selection import run_named
    from swather.errors import InputError, ResultsIncomplete
    from swather.runs.export import Format, check_format, export, write_items
    from swather.runs.items import Reading
    from swather.runs.words import command as command_line
    from swather.runs.words import count

    wanted = None if form is None else Format(form)
    with database.opened(db) as store:
        name = run_named(store, run).name
        if str(path) == "-":
            if as_json:
                raise InputError("--json and the items cannot both go to stdout")
            wanted = wanted or Format.JSONL
            check_format(wanted)
            reading = Reading(store, name, complete_only=complete_only)
            stream = output.data_stream()
            try:
                write_items(reading, stream, wanted, raw=raw)
            finally:
                stream.flush()
            return
        try:
            done = export(store, name, path, form=wanted, complete_only=complete_only, raw=raw)
        except ResultsIncomplete as error:
            again = command_line("export", name, "-o", str(path), url=store.url)
            raise ResultsIncomplete(
                f"{path} was not written: {error}; then: {again}", error.missing
            ) from error
    if as_json:
        output.print_json({"run": name, "path": str(done.path), "items": done.items})
        return
    print(f"{count(done.items, 'item')} of run {name} in {done.path}")
