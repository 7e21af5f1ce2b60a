"""Groups of commands: those of `swather`, imported when called, and those of one noun in a file."""

from collections.abc import Callable, Iterator, Mapping
from importlib import import_module
from typing import Any, ClassVar, Final, NamedTuple, TypeVar

import typer
from typer.core import TyperCommand, TyperGroup
from typer.main import get_command, get_group

from swather.cli.options import note_server
from swather.errors import InputError

SETTINGS: Final[dict[str, Any]] = {"help_option_names": ["-h", "--help"], "max_content_width": 100}

Function = TypeVar("Function", bound=Callable[..., Any])


class LazyCommand(NamedTuple):
    """Where a command lives, and what the list of commands says about it."""

    module: str
    summary: str


class Command(TyperCommand):
    """A command whose help ends with its examples, line by line as they were written."""

    def format_epilog(self, ctx: Any, formatter: Any) -> None:
        del ctx
        with formatter.section("Examples"), formatter.indentation():
            for line in (self.epilog or "").splitlines():
                formatter.write(f"  {line}\n")


class Group(TyperGroup):
    """Commands of which one must be named; the list says of each how its help begins."""

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        del ctx
        with formatter.section("Commands"):
            formatter.write_dl(list(self.summaries()))

    def summaries(self) -> Iterator[tuple[str, str]]:
        for name, command in self.commands.items():
            yield name, (command.help or "").partition("\n")[0]

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        if not args and not ctx.resilient_parsing:
            typer.echo(ctx.get_help(), err=True)
            raise typer.Exit(2)
        return super().parse_args(ctx, args)


class LazyGroup(Group):
    """A group that knows its commands by their table alone: a list of them imports none."""

    table: ClassVar[Mapping[str, LazyCommand]]

    def __init__(self, **settings: Any) -> None:
        settings["commands"] = _Loaded(self.table)
        super().__init__(**settings)

    def list_commands(self, ctx: Any) -> list[str]:
        del ctx
        return list(self.table)

    def summaries(self) -> Iterator[tuple[str, str]]:
        for name, lazy in self.table.items():
            yield name, lazy.summary


class ListingGroup(Group):
    """A group that is a command, too: without another it lists what it is about."""

    format_epilog = Command.format_epilog

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        # Past Group, to which a group without a command is a mistake.
        return super(Group, self).parse_args(ctx, args)


class NamingGroup(ListingGroup):
    """A group whose first word may be what to list: `sources media` is `sources ls media`."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        if not args or args[0] not in {*self.commands, *SETTINGS["help_option_names"]}:
            args = ["ls", *args]
        return super().parse_args(ctx, args)


def group_of_commands(text: str) -> typer.Typer:
    """A group whose help is `text`."""
    return typer.Typer(
        cls=Group,
        add_completion=False,
        context_settings=SETTINGS,
        help=text,
        rich_markup_mode=None,
    )


def listing_group(examples: str, cls: type[Group] = ListingGroup) -> typer.Typer:
    """A group whose callback lists, unless a command is called."""
    return typer.Typer(
        cls=cls,
        add_completion=False,
        context_settings=SETTINGS,
        epilog=examples,
        invoke_without_command=True,
        rich_markup_mode=None,
    )


def several_commands() -> typer.Typer:
    """For a file of several commands of `swather` itself, to be called `commands` there."""
    return typer.Typer(add_completion=False, rich_markup_mode=None)


def command_in(group: typer.Typer, name: str, examples: str) -> Callable[[Function], Function]:
    """Make a function a command of a group, or of a file of several."""
    return group.command(name, cls=Command, epilog=examples, context_settings=SETTINGS)


def list_unless_called(
    ctx: typer.Context, listing: Callable[..., None], db: str | None, *, as_json: bool, **more: Any
) -> None:
    """List, when no command of the group was called; its options are then those of the listing."""
    if ctx.invoked_subcommand is None:
        note_server(ctx, db)
        listing(db=db, as_json=as_json, **more)
        return
    given = [
        option
        for option, name in (("--db", "db"), ("--server", "server"), ("--json", "as_json"))
        if getattr(ctx.get_parameter_source(name), "name", "") == "COMMANDLINE"
    ]
    if given:
        raise InputError(f"{given[0]} goes after the command: {ctx.invoked_subcommand} {given[0]}")


class _Loaded(Mapping[str, Any]):
    """The commands of a table, each imported when it is asked for.

    A file has a `group`, or several `commands`, or one `command` with its EXAMPLES.
    """

    def __init__(self, table: Mapping[str, LazyCommand]) -> None:
        self._table = table

    def __getitem__(self, name: str) -> Any:
        module = import_module(self._table[name].module)
        if isinstance(group := getattr(module, "group", None), typer.Typer):
            return get_group(group)
        if isinstance(several := getattr(module, "commands", None), typer.Typer):
            return get_group(several).commands[name]
        app = typer.Typer(add_completion=False, rich_markup_mode=None)
        kind = getattr(module, "KIND", Command)
        app.command(name, cls=kind, epilog=module.EXAMPLES, context_settings=SETTINGS)(
            module.command
        )
        return get_command(app)

    def __iter__(self) -> Iterator[str]:
        return iter(self._table)

    def __len__(self) -> int:
        return len(self._table)
