"""Where it is measured: fresh databases that wait for the disk, removed afterwards."""

import tempfile
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path

import swather.store
from bench.store.backlog import Backlog, PostgresBacklog, SQLiteBacklog
from bench.store.raw import Raw, RawPostgres, RawSQLite
from swather.model.lease import ClaimRequest, Lease
from swather.model.outcome import Completed
from swather.model.run import NewRun, Run
from swather.model.worker import NewWorker
from swather.posix import this_process
from swather.store import Store
from tests import postgres

LEASE_SECONDS = 86_400.0


@dataclass(frozen=True)
class Setup:
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
def sqlite_setup() -> Iterator[Setup]:
    with tempfile.TemporaryDirectory(prefix="swather-bench-") as folder:
        path = Path(folder) / "queue.db"
        url = f"sqlite:///{path}"
        with (
            closing(swather.store.open(url)) as store,
            closing(RawSQLite(Path(folder) / "raw.db")) as raw,
            closing(SQLiteBacklog(path)) as backlog,
        ):
            yield Setup("sqlite", url, store, raw, backlog, _register(store))


@contextmanager
def postgres_setup(server: postgres.PostgresServer) -> Iterator[Setup]:
    with server.fresh_database() as url:
        swather.store.prepare(url)
        with (
            closing(swather.store.open(url)) as store,
            closing(RawPostgres(url)) as raw,
            closing(PostgresBacklog(url)) as backlog,
        ):
            yield Setup("postgres", url, store, raw, backlog, _register(store))


def _register(store: Store) -> int:
    return store.workers.register(NewWorker(process=this_process(), lease_seconds=LEASE_SECONDS))
