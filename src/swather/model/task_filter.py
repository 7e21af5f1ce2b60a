"""The task filter behind `tasks`, `retry` and `cancel`."""

import msgspec

from swather.model.task import State


class TaskFilter(msgspec.Struct, frozen=True, kw_only=True):
    """All conditions that are set must hold; None means any. `worker`: the name of the one that has
    the task, or ended it. `text`: part of the target as JSON, in upper or lower case (A to Z).
    """

    run: str
    states: frozenset[State] | None = None
    reasons: frozenset[str] | None = None
    error_class: str | None = None
    fingerprint: str | None = None
    lane: str | None = None
    task_ids: tuple[int, ...] | None = None
    worker: str | None = None
    text: str | None = None
