"""`swather runs ls`."""

from enum import StrEnum
from typing import Annotated, Any, Final

import typer

from swather.cli.options import AsJSON, Database

EXAMPLES: Final = """\
swather runs ls
swather runs ls --state open --json"""


class StateName(StrEnum):
    """How a run stands."""

    OPEN = "open"
    FINISHED = "finished"
    CANCELLED = "cancelled"


def command(
    state: Annotated[
        StateName | None, typer.Option("--state", help="Only runs in this state.")
    ] = None,
    limit: Annotated[int, typer.Option(min=1, metavar="N", help="At most N runs.")] = 20,
    db: Database = None,
    as_json: AsJSON = False,
) -> None:
    """List runs, the newest first."""
    from swather.cli import database, output
    from swather.model.run import RunState

    with database.opened(db) as store:
        wanted = None if state is None else RunState(state)
        found = store.runs.find(state=wanted, limit=limit)
        rows = [_row(run, store.runs.counts(run.name)) for run in found]
    if as_json:
        output.print_json(rows)
    elif rows:
        output.show(output.listing(tuple(rows[0]), [tuple(row.values()) for row in rows]))
    else:
        print("no runs" if state is None else f"no run is {state}")


def _row(run: Any, counts: Any) -> dict[str, Any]:
    return {
        "run": run.name,
        "scraper": run.scraper,
        "state": "paused" if run.paused and run.state == "open" else str(run.state),
        "tasks": counts.total,
        "completed": counts.completed,
        "failed": counts.failed,
        "unfinished": counts.unfinished,
        "items": counts.items,
        "created": f"{run.created_at.astimezone():%F %T}",
    }
