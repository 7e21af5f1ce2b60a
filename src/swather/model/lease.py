"""A worker's right to a task, and how it asks for more."""

from typing import Any

import msgspec

from swather.errors import InputError
from swather.model.retry import Faults
from swather.model.strategy import Strategy


class Lease(msgspec.Struct, frozen=True, kw_only=True):
    """A task handed to a worker. `(task_id, token)` fences every write the worker makes for it."""

    task_id: int
    token: int
    run_id: int
    target: Any
    priority: int
    lane: str
    partition: str
    parent_id: int | None
    faults: Faults
    part: int = 0
    cursor: Any = None

    @property
    def fence(self) -> tuple[int, int]:
        return self.task_id, self.token

    @property
    def attempt(self) -> int:
        """1 for the first execution."""
        faults = self.faults
        return 1 + faults.attempts + faults.blocked + faults.proxy + faults.crashes


class ClaimRequest(msgspec.Struct, frozen=True, kw_only=True):
    """How many tasks a worker wants, and of which runs or scrapers (None = of any).

    Partitioned tasks are given only to the partition's owner. `strategy` None is the run's own.
    """

    worker_id: int
    count: int
    runs: tuple[str, ...] | None = None
    scrapers: tuple[str, ...] | None = None
    partitions: tuple[str, ...] | None = None
    strategy: Strategy | None = None

    def __post_init__(self) -> None:
        if self.count < 1:
            raise InputError(f"count must be at least 1, got {self.count!r}")


class Claimed(msgspec.Struct, frozen=True):
    """What a claim gave.

    `retry_after_seconds` is set when fewer came than were wanted: when the next task may be due
    (a lane opens, a retry falls due), or None when nothing that waits has a known time.
    """

    leases: list[Lease]
    retry_after_seconds: float | None = None


class Permits(msgspec.Struct, frozen=True):
    """How many further requests may start now; when none may, how long to wait before asking."""

    granted: int
    retry_after_seconds: float | None = None
