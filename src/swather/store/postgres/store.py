"""The PostgreSQL store: opened, prepared and put together from its parts."""

from typing import Final

from swather.store import migrate
from swather.store.clock import Clock
from swather.store.outage import Outage
from swather.store.postgres.actions import PostgresActions
from swather.store.postgres.address import address_of
from swather.store.postgres.allowed_hosts import PostgresAllowedHosts
from swather.store.postgres.breakers import PostgresBreakers
from swather.store.postgres.claim import Claimer
from swather.store.postgres.connection import Connection
from swather.store.postgres.enqueue import Enqueuer
from swather.store.postgres.events import PostgresEvents
from swather.store.postgres.finish import Finisher
from swather.store.postgres.hints import PostgresHints
from swather.store.postgres.history import PostgresHistory
from swather.store.postgres.lanes import PostgresLanes
from swather.store.postgres.loads import PostgresLoads
from swather.store.postgres.memories import PostgresMemories
from swather.store.postgres.notices import PostgresNotices
from swather.store.postgres.pages import PostgresPages
from swather.store.postgres.partitions import PostgresPartitions
from swather.store.postgres.proxies import PostgresProxies
from swather.store.postgres.queue import PostgresQueue
from swather.store.postgres.results import PostgresResults
from swather.store.postgres.robots import PostgresRobots
from swather.store.postgres.runs import PostgresRuns
from swather.store.postgres.schedules import PostgresSchedules
from swather.store.postgres.settings import PostgresSettings
from swather.store.postgres.sources import PostgresSources
from swather.store.postgres.statements import queries
from swather.store.postgres.supervisors import PostgresSupervisors
from swather.store.postgres.tasks import PostgresTasks
from swather.store.postgres.upkeep import PostgresUpkeep
from swather.store.postgres.workers import PostgresWorkers

PACKAGE: Final = "swather.store.postgres"
_MIGRATING: Final = 0x5377_6174_6865_7221


class PostgresStore:
    """See swather.store.ports.Store."""

    def __init__(self, connection: Connection, outage: Outage | None = None) -> None:
        self.url = connection.address.url
        self.outage = outage or Outage()
        self.connection = connection
        enqueuer = Enqueuer(connection)
        finisher = Finisher(connection, enqueuer)
        claimer = Claimer(connection)
        self.settings = PostgresSettings(connection)
        self.events = PostgresEvents(connection)
        self.runs = PostgresRuns(connection, self.settings)
        self.tasks = PostgresTasks(connection, self.settings, enqueuer, claimer)
        self.queue = PostgresQueue(connection, self.settings, claimer, finisher)
        self.loads = PostgresLoads(connection)
        self.lanes = PostgresLanes(connection, self.settings)
        self.breakers = PostgresBreakers(connection, self.settings)
        self.workers = PostgresWorkers(connection, self.settings, claimer, finisher)
        self.supervisors = PostgresSupervisors(connection)
        self.partitions = PostgresPartitions(connection)
        self.results = PostgresResults(connection)
        self.history = PostgresHistory(connection)
        self.actions = PostgresActions(connection)
        self.pages = PostgresPages(connection)
        self.robots = PostgresRobots(connection)
        self.allowed_hosts = PostgresAllowedHosts(connection)
        self.memories = PostgresMemories(connection)
        self.sources = PostgresSources(connection)
        self.proxies = PostgresProxies(connection)
        self.schedules = PostgresSchedules(connection)
        self.notices = PostgresNotices(connection)
        self.upkeep = PostgresUpkeep(connection)
        self.hints = PostgresHints(connection)

    @classmethod
    def open(cls, url: str, *, clock: Clock) -> "PostgresStore":
        address = address_of(url)
        connection = Connection(address, clock)
        try:
            version = _version(connection)
            migrate.check_version(version, migrate.latest(PACKAGE), address.shown)
        except BaseException:
            connection.close()
            raise
        return cls(connection)

    @classmethod
    def prepare(cls, url: str) -> list[str]:
        address = address_of(url)
        connection = Connection(address, Clock())
        try:
            wanted = migrate.latest(PACKAGE)
            version = _version(connection)
            if version > wanted:
                migrate.check_version(version, wanted, address.shown)
            applied: list[str] = []

            def run(migration: migrate.Migration) -> None:
                if _apply(connection, migration):
                    applied.append(migration.name)

            migrate.apply(PACKAGE, version, run)
            _adopt_restored(connection)
            return applied
        finally:
            connection.close()

    def another(self) -> "PostgresStore":
        ours = self.connection
        return PostgresStore(Connection(ours.address, ours.clock), self.outage)

    def close(self) -> None:
        self.hints.close()
        self.connection.close()


def _adopt_restored(connection: Connection) -> None:
    """Make results from another server's backup readable."""
    for number, _ in connection.rows(queries.restored_runs):
        this = {"run_id": number}

        def adopt(this: dict[str, int] = this) -> None:
            connection.execute(queries.adopt_items, this)
            connection.execute(queries.adopt_files, this)

        connection.transact(adopt, pipelined=False)


def _version(connection: Connection) -> int:
    """The number of the last migration, 0 without tables."""
    if connection.value(queries.lacks_tables):
        return 0
    version: int = connection.value(queries.schema_version)
    return version


def _apply(connection: Connection, migration: migrate.Migration) -> bool:
    """One migration in one transaction; False if another process has applied it by now."""

    def work() -> bool:
        connection.execute(queries.lock_number, {"number": _MIGRATING})
        if _version(connection) >= migration.number:
            return False
        if migration.number == 1:
            connection.script(queries.create_migrations)
        connection.script(migration.sql)
        connection.execute(
            queries.add_migration, {"number": migration.number, "name": migration.name}
        )
        return True

    return connection.transact(work, pipelined=False)
