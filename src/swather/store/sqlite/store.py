"""The SQLite store: opened, migrated and put together from its parts."""

import os
import threading
from contextlib import nullcontext, suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

from swather import permissions
from swather.errors import DatabaseDamaged
from swather.store import migrate
from swather.store.clock import Clock
from swather.store.outage import Outage
from swather.store.sqlite.actions import SQLiteActions
from swather.store.sqlite.allowed_hosts import SQLiteAllowedHosts
from swather.store.sqlite.breakers import SQLiteBreakers
from swather.store.sqlite.connection import Connection, errors_of
from swather.store.sqlite.events import SQLiteEvents
from swather.store.sqlite.hints import SQLiteHints
from swather.store.sqlite.history import SQLiteHistory
from swather.store.sqlite.lanes import SQLiteLanes
from swather.store.sqlite.loads import SQLiteLoads
from swather.store.sqlite.memories import SQLiteMemories
from swather.store.sqlite.notices import SQLiteNotices
from swather.store.sqlite.pages import SQLitePages
from swather.store.sqlite.partitions import SQLitePartitions
from swather.store.sqlite.proxies import SQLiteProxies
from swather.store.sqlite.queue import SQLiteQueue
from swather.store.sqlite.results import SQLiteResults
from swather.store.sqlite.robots import SQLiteRobots
from swather.store.sqlite.runs import SQLiteRuns
from swather.store.sqlite.schedules import SQLiteSchedules
from swather.store.sqlite.settings import SQLiteSettings
from swather.store.sqlite.sources import SQLiteSources
from swather.store.sqlite.statements import queries
from swather.store.sqlite.supervisors import SQLiteSupervisors
from swather.store.sqlite.tasks import SQLiteTasks
from swather.store.sqlite.upkeep import SQLiteUpkeep
from swather.store.sqlite.workers import SQLiteWorkers

PACKAGE: Final = "swather.store.sqlite"
APPLICATION_ID: Final = int.from_bytes(b"SWTH")


class SQLiteStore:
    """See swather.store.ports.Store."""

    def __init__(self, connection: Connection, outage: Outage | None = None) -> None:
        self.outage = outage or Outage()
        self.url = f"sqlite:///{connection.path}"
        self.connection = connection
        self.settings = SQLiteSettings(connection)
        self.events = SQLiteEvents(connection, self.settings)
        self.runs = SQLiteRuns(connection, self.settings)
        self.tasks = SQLiteTasks(connection, self.settings)
        self.queue = SQLiteQueue(connection, self.settings)
        self.loads = SQLiteLoads(connection)
        self.lanes = SQLiteLanes(connection, self.settings)
        self.breakers = SQLiteBreakers(connection, self.settings)
        self.workers = SQLiteWorkers(connection, self.settings)
        self.supervisors = SQLiteSupervisors(connection)
        self.partitions = SQLitePartitions(connection)
        self.results = SQLiteResults(connection)
        self.history = SQLiteHistory(connection)
        self.actions = SQLiteActions(connection)
        self.pages = SQLitePages(connection)
        self.robots = SQLiteRobots(connection)
        self.allowed_hosts = SQLiteAllowedHosts(connection)
        self.memories = SQLiteMemories(connection)
        self.sources = SQLiteSources(connection)
        self.proxies = SQLiteProxies(connection)
        self.schedules = SQLiteSchedules(connection)
        self.notices = SQLiteNotices(connection)
        self.upkeep = SQLiteUpkeep(connection, self.settings)
        self.hints = SQLiteHints(connection.file)

    @classmethod
    def open(cls, path: Path, *, clock: Clock) -> "SQLiteStore":
        connection = Connection(path, clock)
        try:
            _bring_up_to_date(connection)
        except BaseException:
            connection.close()
            raise
        return cls(connection)

    @classmethod
    def prepare(cls, path: Path) -> list[str]:
        connection = Connection(path, Clock())
        try:
            return [migration.name for migration in _bring_up_to_date(connection)]
        finally:
            connection.close()

    def another(self) -> "SQLiteStore":
        self.connection.check_file()
        ours = self.connection
        return SQLiteStore(Connection(ours.path, ours.clock, file=ours.file), self.outage)

    def close(self) -> None:
        self.hints.close()
        self.connection.close()


def _bring_up_to_date(connection: Connection) -> list[migrate.Migration]:
    """Create or migrate the tables. An older database is copied first, next to itself."""
    with connection.reading():
        version = connection.value("PRAGMA user_version")
        _check_ours(connection)
    wanted = migrate.latest(PACKAGE)
    if version == wanted:
        return []
    if version > wanted:
        migrate.check_version(version, wanted, str(connection.path))
    if version > 0:
        _back_up(connection, version)

    def run(migration: migrate.Migration) -> None:
        with connection.transaction():
            # Another process may have migrated while we waited for the write lock.
            if connection.value("PRAGMA user_version") < migration.number:
                connection.execute(migration.sql)
                connection.execute(f"PRAGMA user_version = {migration.number}")
                connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")

    # So that others who open a new file meanwhile see nothing or all of it.
    with connection.transaction() if version == 0 else nullcontext():
        return migrate.apply(PACKAGE, version, run)


def _check_ours(connection: Connection) -> None:
    """Refuse to add tables to another program's database."""
    if connection.value("PRAGMA application_id") == APPLICATION_ID:
        return
    if connection.row(queries.any_table):
        raise DatabaseDamaged(
            f"{connection.path} is a SQLite database, but not one of Swather's; choose another path"
        )


def _back_up(connection: Connection, version: int) -> None:
    stamp = datetime.fromtimestamp(connection.clock.wall(), UTC).strftime("%Y%m%d_%H%M%S")
    copy = connection.file.with_name(f"{connection.file.name}.v{version}-{stamp}.bak")
    ours = copy.with_name(f"{copy.name}.{os.getpid()}.{threading.get_ident()}.tmp")
    with connection.outside_transaction(), errors_of(copy):
        if copy.exists():
            return
        # Another process may copy it in the same second: the first complete copy stays.
        try:
            permissions.create(ours)
            connection.execute("VACUUM INTO ?", (str(ours),))
            with suppress(FileExistsError):
                os.link(ours, copy)
        finally:
            ours.unlink(missing_ok=True)
