"""Groups that list what they are about when they are called without a command."""

from collections.abc import Callable
from typing import Any

import typer

from swather.cli.group import SETTINGS, Command, LazyGroup
from swather.errors import InputError


class ListingGroup(LazyGroup):
    """A group that is a command, too."""

    format_epilog = Command.format_epilog

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        # Past LazyGroup, to which a group without a command is a mistake.
        return super(LazyGroup, self).parse_args(ctx, args)


def listing_group(table: type[ListingGroup], examples: str) -> typer.Typer:
    return typer.Typer(
        cls=table,
        add_completion=False,
        context_settings=SETTINGS,
        epilog=examples,
        invoke_without_command=True,
        rich_markup_mode=None,
    )


def list_unless_called(
    ctx: typer.Context, listing: Callable[..., None], db: str | None, *, as_json: bool
) -> None:
    """List, when no command of the group was called; its options are then those of the listing."""
    if ctx.invoked_subcommand is None:
        listing(db=db, as_json=as_json)
        return
    given = [
        option
        for option, name in (("--db", "db"), ("--json", "as_json"))
        if getattr(ctx.get_parameter_source(name), "name", "") == "COMMANDLINE"
    ]
    if given:
        raise InputError(f"{given[0]} goes after the command: {ctx.invoked_subcommand} {given[0]}")
