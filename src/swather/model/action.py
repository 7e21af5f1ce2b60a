"""Actions: what people have done through the API and the dashboard."""

from datetime import datetime
from enum import StrEnum
from typing import Any

import msgspec


class ActionState(StrEnum):
    """FAILED: `error` says why; the process that did it may have died."""

    RUNNING = "running"
    DONE = "done"
    FAILED = "failed"


class Action(msgspec.Struct, frozen=True, kw_only=True):
    """Who did what to whom, and how far it has come: `done` of `total`, which is None if nobody
    knows it. Texts are masked.
    """

    id: int
    at: datetime
    actor: str
    verb: str
    subject: str
    detail: dict[str, Any]
    state: ActionState
    done: int
    total: int | None
    error: str
    ended_at: datetime | None
