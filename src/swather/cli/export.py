"""`swather export`: a run's items in a file."""

from enum import StrEnum
from pathlib import Path
from typing import Annotated, Final

import typer

from swather.cli.arguments import RunName
from swather.cli.options import AsJSON, Database, Server

EXAMPLES: Final = """\
swather export books -o books.csv
swather export books -o books.xlsx
swather export 20260215_120000-books -o books.parquet --complete-only
swather export books --since 20260215_120000-books -o changes.jsonl
swather export books -o - | jq .title"""


class FormatName(StrEnum):
    """How items are written."""

    JSONL = "jsonl"
    JSON = "json"
    CSV = "csv"
    XLSX = "xlsx"
    PARQUET = "parquet"


def command(
    run: RunName,
    path: Annotated[
        Path,
        typer.Option(
            "-o",
            "--output",
            metavar="FILE",
            help="A .jsonl, .json, .csv, .xlsx or .parquet file, replaced if it exists; "
            "- is stdout.",
        ),
    ],
    form: Annotated[
        FormatName | None,
        typer.Option("--format", help="Default: by the file's name; jsonl for stdout."),
    ] = None,
    complete_only: Annotated[
        bool,
        typer.Option("--complete-only", help="Leave out items of tasks that have not completed."),
    ] = False,
    outdated: Annotated[
        bool,
        typer.Option(
            "--outdated",
            help="Write only the old items of targets that failed when they were retried.",
        ),
    ] = False,
    raw: Annotated[
        bool,
        typer.Option(
            "--raw", help="Do not escape CSV cells that a spreadsheet would run as formulas."
        ),
    ] = False,
    since: Annotated[
        str | None,
        typer.Option(
            metavar="RUN",
            help="Write what is new, gone or changed since this run; see `swather changes`.",
        ),
    ] = None,
    db: Database = None,
    server: Server = None,
    as_json: AsJSON = False,
) -> None:
    """Write the items of a run to a file.

    Writes what is committed now, in commit order; the run may continue in the meantime. The file is
    either complete or left as it was. If items cannot be read within ten seconds, because another
    program keeps a transaction open in the database, the exit code is 1. Excel needs
    swather[xlsx], Parquet needs swather[parquet].
    """
    from swather.cli import database, output
    from swather.errors import InputError, ResultsIncomplete
    from swather.runs.export import Format, check_format, export, format_of, items_of, write_items
    from swather.runs.selection import run_named
    from swather.runs.words import command as command_line
    from swather.runs.words import count

    wanted = None if form is None else Format(form)
    to_stdout = str(path) == "-"
    if wanted is None:
        wanted = Format.JSONL if to_stdout else format_of(path)
    if raw and wanted is not Format.CSV:
        raise InputError("--raw only applies to CSV")
    if to_stdout and as_json:
        raise InputError("--json and the items cannot both go to stdout")
    if since is not None:
        from swather.cli.changes_export import export_changes

        if complete_only or outdated or server is not None:
            raise InputError("--since cannot be used with --complete-only, --outdated or --server")
        export_changes(db, run, since, path, wanted, raw=raw, as_json=as_json)
        return
    if server is not None:
        from swather.cli.remote_export import export_from

        options = {"complete_only": complete_only, "outdated": outdated, "raw": raw}
        export_from(server, run, path, str(wanted), options, as_json=as_json)
        return
    with database.opened(db) as store:
        name = run_named(store, run).name
        if to_stdout:
            check_format(wanted)
            reading = items_of(store, name, complete_only=complete_only, outdated=outdated)
            stream = output.data_stream()
            try:
                write_items(reading, stream, wanted, raw=raw)
            finally:
                stream.flush()
            return
        try:
            done = export(
                store,
                name,
                path,
                form=wanted,
                complete_only=complete_only,
                outdated=outdated,
                raw=raw,
            )
        except ResultsIncomplete as error:
            again = command_line("export", name, "-o", str(path), url=store.url)
            raise ResultsIncomplete(
                f"{path} was not written: {error}; to try again: {again}", error.missing
            ) from error
    if as_json:
        output.print_json({"run": name, "path": str(done.path), "items": done.items})
        return
    what = "outdated item" if outdated else "item"
    print(f"{count(done.items, what)} of run {name} in {done.path}")
