"""The rows that a finish reads and writes, and the payloads they are made of."""

from typing import NamedTuple

from swather.model.outcome import File
from swather.store.batching import Row


class HeldLease(NamedTuple):
    """A lease as read from the database by its fence."""

    task_id: int
    token: int
    worker_id: int
    run_id: int
    head_id: int
    priority: int
    replaces: bool
    lane_id: int = 0


class OutcomeRow(NamedTuple):
    task_id: int
    run_id: int
    token: int
    state: str
    reason: str
    worker_id: int


class ItemRow(NamedTuple):
    run_id: int
    task_id: int
    part: int
    seq: int
    key: str | None
    data: str


class FileRow(NamedTuple):
    run_id: int
    task_id: int
    part: int
    seq: int
    name: str
    sha256: str
    size_bytes: int
    media_type: str


class MemoryRow(NamedTuple):
    run_id: int
    key: str
    value: str


class FaultRow(NamedTuple):
    """Counts are increments; the database adds them up."""

    task_id: int
    run_id: int
    token: int
    attempts: int
    blocked: int
    proxy: int
    crashes: int
    crashes_alone: int
    postponed: int
    error_class: str
    fingerprint: str
    message: str
    traceback: str
    avoids: str


class GroupRow(NamedTuple):
    run_id: int
    fingerprint: str
    error_class: str
    title: str
    place: str
    times: int
    sample_task_id: int
    sample_message: str
    sample_traceback: str


class WaitingRow(NamedTuple):
    """A task that waits again; `due_in_seconds` 0 = ready at once."""

    task_id: int
    run_id: int
    head_id: int
    priority: int
    due_in_seconds: float


class EventRow(NamedTuple):
    kind: str
    run_id: int
    task_id: int | None
    worker_id: int | None
    message: str
    data: str | None


class Prepared(NamedTuple):
    """An outcome's payloads, encoded and checked before any transaction begins."""

    items: list[tuple[str | None, str]]
    files: list[File]
    children: list[Row]
    memories: list[tuple[str, str]]
    rejected: list[tuple[str, int]]
