"""The options that most commands have."""

import os
import sys
from pathlib import Path
from typing import Annotated, Any, Final

import typer

from swather.errors import InputError

SERVER_VARIABLE: Final = "SWATHER_SERVER"
_SETTINGS_FILES = (".env", "swather.toml", "pyproject.toml")
# The parameters of commands that name scrapers and runs; a schedule is called like its scraper.
_OF_SCRAPERS = ("scraper", "scrapers", "schedule")
_OF_RUNS = ("run", "runs", "run_or_task", "resume")


def takes_server(command: Any) -> bool:
    """Whether a command has --server."""
    return any(parameter.name == "server" for parameter in command.params)


def note_server(ctx: typer.Context, url: str | None) -> None:
    """Say that a command looks into a database though the environment names a server."""
    if not os.environ.get(SERVER_VARIABLE) or _is_typed(ctx, "db") or takes_server(ctx.command):
        return
    from swather.cli import database

    print(
        f"note: `{ctx.command_path}` works on the database {database.shown(url)}, and not on the "
        f"server that {SERVER_VARIABLE} names",
        file=sys.stderr,
    )


def _of_command(ctx: typer.Context, url: str | None) -> str | None:
    """For a group, what it lists is not known yet."""
    found = _from_files(ctx, url)
    if not hasattr(ctx.command, "commands"):
        note_server(ctx, found)
    return found


def _to_change(ctx: typer.Context, url: str | None) -> str | None:
    """Who names a server, and no database, does not mean the one in this folder."""
    if os.environ.get(SERVER_VARIABLE) and _origin(ctx, "db") not in {"COMMANDLINE", "ENVIRONMENT"}:
        raise InputError(
            f"`{ctx.command_path}` changes a database, and {SERVER_VARIABLE} names a server: name "
            f"the database with --db, or unset {SERVER_VARIABLE}"
        )
    return _of_command(ctx, url)


def _from_files(ctx: typer.Context, url: str | None) -> str | None:
    """A database that neither the command nor the environment names may be named in a file: in the
    table of the scraper that the command is about, or for all.
    """
    _refuse_both(ctx)
    if url or not any(map(Path.is_file, map(Path, _SETTINGS_FILES))):
        return url
    from swather import settings_sources

    resolved = settings_sources.read()
    if not resolved.origin("db").startswith(settings_sources.DOTENV):
        scrapers, runs = (_named(ctx, *names) for names in (_OF_SCRAPERS, _OF_RUNS))
        if own := _own_database(scrapers, runs):
            return own
    return resolved.settings.db if "db" in resolved.origins else None


def _named(ctx: typer.Context, *parameters: str) -> list[str]:
    """What those parameters of the command name; all arguments are read before an option that is
    not given.
    """
    given: list[Any] = []
    for parameter in parameters:
        value = ctx.params.get(parameter)
        given += value if isinstance(value, list) else [value]
    return [each for each in given if isinstance(each, str) and each]


def _own_database(scrapers: list[str], runs: list[str]) -> str | None:
    if not scrapers and not runs:
        return None
    from swather.runs.databases import database_of

    return database_of(scrapers, runs)


def _unless_database(ctx: typer.Context, server: str | None) -> str | None:
    """A database that the command names goes before a server that only the environment names."""
    _refuse_both(ctx)
    return None if _is_typed(ctx, "db") else server


def _refuse_both(ctx: typer.Context) -> None:
    if _is_typed(ctx, "db") and _is_typed(ctx, "server"):
        raise InputError("--server and --db exclude each other")


def _is_typed(ctx: typer.Context, name: str) -> bool:
    return _origin(ctx, name) == "COMMANDLINE"


def _origin(ctx: typer.Context, name: str) -> str:
    """'COMMANDLINE', 'ENVIRONMENT' or 'DEFAULT'."""
    return str(getattr(ctx.get_parameter_source(name), "name", ""))


def _database(callback: Any) -> Any:
    return typer.Option(
        "--db",
        metavar="URL|FILE",
        envvar="SWATHER_DB",
        show_envvar=True,
        callback=callback,
        help="The database: a file such as queue.db, or postgresql://user@host/database. "
        "Default: swather.db in this folder.",
    )


Database = Annotated[str | None, _database(_of_command)]
# For commands without --server that change what a database holds.
DatabaseToChange = Annotated[str | None, _database(_to_change)]

Server = Annotated[
    str | None,
    typer.Option(
        "--server",
        metavar="URL",
        envvar=SERVER_VARIABLE,
        show_envvar=True,
        callback=_unless_database,
        help="Ask a `swather serve` there instead of a database. Its token: SWATHER_API_TOKEN.",
    ),
]

AsJSON = Annotated[
    bool, typer.Option("--json", help="Write JSON to stdout, and an error as JSON to stderr.")
]
