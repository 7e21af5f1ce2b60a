"""`swather errors`: failures, those alike in one group."""

from typing import Annotated, Any, Final

import typer

from swather.cli.arguments import RunOrNewest
from swather.cli.options import AsJSON, Database

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
    as_json: AsJSON = False,
) -> None:
    """Show what went wrong, grouped.

    Failures that look the same are one group, the most frequent first; attempts that were retried
    count too. `failed` is how many tasks of a group have failed for good.
    """
    from swather.cli import database, output
    from swather.cli.selection import run_named
    from swather.model.task import State
    from swather.model.task_filter import TaskFilter

    with database.opened(db) as store:
        name = run_named(store, run).name
        groups: list[dict[str, Any]] = []
        for group in store.results.errors(name, limit=limit):
            failed = frozenset({State.FAILED})
            which = TaskFilter(run=name, states=failed, fingerprint=group.fingerprint)
            groups.append(
                {
                    "group": group.fingerprint,
                    "error_class": group.error_class,
                    "count": group.count,
                    "failed": store.tasks.count(which),
                    "title": group.title,
                    "where": group.where,
                    "task": group.sample_task_id,
                    "first_at": group.first_at,
                    "last_at": group.last_at,
                    "message": group.sample_message,
                    "traceback": group.sample_traceback,
                }
            )
    if as_json:
        output.print_json(groups)
        return
    if not groups:
        print(f"run {name}: nothing has failed")
        return
    print(f"run {name}")
    headers = ("group", "error_class", "count", "failed", "title", "where", "task")
    rows = [[_cell(key, row[key]) for key in headers] for row in groups]
    shown = ("group", "class", "count", "failed", "what", "where", "task")
    output.show(output.listing(shown, rows))
    if tracebacks:
        for row in groups:
            print(f"\n{row['group']}, task {row['task']}:\n{row['traceback']}", end="")


def _cell(name: str, value: Any) -> Any:
    # A task's number is a name, not an amount.
    return str(value) if name == "task" else value
