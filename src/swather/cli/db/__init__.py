"""`swather db …`: create, look at and look after a database."""

from typing import ClassVar

import typer

from swather.cli.group import SETTINGS, LazyCommand, LazyGroup


class Commands(LazyGroup):
    """The word after `swather db`."""

    table: ClassVar = {
        "init": LazyCommand("swather.cli.db.init", "Create the tables."),
        "migrate": LazyCommand("swather.cli.db.migrate", "Bring the tables up to this release."),
        "backup": LazyCommand("swather.cli.db.backup", "Copy the database while others work."),
        "stats": LazyCommand("swather.cli.db.stats", "Count runs, tasks, workers and bytes."),
        "pragmas": LazyCommand("swather.cli.db.pragmas", "Show the settings in force, and why."),
        "wal": LazyCommand("swather.cli.db.wal", "Checkpoint the write-ahead log."),
        "vacuum": LazyCommand("swather.cli.db.vacuum", "Give back the space of deleted rows."),
        "check": LazyCommand("swather.cli.db.check", "Look for damage and for lost tasks."),
    }


group = typer.Typer(
    cls=Commands,
    add_completion=False,
    context_settings=SETTINGS,
    help="Create, look at and look after a database.",
    rich_markup_mode=None,
)
