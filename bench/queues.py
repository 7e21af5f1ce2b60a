"""The queues that are compared: who they are, where their jobs are kept, how to reach them."""

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from bench.driver import ask
from bench.environment import OURS, PEERS
from bench.figures import Kind
from bench.servers.redis import redis
from bench.setting import Setting
from bench.workers import Workers

Where = Literal["PostgreSQL", "SQLite", "Redis"]


@dataclass(frozen=True, eq=False)
class Queue:
    """A contender; `jobs` is how many it is given, which takes each of them some seconds."""

    name: str
    module: str
    where: Where
    jobs: int
    kind: Kind = "peer"
    # Where there are settings for recovery: of the worker alone, or of the jobs as well.
    recovers: Literal["", "worker", "jobs"] = ""
    variant: str = ""
    given: dict[str, Any] = field(default_factory=dict)

    @property
    def who(self) -> str:
        return ", ".join(filter(None, (self.name, self.where, self.variant)))

    @property
    def python(self) -> Path:
        return OURS if self.kind == "ours" else PEERS

    @contextmanager
    def fresh(self, setting: Setting) -> Iterator[str]:
        """The address of a database with nothing in it but its tables."""
        with self._database(setting) as url:
            self.ask("prepare", url=url)
            yield url

    def ask(self, verb: str, *, seconds: float = 300.0, **given: Any) -> Any:
        return ask(self.python, self.module, verb, seconds=seconds, **self.given, **given)

    def workers(self, folder: Path, processes: int = 1, **given: Any) -> Workers:
        return Workers(self.python, self.module, folder, processes, **self.given, **given)

    @contextmanager
    def _database(self, setting: Setting) -> Iterator[str]:
        if self.where == "PostgreSQL":
            with setting.postgres.fresh_database() as url:
                yield url
        elif self.where == "Redis":
            with redis() as url:
                yield f"{url}/0"
        else:
            with tempfile.TemporaryDirectory(prefix="swather-bench-") as folder:
                scheme = "sqlite:///" if self.kind == "ours" else ""
                yield f"{scheme}{folder}/queue.db"


QUEUES = (
    Queue("Swather", "bench.ours.queue", "SQLite", 45_000, "ours"),
    Queue("Swather", "bench.ours.queue", "PostgreSQL", 45_000, "ours"),
    Queue("PgQueuer", "bench.peers.pgqueuer", "PostgreSQL", 16_000),
    Queue("Procrastinate", "bench.peers.procrastinate", "PostgreSQL", 600, recovers="worker"),
    Queue("SAQ", "bench.peers.saq", "PostgreSQL", 600, recovers="jobs"),
    Queue("SAQ", "bench.peers.saq", "Redis", 1_500, recovers="jobs"),
    Queue("Huey", "bench.peers.huey", "SQLite", 3_000),
    Queue(
        *("Huey", "bench.peers.huey", "SQLite", 3_000),
        variant="fsync off",
        given={"fsync": False},
    ),
    Queue("Huey", "bench.peers.huey", "Redis", 4_000),
    Queue("Celery", "bench.peers.celery", "Redis", 1_200, recovers="jobs"),
    Queue("Dramatiq", "bench.peers.dramatiq", "Redis", 3_000, recovers="worker"),
    Queue("RQ", "bench.peers.rq", "Redis", 300, recovers="jobs"),
)
