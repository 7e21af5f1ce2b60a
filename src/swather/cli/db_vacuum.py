"""`swather db vacuum`: the space of deleted rows, given back."""

from typing import Annotated, Any, Final

import typer

from swather.cli.confirm import Yes
from swather.cli.failure import FINISHED_WITH_FAILURES
from swather.cli.options import AsJSON, DatabaseToChange

EXAMPLES: Final = """\
swather db vacuum
swather db vacuum --full --db postgresql://me@localhost/queue
swather db vacuum --full --yes --json"""


def vacuum(
    full: Annotated[
        bool,
        typer.Option(
            "--full",
            help="PostgreSQL: rewrite the tables, to give the space back to the disk. SQLite "
            "always does so.",
        ),
    ] = False,
    yes: Yes = False,
    db: DatabaseToChange = None,
    as_json: AsJSON = False,
) -> int:
    """Give back the space of deleted rows.

    Also refreshes the statistics that queries are planned by. SQLite rewrites the file: other
    processes wait until it is done, and the disk needs room for two more copies. PostgreSQL keeps
    the space for new rows and lets others work. With --full it rewrites one table after another:
    everything that needs that table waits, and the disk needs room for a copy of it. A table that
    is in use for too long is skipped, and the exit code is 1.
    """
    from swather.cli import database, output
    from swather.cli.confirm import confirm
    from swather.runs.console import plain
    from swather.store import factory

    url = database.existing(db)
    is_postgres = factory.sqlite_path(url) is None
    if full and is_postgres:
        confirm("Rewrite all tables? Workers wait while a table is locked.", yes=yes)
    with database.opened(db) as store, output.stderr().status("vacuuming") as status:
        tables = []
        for done in store.upkeep.vacuum(full=full):
            tables.append(done)
            now = f"{output.size(done.bytes_before)} before, {output.size(done.bytes_after)} now"
            status.update(plain(f"vacuumed {done.table}: {now}"))
    before = sum(table.bytes_before for table in tables)
    after = sum(table.bytes_after for table in tables)
    skipped = [table for table in tables if table.skipped]
    if as_json:
        data: dict[str, Any] = {"database": database.shown(db), "full": full or not is_postgres}
        listed = [table._asdict() for table in tables]
        output.print_json({**data, "bytes_before": before, "bytes_after": after, "tables": listed})
        return FINISHED_WITH_FAILURES if skipped else 0
    output.show(
        output.facts(
            [
                ("size before", output.size(before)),
                ("size after", output.size(after)),
                ("given back", output.size(max(before - after, 0))),
            ]
        )
    )
    for table in skipped:
        print(f"{table.table} was skipped: {table.skipped}")
    if is_postgres and not full:
        again = database.with_db("swather db vacuum --full", db)
        print(f"PostgreSQL keeps the rest for new rows. To give it back to the disk:\n    {again}")
    return FINISHED_WITH_FAILURES if skipped else 0
