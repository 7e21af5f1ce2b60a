"""`swather runs …`: list, remove and prune runs."""

from typing import ClassVar, Final

import typer

from swather.cli.group import LazyCommand
from swather.cli.listing_group import ListingGroup, list_unless_called, listing_group
from swather.cli.options import AsJSON, Database

EXAMPLES: Final = """\
swather runs
swather runs ls --state open
swather runs rm 20260215_120000-books
swather runs prune --older-than 30d"""


class Commands(ListingGroup):
    """The word after `swather runs`."""

    table: ClassVar = {
        "ls": LazyCommand("swather.cli.runs.ls", "List runs, the newest first."),
        "rm": LazyCommand("swather.cli.runs.rm", "Remove runs with all that belongs to them."),
        "prune": LazyCommand("swather.cli.runs.prune", "Remove what is old."),
    }


group = listing_group(Commands, EXAMPLES)


@group.callback()
def runs(ctx: typer.Context, db: Database = None, as_json: AsJSON = False) -> None:
    """List, remove and prune runs.

    Without a command: the list.
    """
    from swather.cli.runs.ls import command

    list_unless_called(ctx, command, db, as_json=as_json)
