"""`swather errors`: failures, those alike in one group."""

from functools import partial
from typing import Annotated, Any, Final

import typer

from swather.cli.arguments import RunOrNewest
from swather.cli.options import AsJSON, Database, Server

EXAMPLES: Final = """\
swather errors
swather errors 20260215_120000-books --tracebacks
swather errors --json | jq '.[].title'"""


def command(
    run: RunOrNewest = None,
    limit: Annotated[int, typer.Option(min=1, metavar="N", help="At most N groups.")] = 20,
    tracebacks: Annotated[
        bool, typer.Option("--tracebacks", help="Show a traceback of each group.")
    ] = False,
    db: Database = None,
    server: Server = None,
    as_json: AsJSON = False,
) -> None:
    """Show what went wrong, grouped.

    Failures that look the same are one group, the most frequent first. `count` includes attempts
    that were retried; `failed` is the number of tasks that failed permanently. In a title, `#`
    stands for an id and `…` for a URL; the line below it is the group's most frequent message.
    """
    from swather.cli import output

    find = partial(_found_here, db) if server is None else partial(_found_there, server)
    name, groups = find(run, limit)
    if as_json:
        output.print_json(groups)
        return
    if not groups:
        print(f"run {name}: no errors")
        return
    print(f"run {name}")
    headers = ("group", "error_class", "count", "failed", "title", "where", "task")
    rows: list[list[Any]] = []
    for row in groups:
        rows.append([_cell(key, row[key]) for key in headers])
        message = str(row["message"]).strip().partition("\n")[0]
        if message != row["title"]:
            rows.append(["", "", "", "", f"e.g. {_short(message)}", "", ""])
    shown = ("group", "class", "count", "failed", "what", "where", "task")
    output.show(output.listing(shown, rows))
    if tracebacks:
        for row in groups:
            print(f"\n{row['group']}, task {row['task']}:\n{row['traceback']}", end="")


Found = tuple[str, list[dict[str, Any]]]


def _found_here(db: str | None, run: str | None, limit: int) -> Found:
    from swather.cli import database
    from swather.runs.error_groups import groups_of
    from swather.runs.selection import run_named

    with database.opened(db) as store:
        name = run_named(store, run).name
        return name, groups_of(store, name, limit=limit)


def _found_there(server: str, run: str | None, limit: int) -> Found:
    from swather.cli.remote import client_of, run_named

    client = client_of(server)
    name = run_named(client, run)
    return name, client.errors.list(name, limit=limit)


def _cell(name: str, value: Any) -> Any:
    # A task's number is a name, not an amount.
    return str(value) if name == "task" else value


def _short(text: str) -> str:
    return text if len(text) <= 200 else f"{text[:199]}…"
