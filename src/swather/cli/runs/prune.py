"""`swather runs prune`."""

from datetime import UTC, datetime, timedelta
from typing import Annotated, Final

import typer

from swather.cli.amounts import seconds_of
from swather.cli.arguments import DryRun
from swather.cli.confirmation import Yes, confirm
from swather.cli.options import AsJSON, Database

EXAMPLES: Final = """\
swather runs prune --older-than 30d
swather runs prune --older-than 90d --dry-run"""


def command(
    older_than: Annotated[
        str,
        typer.Option("--older-than", metavar="TIME", help="Runs that ended longer ago: 12h, 30d."),
    ],
    yes: Yes = False,
    dry_run: DryRun = False,
    db: Database = None,
    as_json: AsJSON = False,
) -> None:
    """Remove what is old.

    Ended runs with all that belongs to them, events past their days, rows of workers long gone.
    """
    from swather.cli import database, output
    from swather.cli.selection import MAX_RUNS_SEEN
    from swather.runs.words import count

    before = datetime.now(UTC) - timedelta(seconds=seconds_of(older_than, option="--older-than"))
    with database.opened(db) as store:
        old = [
            run.name
            for run in store.runs.find(limit=MAX_RUNS_SEEN)
            if run.finished_at is not None and run.finished_at < before
        ]
        if dry_run:
            removed = {"runs": len(old)}
        else:
            confirm(f"Remove {count(len(old), 'run')}?", yes=yes or not old)
            removed = store.upkeep.prune(runs_ended_before=before)
    if as_json:
        output.print_json({"removed": removed, "runs": old, "dry_run": dry_run})
        return
    said = "would be removed" if dry_run else "removed"
    what = ", ".join(f"{number:,} {name}" for name, number in removed.items())
    print(f"{what} {said}")
