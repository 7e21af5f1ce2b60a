"""`swather lanes …`: how fast each site is scraped, and what holds it back."""

from typing import ClassVar, Final

import typer

from swather.cli.group import LazyCommand
from swather.cli.listing_group import ListingGroup, list_unless_called, listing_group
from swather.cli.options import AsJSON, Database

EXAMPLES: Final = """\
swather lanes
swather lanes set example.com --rate 2/s --in-flight 4
swather lanes show example.com
swather lanes pause example.com
swather lanes clear example.com"""


class Commands(ListingGroup):
    """The word after `swather lanes`."""

    table: ClassVar = {
        "ls": LazyCommand("swather.cli.lanes.ls", "List lanes that are limited, held or at work."),
        "show": LazyCommand("swather.cli.lanes.show", "Show one lane, and what holds it back."),
        "set": LazyCommand("swather.cli.lanes.set_limits", "Limit how fast lanes are scraped."),
        "pause": LazyCommand("swather.cli.lanes.pause", "Start nothing more on lanes."),
        "unpause": LazyCommand("swather.cli.lanes.unpause", "Let lanes go on."),
        "clear": LazyCommand("swather.cli.lanes.clear", "Forget all that holds lanes back."),
    }


group = listing_group(Commands, EXAMPLES)


@group.callback()
def lanes(ctx: typer.Context, db: Database = None, as_json: AsJSON = False) -> None:
    """See and change how fast sites are scraped.

    A lane is what is paced as one: the host of a URL, or what a scraper says. It belongs to the
    database, so its limits hold for all runs and all workers together; a change takes effect within
    a second. Without a command: the list.
    """
    from swather.cli.lanes.ls import command

    list_unless_called(ctx, command, db, as_json=as_json)
