"""Opens the store behind a URL; the only place that knows both databases."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final, NamedTuple

from swather.errors import BadURL
from swather.masking import masked_database
from swather.store.clock import Clock
from swather.store.ports import Store

DEFAULT_URL: Final = "sqlite:///swather.db"
_FORMS: Final = "path/to/file.db, sqlite:///path/to/file.db or postgresql://user@host/database"
_FILES: Final = (".db", ".sqlite", ".sqlite3")


def open(url: str = DEFAULT_URL, *, clock: Clock | None = None) -> Store:
    """The store behind `url`, ready for work.

    A SQLite file is created, or migrated after a backup, as needed. PostgreSQL tables are never
    touched unasked: create or migrate them with `prepare`, or `swather db init`.
    """
    clock = clock or Clock()
    if path := sqlite_path(url):
        from swather.store.sqlite.store import SQLiteStore

        return SQLiteStore.open(path, clock=clock)
    from swather.store.postgres.store import PostgresStore

    return PostgresStore.open(url, clock=clock)


def prepare(url: str = DEFAULT_URL) -> list[str]:
    """Create or migrate the tables behind `url`; the names of the migrations that were applied."""
    if path := sqlite_path(url):
        from swather.store.sqlite.store import SQLiteStore

        return SQLiteStore.prepare(path)
    from swather.store.postgres.store import PostgresStore

    return PostgresStore.prepare(url)


class Restored(NamedTuple):
    """A restore that is done while its steps, in bytes copied so far, are taken. `aside`: where a
    damaged file was renamed to.
    """

    steps: Iterator[int]
    aside: Path | None = None


def restore(url: str, backup: Path) -> Restored:
    """Replace what is behind `url` by a backup. `prepare` it afterwards."""
    if path := sqlite_path(url):
        from swather.store.sqlite import restore as sqlite

        return Restored(sqlite.restore(path, backup), sqlite.set_damaged_aside(path, backup))
    from swather.store.postgres import restore as postgres
    from swather.store.postgres.address import address_of

    return Restored(postgres.restore(address_of(url), backup))


def sqlite_path(url: str) -> Path | None:
    """The file that a SQLite URL or a path such as queue.db names, None for PostgreSQL; BadURL for
    anything else.
    """
    if "://" not in url and url.lower().endswith(_FILES):
        url = f"sqlite:///{url}"
    if url.startswith("sqlite:///"):
        path = url.removeprefix("sqlite:///")
        if not path or path == ":memory:":
            raise BadURL(f"{url!r} does not name a file; use {_FORMS}")
        if "\0" in path:
            raise BadURL(f"{url!r} contains NUL; use {_FORMS}")
        return Path(path)
    if re.match(r"postgres(ql)?://", url):
        _check_escapes(url)
        return None
    raise BadURL(f"{masked_database(url)!r} is not a database URL; use {_FORMS}")


def located(url: str) -> str:
    """The same database with an absolute path, so that the current folder may change."""
    path = sqlite_path(url)
    return url if path is None else f"sqlite:///{path.absolute()}"


def _check_escapes(url: str) -> None:
    """A password cut at its own '@' or '/' would be shown as a host or a database name."""
    authority = re.split(r"[/?#]", url.partition("://")[2], maxsplit=1)[0]
    rest = url.partition(authority)[2]
    port = authority.rpartition(":")[2]
    cut = "@" not in authority and "@" in rest and ":" in authority and not port.isdigit()
    if cut or authority.count("@") > 1:
        raise BadURL(
            f"{masked_database(url)!r} has a password with '@' or '/' in it; "
            "write them as %40 and %2F"
        )
