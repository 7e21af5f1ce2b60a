"""Workers and producers: the processes that hold leases or load targets."""

from datetime import datetime
from enum import StrEnum
from typing import Any, Final

import msgspec

from swather.errors import InputError
from swather.model.lease import Strategy

MAX_WORKER_NUMBER: Final = 99_999


class WorkerKind(StrEnum):
    """A worker scrapes; a producer loads targets into one run."""

    WORKER = "worker"
    PRODUCER = "producer"


class WorkerState(StrEnum):
    """LOST: its lease ran out or its process died; what it held was given back."""

    LIVE = "live"
    RETIRED = "retired"
    LOST = "lost"


class Leaving(StrEnum):
    """How a worker is to end. DRAIN: its running targets finish, the rest goes back. STOP: all of
    it goes back.
    """

    DRAIN = "drain"
    STOP = "stop"


class WorkerMode(StrEnum):
    """What people want of a worker: PAUSED ones claim nothing, DRAINING and STOPPING ones end."""

    WORKING = "working"
    PAUSED = "paused"
    DRAINING = "draining"
    STOPPING = "stopping"


class Process(msgspec.Struct, frozen=True, kw_only=True):
    """Which process on which machine, so that others there can see that it has died."""

    host: str
    boot_id: str
    namespace: str
    pid: int
    started: str


def check_worker_number(number: int | None) -> None:
    if number is not None and not 0 <= number <= MAX_WORKER_NUMBER:
        raise InputError(f"a worker's number is 0 to {MAX_WORKER_NUMBER:,}, got {number!r}")


class NewWorker(msgspec.Struct, frozen=True, kw_only=True):
    """A worker to register; each process registers a new one. `number` is its place in its fleet,
    from 0 on: plans of partitions go by it.
    """

    process: Process
    kind: WorkerKind = WorkerKind.WORKER
    run: str | None = None
    name: str | None = None
    lease_seconds: float = 60.0
    strategy: Strategy | None = None
    version: str = ""
    number: int | None = None

    def __post_init__(self) -> None:
        if not self.lease_seconds > 0:
            raise InputError(f"lease_seconds must be positive, got {self.lease_seconds!r}")
        if (self.kind is WorkerKind.PRODUCER) != (self.run is not None):
            raise InputError("a producer names the run it loads; a worker names none")
        check_worker_number(self.number)


class Worker(msgspec.Struct, frozen=True, kw_only=True):
    """A worker as it stands. `silent_seconds`: since its last beat, by the database's clock."""

    id: int
    name: str
    kind: WorkerKind
    state: WorkerState
    run: str | None
    process: Process
    lease_seconds: float
    strategy: Strategy | None
    version: str
    number: int | None
    paused: bool
    leaving: Leaving | None
    registered_at: datetime
    beat_at: datetime
    silent_seconds: float
    leases: int
    statistics: dict[str, Any]

    @property
    def mode(self) -> WorkerMode:
        return mode_of(self.leaving, paused=self.paused)


def mode_of(leaving: str | None, *, paused: bool) -> WorkerMode:
    if leaving:
        return WorkerMode.DRAINING if leaving == Leaving.DRAIN else WorkerMode.STOPPING
    return WorkerMode.PAUSED if paused else WorkerMode.WORKING


class Beat(msgspec.Struct, frozen=True, kw_only=True):
    """The answer to a beat.

    `alive` False: the worker was declared lost with everything it held, and must register again.
    `lost`: leases it thought it had. `released`: leases it had without knowing. `leaving`: somebody
    wants it to end.
    """

    alive: bool
    lost: frozenset[tuple[int, int]] = frozenset()
    released: int = 0
    control_version: int = 0
    leaving: Leaving | None = None


class Swept(msgspec.Struct, frozen=True, kw_only=True):
    """What a sweep found: workers given up, tasks given back, due tasks made ready."""

    workers: tuple[str, ...] = ()
    tasks: int = 0
    promoted: int = 0
