"""`swather settings …`: which settings are in force, and where each comes from."""

from typing import ClassVar, Final

import typer

from swather.cli.group import LazyCommand
from swather.cli.listing_group import ListingGroup, list_unless_called, listing_group
from swather.cli.options import AsJSON, Database

EXAMPLES: Final = """\
swather settings
swather settings ls --scraper books.py
swather settings set concurrency 50
swather settings unset concurrency"""


class Commands(ListingGroup):
    """The word after `swather settings`."""

    table: ClassVar = {
        "ls": LazyCommand("swather.cli.settings.ls", "List settings, and where each comes from."),
        "get": LazyCommand("swather.cli.settings.get", "Show one setting."),
        "set": LazyCommand("swather.cli.settings.set_one", "Keep a setting in the database."),
        "unset": LazyCommand("swather.cli.settings.unset", "Take a setting out of the database."),
    }


group = listing_group(Commands, EXAMPLES)


@group.callback()
def settings(ctx: typer.Context, db: Database = None, as_json: AsJSON = False) -> None:
    """See and change settings.

    The first place that names a setting wins: an option of the command, the environment
    (SWATHER_NAME), the file .env, the settings row of the database, swather.toml or [tool.swather]
    in pyproject.toml, the scraper's decorator, the default. Without a command: the list.
    """
    from swather.cli.settings.ls import command

    list_unless_called(ctx, command, db, as_json=as_json)
