"""The database a command was told to use."""

import os
import shlex
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from swather.errors import DatabaseUnreachable
from swather.masking import masked_database, without_password
from swather.runs.words import URL_VARIABLE
from swather.runs.worker_command import PASSWORD_VARIABLE
from swather.store import factory
from swather.store.ports import Store

_MAX_LISTED: Final = 5


def shown(url: str | None) -> str:
    """The database as messages name it: a file's path, or a URL without its password."""
    url = url or factory.DEFAULT_URL
    return str(factory.sqlite_path(url) or masked_database(url))


def with_db(command: str, url: str | None) -> str:
    """A command to copy and run in this folder that means the same database."""
    if not url or url == os.environ.get(URL_VARIABLE):
        return command
    path = factory.sqlite_path(url)
    return f"{command} --db {shlex.quote(without_password(url) if path is None else str(path))}"


def environment_note(variables: Sequence[str]) -> str:
    """What is said after a command that needs these variables."""
    if PASSWORD_VARIABLE in variables:
        return f" (with {PASSWORD_VARIABLE} set to the password of the database)"
    return f" (where {URL_VARIABLE} is set as here)" if variables else ""


def existing(url: str | None) -> str:
    """The URL to open, once it is sure that opening it creates no file."""
    path = factory.sqlite_path(url or factory.DEFAULT_URL)
    if path is not None and not path.exists():
        raise DatabaseUnreachable(_not_there(path, url))
    return url or factory.DEFAULT_URL


def _not_there(path: Path, url: str | None) -> str:
    others = [one.name for one in sorted(path.absolute().parent.glob("*.db"))[:_MAX_LISTED]]
    there = f" (that folder has {', '.join(others)})" if others else ""
    named = "" if url else ", change to the folder of your run"
    return (
        f"there is no database {path.absolute()}{there}; name yours with --db FILE or "
        f"{URL_VARIABLE}{named}, or create this one: {with_db('swather db init', url)}"
    )


@contextmanager
def opened(url: str | None) -> Iterator[Store]:
    """The store behind an existing database."""
    store = factory.open(existing(url))
    try:
        yield store
    finally:
        store.close()
