"""Checks of the database: what it is, its schema, and whether it has room for so many workers."""

from collections.abc import Iterator
from typing import Final

from swather.masking import masked_database
from swather.runs.health import Check, Health
from swather.store import Store, factory

# What a worker opens: it writes, beats, does its upkeep and listens for hints, each by itself.
CONNECTIONS_PER_WORKER: Final = 4
# Commands, the API and people with a SQL shell need some, too.
SPARE_CONNECTIONS: Final = 10


def database_check(store: Store) -> Check:
    """Which one it is; a schema that is too old or too new cannot be opened."""
    pragmas = store.upkeep.pragmas()
    server = pragmas.get("server_version")
    kind = f"PostgreSQL {server}, " if server else ""
    said = f"{kind}{_shown(store)}, schema version {store.upkeep.schema_version()}"
    return Check("database", Health.OK, said)


def intact_check(store: Store) -> Check:
    """The same after a look at all that is in it, which takes long in a large one."""
    wrong = store.upkeep.check()
    if wrong:
        return Check("database", Health.PROBLEM, f"{_shown(store)}: {'; '.join(wrong)}")
    return database_check(store)


def room_checks(store: Store, workers: int) -> Iterator[Check]:
    """Whether a server has a connection for all that so many workers open."""
    if factory.sqlite_path(store.url) is not None:
        return
    allowed = int(store.upkeep.pragmas().get("max_connections") or 0)
    needed = workers * CONNECTIONS_PER_WORKER
    if allowed and needed + SPARE_CONNECTIONS > allowed:
        yield Check(
            "connections",
            Health.WARNING,
            f"{workers:,} workers open {needed:,} connections, and the server allows {allowed:,} "
            "in all: raise max_connections, or put PgBouncer in front of it",
        )


def _shown(store: Store) -> str:
    return str(factory.sqlite_path(store.url) or masked_database(store.url))
