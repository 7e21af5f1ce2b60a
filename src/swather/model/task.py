"""Targets, tasks, their states, and the log of what happened to them."""

from datetime import datetime
from enum import StrEnum
from typing import Any, Final

import msgspec

from swather.errors import BadTarget, InputError


class State(StrEnum):
    """Where a task is."""

    SCHEDULED = "scheduled"
    READY = "ready"
    LEASED = "leased"
    COMPLETED = "completed"
    FAILED = "failed"
    CANCELLED = "cancelled"

    @property
    def is_terminal(self) -> bool:
        return self in TERMINAL


TERMINAL: Final = frozenset({State.COMPLETED, State.FAILED, State.CANCELLED})
WAITING: Final = frozenset({State.SCHEDULED, State.READY})

LOWEST_PRIORITY: Final = 1
HIGHEST_PRIORITY: Final = 10
DEFAULT_PRIORITY: Final = 5
MAX_NAME_BYTES: Final = 500


class Target(msgspec.Struct, frozen=True, kw_only=True):
    """What one call scrapes, as passed to enqueue.

    `key` decides what counts as the same target within a run; without one it is made from `value`.
    `lane` is what is paced as one ('' = not paced), `partition` what is owned as one ('' = none).
    """

    value: Any
    key: str | None = None
    priority: int = DEFAULT_PRIORITY
    lane: str = ""
    partition: str = ""
    due_in_seconds: float = 0.0
    parent_id: int | None = None


class Task(msgspec.Struct, frozen=True, kw_only=True):
    """A task with its state, for display."""

    id: int
    run: str
    state: State
    reason: str | None
    target: Any
    priority: int
    lane: str
    partition: str
    parent_id: int | None
    attempts: int
    crashes: int
    worker: str | None
    due_at: datetime | None
    created_at: datetime
    ended_at: datetime | None
    error_class: str | None
    error: str | None
    traceback: str | None
    progress: Any | None
    claimed_at: datetime | None = None


def check_priority(priority: int) -> int:
    if type(priority) is int and LOWEST_PRIORITY <= priority <= HIGHEST_PRIORITY:
        return priority
    raise BadTarget(
        f"priority must be a whole number from {LOWEST_PRIORITY} to {HIGHEST_PRIORITY}, "
        f"got {priority!r}"
    )


def check_file_name(what: str, name: str) -> str:
    """A name that is used in paths: it must not lead to another folder."""
    is_plain = name.isprintable() and not set(name) & {"/", "\\"}
    if name and is_plain and not name.startswith("."):
        return name
    raise InputError(
        f"{what} {name!r} cannot be used as a file name: it must not be empty, begin with '.', or "
        "contain '/', '\\' or control characters"
    )


def check_name(what: str, name: str) -> str:
    """A lane's, partition's or other name: short text that every database can hold."""
    if not isinstance(name, str):
        raise BadTarget(f"{what} must be text, got {name!r}")
    if "\0" in name:
        raise BadTarget(f"{what} must not contain NUL, got {name!r}")
    try:
        size = len(name.encode())
    except UnicodeEncodeError as error:
        raise BadTarget(f"{what} must be valid Unicode, got {name!r}") from error
    if size > MAX_NAME_BYTES:
        raise BadTarget(
            f"{what} must be at most {MAX_NAME_BYTES} bytes, got {size}: {name[:40]!r}…"
        )
    return name


class EventKind(StrEnum):
    """One thing that happened to a task."""

    CREATED = "created"
    CLAIMED = "claimed"
    STARTED = "started"
    PROGRESS = "progress"
    COMPLETED = "completed"
    FAILED = "failed"
    RETRY = "retry"
    RELEASED = "released"
    SWEPT = "swept"
    CANCELLED = "cancelled"


class EventLevel(StrEnum):
    """How much is logged."""

    NONE = "none"
    FAILURES = "failures"
    ALL = "all"

    def logs(self, kind: EventKind) -> bool:
        return kind in LOGGED[self]


LOGGED: Final[dict[EventLevel, frozenset[EventKind]]] = {
    EventLevel.NONE: frozenset(),
    EventLevel.FAILURES: frozenset({EventKind.FAILED, EventKind.RETRY, EventKind.SWEPT}),
    EventLevel.ALL: frozenset(EventKind),
}


class Event(msgspec.Struct, frozen=True, kw_only=True):
    """One line of the log."""

    id: int
    at: datetime
    kind: EventKind
    run: str
    task_id: int | None
    worker_id: int | None
    message: str
    data: dict[str, Any] | None
