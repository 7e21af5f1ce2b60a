"""`swather why`: what holds a run or a task back."""

from typing import TYPE_CHECKING, Annotated, Final

import typer

from swather.cli.options import AsJSON, Database, Server

if TYPE_CHECKING:
    from swather.runs.reason import Reason

EXAMPLES: Final = """\
swather why
swather why 20260215_120000-books
swather why 1234"""


def command(
    run_or_task: Annotated[
        str | None,
        typer.Argument(metavar="RUN|TASK", help="A run or scraper by name, or a task by number."),
    ] = None,
    db: Database = None,
    server: Server = None,
    as_json: AsJSON = False,
) -> None:
    """Explain what holds a run or a task back.

    Pauses, cool-downs, limits, open breakers, busy slots, hung targets, pending retries, missing
    workers, locks held by other connections; and the command that changes it. For a task it also
    shows the history. Without a name: the newest run.
    """
    from swather.cli import output

    reasons = _here(db, run_or_task) if server is None else _there(server, run_or_task)
    if as_json:
        first = reasons[0].values
        told = [reason.as_data() for reason in reasons]
        output.print_json({"run": first["run"], "task": first.get("task"), "reasons": told})
        return
    output.tell(reasons)


def _here(db: str | None, what: str | None) -> "list[Reason]":
    from swather.cli import database
    from swather.model.whole_number import whole_number
    from swather.runs.selection import run_named
    from swather.runs.why import why

    with database.opened(db) as store:
        if what is None or whole_number(what) is None:
            what = run_named(store, what).name
        return why(store, what)


def _there(server: str, what: str | None) -> "list[Reason]":
    from swather.cli.remote import client_of, reasons_of, run_named
    from swather.model.whole_number import whole_number

    client = client_of(server)
    task = None if what is None else whole_number(what)
    if task is not None:
        return reasons_of(client.tasks.why(task)["reasons"], server)
    return reasons_of(client.runs.why(run_named(client, what))["reasons"], server)
