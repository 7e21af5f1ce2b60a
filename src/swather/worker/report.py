"""What a worker has done so far, and what it says of itself."""

import os
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable
from itertools import islice
from time import monotonic
from typing import Any, Final

import msgspec

from swather import posix
from swather.masking import masked_data
from swather.model.latency import BOUNDS, Latency
from swather.model.outcome import Completed, Failed, Outcome, Released, Retry, Verdict
from swather.worker.access.access import Access
from swather.worker.attempt import Attempt
from swather.worker.recent import Recent
from swather.worker.saving import Saving
from swather.worker.slots import Dispatch, Slots

MAX_CURRENT: Final = 20
MAX_RUNS: Final = 1_000
MAX_SHOWN_CHARACTERS: Final = 200


class WorkerReport(msgspec.Struct, frozen=True, kw_only=True):
    """What a worker did until it ended.

    `reason`: 'finished' or 'cancelled' (as its run did), 'stopped', 'drained' or 'removed' (it
    alone was asked to leave), or 'restart' when it had to leave too many hanging threads behind
    and should be restarted. `lost`: attempts whose lease was taken away.
    """

    name: str
    reason: str
    completed: int = 0
    failed: int = 0
    retried: int = 0
    released: int = 0
    lost: int = 0
    average_seconds: float | None = None


class Took:
    """How long something took each time, in the buckets of swather.model.latency. Only one thread
    notes; others may look.
    """

    __slots__ = ("counts", "seconds")

    def __init__(self) -> None:
        self.counts = [0] * (len(BOUNDS) + 1)
        self.seconds = 0.0

    def note(self, seconds: float) -> None:
        self.counts[bisect_left(BOUNDS, seconds)] += 1
        self.seconds += seconds

    @property
    def latency(self) -> Latency:
        return Latency(tuple(self.counts), self.seconds)

    def as_dict(self) -> dict[str, Any]:
        return {"counts": list(self.counts), "seconds": round(self.seconds, 6)}


class Tally:
    """Counts of one worker since its start. `claims` and `finishes`: from handing them to the
    writer until they were committed. `waited`: seconds of attempts that stood still, by what they
    waited for.
    """

    def __init__(self) -> None:
        self.completed = 0
        self.failed = 0
        self.retried = 0
        self.released = 0
        self.lost = 0
        self.attempts = 0
        self.busy_seconds = 0.0
        self.requests = 0
        self.took = Took()
        self.claims = Took()
        self.finishes = Took()
        self.waited: dict[str, float] = {}
        # How many targets of each run are done.
        self.done: dict[str, int] = {}

    def ended(
        self, attempt: Attempt, seconds: float, outcome: Outcome | None, requests: int
    ) -> None:
        """An attempt has taken so long and made so many requests, and came to this."""
        run = attempt.job.run.name
        self.attempts += 1
        self.busy_seconds += seconds
        self.took.note(seconds)
        self.requests += requests
        if attempt.waited is not None:
            for what, waited in attempt.waited.items():
                self.waited[what] = self.waited.get(what, 0.0) + waited
        if isinstance(outcome, (Completed, Failed)):
            done = self.done
            if run not in done and len(done) >= MAX_RUNS:
                done.clear()
            done[run] = done.get(run, 0) + 1

    def lost_one(self) -> None:
        """A lease was taken away while its attempt ran."""
        self.lost += 1

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
            "requests": self.requests,
            "average_seconds": None if average is None else round(average, 6),
            "waited": {what: round(n, 3) for what, n in list(self.waited.items())},
            "latency": {
                "attempt": self.took.as_dict(),
                "claim": self.claims.as_dict(),
                "finish": self.finishes.as_dict(),
            },
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


class Statistics:
    """What a worker says of itself, for its row; asked for on the beat's thread."""

    def __init__(
        self,
        tally: Tally,
        slots: Slots,
        dispatch: Dispatch,
        saving: Saving,
        access: Access,
        run: str | None,
    ) -> None:
        self._tally = tally
        self._slots = slots
        self._dispatch = dispatch
        self._saving = saving
        self._access = access
        self._run = run
        self._recent = Recent(monotonic())
        self._told = (0, 0, "")

    def look(self, *, limits_changed: bool = False) -> None:
        """Note what has ended; several times between two beats. `limits_changed`: a person has
        changed how fast work may go.
        """
        now, tally = monotonic(), self._tally
        at_work_on = {attempt.job.run.name for attempt in list(self._slots.running.values())}
        self._recent.look(dict(tally.done), at_work_on, now, tally.average_seconds or 0.0)
        if limits_changed:
            self._recent.limits_changed(now)

    @property
    def is_news(self) -> bool:
        """Whether anything was begun or has ended since it was last asked for, or what it waits
        for has changed.
        """
        return self._told != (self._tally.attempts, len(self._slots.running), self.trouble)

    @property
    def trouble(self) -> str:
        """Why the worker can do nothing; '' if it can."""
        return self._saving.trouble or self._access.trouble

    def as_dict(self) -> dict[str, Any]:
        running = list(self._slots.running.values())
        trouble = self.trouble
        self._told = (self._tally.attempts, len(running), trouble)
        now = monotonic()
        return {
            **self._tally.as_dict(),
            "run": self._run,
            "slots": self._slots.concurrency,
            "busy": len(running),
            "running": Counter(attempt.job.run.name for attempt in running),
            "waiting": Counter(attempt.waits_for for attempt in running if attempt.waits_for),
            "recent": self._recent.as_dict(now),
            "abandoned": self._slots.abandoned,
            "trouble": trouble,
            "lacks_proxies": not self._saving.trouble and self._access.lacks_only_proxies,
            "strays": self._dispatch.strays,
            "memory_bytes": posix.memory_bytes(os.getpid()),
            "current": current(running, now),
        }


def current(running: Iterable[Attempt], now: float) -> list[dict[str, Any]]:
    """What a worker is doing, for its row: what began first, and for how long it has run. A long
    target is shortened.
    """
    return [
        {
            "task": attempt.lease.task_id,
            "run": attempt.job.run.name,
            "target": shown(attempt.lease.target),
            "seconds": round(now - attempt.started_at, 3),
            "timeout": attempt.timeout,
            "attempt": attempt.lease.attempt,
            "waits_for": attempt.waits_for,
        }
        for attempt in islice(running, MAX_CURRENT)
    ]


def shown(target: Any) -> str:
    """A target as text: masked, and shortened if it is long."""
    target = masked_data(target)
    text = target if isinstance(target, str) else msgspec.json.encode(target).decode()
    return text if len(text) <= MAX_SHOWN_CHARACTERS else text[: MAX_SHOWN_CHARACTERS - 1] + "…"
