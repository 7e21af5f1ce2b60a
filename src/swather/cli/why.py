"""`swather why`: in words, what holds a run or a task back."""

from typing import Annotated, Final

import typer

from swather.cli.options import AsJSON, Database

EXAMPLES: Final = """\
swather why
swather why 20260215_120000-books
swather why 1234"""


def command(
    what: Annotated[
        str | None,
        typer.Argument(
            metavar="RUN|TASK", help="A run or a scraper by name, or a task by its number."
        ),
    ] = None,
    db: Database = None,
    as_json: AsJSON = False,
) -> None:
    """Say what holds a run or a task back.

    Pauses, cool-downs, full lanes, busy slots, retries that wait, workers that are missing, locks
    that other connections hold. Of a task it also tells its history. Without a name: the newest
    run.
    """
    from swather.cli import database, output
    from swather.cli.selection import run_named
    from swather.runs.why import why

    with database.opened(db) as store:
        named = what if what and what.isdecimal() else run_named(store, what).name
        sentences = why(store, named)
    if as_json:
        output.print_json({"of": named, "why": sentences})
        return
    for sentence in sentences:
        print(sentence)
