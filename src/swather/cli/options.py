"""The options that every command has."""

from pathlib import Path
from typing import Annotated

import typer

_SETTINGS_FILES = (".env", "swather.toml", "pyproject.toml")


def _from_files(url: str | None) -> str | None:
    """A database that neither the command nor the environment names may be named in a file."""
    if url or not any(map(Path.is_file, map(Path, _SETTINGS_FILES))):
        return url
    from swather import settings_sources

    resolved = settings_sources.read()
    return resolved.settings.db if "db" in resolved.origins else None


Database = Annotated[
    str | None,
    typer.Option(
        "--db",
        metavar="URL|FILE",
        envvar="SWATHER_DB",
        show_envvar=True,
        callback=_from_files,
        help="The database: a file such as queue.db, or postgresql://user@host/database. "
        "Default: swather.db in this folder.",
    ),
]

AsJSON = Annotated[
    bool, typer.Option("--json", help="Write JSON to stdout, and an error as JSON to stderr.")
]
