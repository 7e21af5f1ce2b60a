"""Groups of commands whose files are imported when a command is called, not when it is listed."""

from collections.abc import Iterator, Mapping
from importlib import import_module
from typing import Any, ClassVar, Final, NamedTuple

import typer
from typer.core import TyperCommand, TyperGroup
from typer.main import get_command, get_group

SETTINGS: Final = {"help_option_names": ["-h", "--help"], "max_content_width": 100}


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


class LazyGroup(TyperGroup):
    """A group that knows its commands by their table alone."""

    table: ClassVar[Mapping[str, LazyCommand]]

    def __init__(self, **settings: Any) -> None:
        settings["commands"] = _Loaded(self.table)
        super().__init__(**settings)

    def list_commands(self, ctx: Any) -> list[str]:
        del ctx
        return list(self.table)

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        del ctx
        with formatter.section("Commands"):
            formatter.write_dl([(name, lazy.summary) for name, lazy in self.table.items()])

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        if not args and not ctx.resilient_parsing:
            typer.echo(ctx.get_help(), err=True)
            raise typer.Exit(2)
        return super().parse_args(ctx, args)


class _Loaded(Mapping[str, Any]):
    """The commands of a table, each imported when it is asked for."""

    def __init__(self, table: Mapping[str, LazyCommand]) -> None:
        self._table = table

    def __getitem__(self, name: str) -> Any:
        module = import_module(self._table[name].module)
        if isinstance(group := getattr(module, "group", None), typer.Typer):
            return get_group(group)
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
