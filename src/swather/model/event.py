"""The event log: what happened to tasks, as much of it as the level says."""

from datetime import datetime
from enum import StrEnum
from typing import Any, Final

import msgspec


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
