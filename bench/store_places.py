"""Where it is measured: fresh databases that wait for the disk, removed afterwards."""

import os
import sys
import tempfile
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path

from store_backlog import Backlog, PostgresBacklog, SQLiteBacklog
from store_raw import Raw, RawPostgres, RawSQLite

import swather.store
from swather.model.lease import ClaimRequest, Lease
from swather.model.outcome import Completed
from swather.model.run import NewRun, Run
from swather.model.worker import NewWorker
from swather.posix import this_process
from swather.store import Store

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from tests import postgres

URL_VARIABLE = "SWATHER_BENCH_POSTGRES"
DURABLE = {
    "fsync": "on",
    "full_page_writes": "on",
    "synchronous_commit": "on",
    "shared_buffers": "2GB",
    "max_wal_size": "8GB",
    "checkpoint_timeout": "15min",
}
LEASE_SECONDS = 86_400.0


@dataclass(frozen=True)
class Place:
    """One database with our tables and a raw one, and a worker that never has to beat."""

    database: str
    url: str
    store: Store
    raw: Raw
    backlog: Backlog
    worker_id: int

    def new_run(self) -> Run:
        return self.store.runs.create(NewRun(scraper="bench"))

    def request(self, run: Run, count: int) -> ClaimRequest:
        return ClaimRequest(worker_id=self.worker_id, count=count, runs=(run.name,))


def completed(leases: list[Lease]) -> list[Completed]:
    return [Completed(task_id=lease.task_id, token=lease.token) for lease in leases]


@contextmanager
def sqlite_place() -> Iterator[Place]:
    with tempfile.TemporaryDirectory(prefix="swather-bench-") as folder:
        path = Path(folder) / "queue.db"
        url = f"sqlite:///{path}"
        with (
            closing(swather.store.open(url)) as store,
            closing(RawSQLite(Path(folder) / "raw.db")) as raw,
            closing(SQLiteBacklog(path)) as backlog,
        ):
            yield Place("sqlite", url, store, raw, backlog, _register(store))


@contextmanager
def postgres_place(server: postgres.PostgresServer) -> Iterator[Place]:
    with server.fresh_database() as url:
        swather.store.prepare(url)
        with (
            closing(swather.store.open(url)) as store,
            closing(RawPostgres(url)) as raw,
            closing(PostgresBacklog(url)) as backlog,
        ):
            yield Place("postgres", url, store, raw, backlog, _register(store))


@contextmanager
def postgres_server() -> Iterator[postgres.PostgresServer]:
    """The server of SWATHER_BENCH_POSTGRES, or a private one that loses nothing."""
    if given := os.environ.get(URL_VARIABLE):
        yield postgres.PostgresServer(given)
        return
    os.environ.pop(postgres.URL_VARIABLE, None)
    postgres.SETTINGS.update(DURABLE)
    server = postgres.start()
    try:
        yield server
    finally:
        server.stop()


def _register(store: Store) -> int:
    return store.workers.register(NewWorker(process=this_process(), lease_seconds=LEASE_SECONDS))
