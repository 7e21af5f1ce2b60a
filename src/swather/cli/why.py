"""`swather why`: what holds a run or a task back."""

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
        typer.Argument(metavar="RUN|TASK", help="A run or scraper by name, or a task by number."),
    ] = None,
    db: Database = None,
    as_json: AsJSON = False,
) -> None:
    """Explain what holds a run or a task back.

    Pauses, cool-downs, limits, open breakers, busy slots, hung targets, pending retries, missing
    workers, locks held by other connections; and the command that changes it. For a task it also
    shows the history. Without a name: the newest run.
    """
    from swather.cli import database, output
    from swather.cli.selection import run_named
    from swather.runs.why import why

    with database.opened(db) as store:
        named = what if what and what.isdecimal() else run_named(store, what).name
        reasons = why(store, named)
    if as_json:
        first = reasons[0].values
        told = [reason.as_data() for reason in reasons]
        output.print_json({"run": first["run"], "task": first.get("task"), "reasons": told})
        return
    output.tell(reasons)
