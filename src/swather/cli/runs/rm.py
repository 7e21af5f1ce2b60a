"""`swather runs rm`."""

from typing import Annotated, Final

import typer

from swather.cli.arguments import DryRun
from swather.cli.confirmation import Yes, confirm
from swather.cli.options import AsJSON, Database

EXAMPLES: Final = """\
swather runs rm 20260215_120000-books
swather runs rm 20260215_120000-books 20260216_120000-books --yes"""


def command(
    runs: Annotated[list[str], typer.Argument(metavar="RUN", help="The runs' names.")],
    yes: Yes = False,
    dry_run: DryRun = False,
    db: Database = None,
    as_json: AsJSON = False,
) -> None:
    """Remove runs with all that belongs to them.

    Their tasks, items, events and errors leave the database; results files stay. An open run must
    be cancelled first.
    """
    from swather.cli import database, output
    from swather.errors import InputError
    from swather.model.run import RunState
    from swather.runs.words import count

    with database.opened(db) as store:
        tasks = {name: store.runs.counts(name).total for name in runs}
        for name in runs:
            if store.runs.get(name).state is RunState.OPEN:
                again = database.with_db(f"swather cancel {name}", db)
                raise InputError(f"run {name!r} is still open; end it first: {again}")
        if not dry_run:
            what = f"{count(len(tasks), 'run')} with {count(sum(tasks.values()), 'task')}"
            confirm(f"Remove {what}?", yes=yes)
            for name in tasks:
                store.runs.remove(name)
    if as_json:
        output.print_json({"removed": list(tasks), "dry_run": dry_run})
        return
    for name, number in tasks.items():
        said = "would be removed" if dry_run else "removed"
        print(f"run {name}: {said}, {count(number, 'task')}")
