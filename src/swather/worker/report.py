"""What a worker has done so far, and what it says of itself."""

from collections.abc import Iterable
from itertools import islice
from typing import Any, Final

import msgspec

from swather.masking import masked_data
from swather.model.outcome import Completed, Failed, Outcome, Released, Retry, Verdict
from swather.worker.attempt import Attempt

MAX_CURRENT: Final = 100
MAX_SHOWN_CHARACTERS: Final = 200


class WorkerReport(msgspec.Struct, frozen=True, kw_only=True):
    """What a worker did until it ended.

    `reason`: 'finished' or 'cancelled' (as its run did), 'stopped', or 'restart' when it had to
    leave too many hanging threads behind and should be started anew. `lost`: attempts whose lease
    was taken away.
    """

    name: str
    reason: str
    completed: int = 0
    failed: int = 0
    retried: int = 0
    released: int = 0
    lost: int = 0
    average_seconds: float | None = None


class Tally:
    """Counts of one worker since its start."""

    def __init__(self) -> None:
        self.completed = 0
        self.failed = 0
        self.retried = 0
        self.released = 0
        self.lost = 0
        self.attempts = 0
        self.busy_seconds = 0.0

    def committed(self, outcome: Outcome, verdict: Verdict) -> None:
        if verdict is not Verdict.ACCEPTED:
            self.lost += 1
        elif isinstance(outcome, Completed):
            self.completed += 1
        elif isinstance(outcome, Retry):
            self.retried += 1
        elif isinstance(outcome, Failed):
            self.failed += 1
        elif isinstance(outcome, Released):
            self.released += 1

    @property
    def average_seconds(self) -> float | None:
        return self.busy_seconds / self.attempts if self.attempts else None

    def as_dict(self) -> dict[str, Any]:
        average = self.average_seconds
        return {
            "completed": self.completed,
            "failed": self.failed,
            "retried": self.retried,
            "released": self.released,
            "lost": self.lost,
            "attempts": self.attempts,
            "average_seconds": None if average is None else round(average, 6),
        }

    def report(self, name: str, reason: str) -> WorkerReport:
        return WorkerReport(
            name=name,
            reason=reason,
            completed=self.completed,
            failed=self.failed,
            retried=self.retried,
            released=self.released,
            lost=self.lost,
            average_seconds=self.average_seconds,
        )


def current(running: Iterable[Attempt], now: float, wall_clock: float) -> list[dict[str, Any]]:
    """What a worker is doing, for its row; a long target is shortened."""
    return [
        {
            "task": attempt.lease.task_id,
            "run": attempt.job.run.name,
            "target": _shown(attempt.lease.target),
            "since": round(wall_clock - (now - attempt.started_at), 3),
        }
        for attempt in islice(running, MAX_CURRENT)
    ]


def _shown(target: Any) -> str:
    target = masked_data(target)
    text = target if isinstance(target, str) else msgspec.json.encode(target).decode()
    return text if len(text) <= MAX_SHOWN_CHARACTERS else text[: MAX_SHOWN_CHARACTERS - 1] + "…"
