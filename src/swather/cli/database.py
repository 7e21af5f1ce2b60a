"""The database a command was told to use."""

import os
import shlex
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from swather.errors import DatabaseUnreachable
from swather.masking import masked_database
from swather.store import factory
from swather.store.ports import Store

URL_VARIABLE: Final = "SWATHER_DB"


def shown(url: str | None) -> str:
    """The database as messages name it: a file's path, or a URL without its password."""
    url = url or factory.DEFAULT_URL
    return str(factory.sqlite_path(url) or masked_database(url))


def with_db(command: str, url: str | None) -> str:
    """A command to copy and run that means the same database."""
    if not url or url == os.environ.get(URL_VARIABLE):
        return command
    return f"{command} --db {shlex.quote(masked_database(url))}"


def existing(url: str | None) -> str:
    """The URL to open, once it is sure that opening it creates no file."""
    path = factory.sqlite_path(url or factory.DEFAULT_URL)
    if path is not None and not path.exists():
        raise DatabaseUnreachable(
            f"{path} does not exist; create it with: {with_db('swather db init', url)}"
        )
    return url or factory.DEFAULT_URL


@contextmanager
def opened(url: str | None) -> Iterator[Store]:
    """The store behind an existing database."""
    store = factory.open(existing(url))
    try:
        yield store
    finally:
        store.close()
