"""The progress of a run: counts, rate, estimate, workers, errors."""

import math
import time
from collections import Counter, deque
from collections.abc import Callable
from datetime import datetime
from typing import Any, Final

import msgspec

from swather.model.run import Counts, Run, RunState
from swather.model.worker import Worker, WorkerKind
from swather.runs.words import estimate
from swather.store import Store

WINDOW_SECONDS: Final = 10.0
_SECONDS_PER_HOUR: Final = 3_600


class WorkerLine(msgspec.Struct, frozen=True, kw_only=True):
    """One worker: what it has done since its start, what it does now."""

    id: int
    name: str
    paused: bool
    leases: int
    completed: int = 0
    failed: int = 0
    retried: int = 0
    average_seconds: float | None = None
    uptime_seconds: float = 0.0
    current: list[Any] = []


class Snapshot(msgspec.Struct, frozen=True, kw_only=True):
    """A run at one moment.

    `rate_per_second`: tasks that ended per second, lately; None while unknown. `eta_seconds`: None
    unless it is meaningful: the run is open, loaded, not paused, and moving. `errors`:
    failures by error class, those that were retried too. `seconds`: since the run was made.
    """

    run: str
    scraper: str
    state: RunState
    paused: bool
    loading: bool
    load_incomplete: bool
    counts: Counts
    rate_per_second: float | None
    eta_seconds: float | None
    seconds: float
    workers: list[WorkerLine]
    errors: dict[str, int]
    created_at: datetime

    @property
    def rate_per_hour(self) -> float | None:
        rate = self.rate_per_second
        return None if rate is None else rate * _SECONDS_PER_HOUR

    @property
    def success_rate(self) -> float | None:
        """Completed out of completed and failed, as a fraction."""
        ended = self.counts.completed + self.counts.failed
        return self.counts.completed / ended if ended else None

    @property
    def estimated_completion(self) -> str | None:
        """The ETA as '~2h 15m'."""
        return estimate(self.eta_seconds)

    @property
    def is_over(self) -> bool:
        return self.state is not RunState.OPEN


class Watcher:
    """Takes snapshots of one run; the rate is measured between them."""

    def __init__(
        self,
        store: Store,
        run: str,
        *,
        window_seconds: float = WINDOW_SECONDS,
        monotonic: Callable[[], float] = time.monotonic,
    ) -> None:
        self._store = store
        self._run = run
        self._window_seconds = window_seconds
        self._monotonic = monotonic
        self._samples: deque[tuple[float, int]] = deque()
        self._errors: dict[str, int] = {}
        self._failures = 0

    def snapshot(self) -> Snapshot:
        run = self._store.runs.get(self._run)
        counts = self._store.runs.counts(self._run)
        live = sorted(self._store.workers.find(), key=lambda worker: worker.id)
        workers = [_line_of(worker) for worker in live if _works_on(worker, run)]
        loading = any(w.kind is WorkerKind.PRODUCER and w.run == run.name for w in live)
        rate = self._rate(counts.done, workers)
        return Snapshot(
            run=run.name,
            scraper=run.scraper,
            state=run.state,
            paused=run.paused,
            loading=loading,
            load_incomplete=run.load_incomplete,
            counts=counts,
            rate_per_second=rate,
            eta_seconds=None if loading else _eta_seconds(run, counts, rate),
            seconds=_seconds(run, live),
            workers=workers,
            errors=self._error_classes(counts),
            created_at=run.created_at,
        )

    def _rate(self, done: int, workers: list[WorkerLine]) -> float | None:
        now = self._monotonic()
        samples = self._samples
        samples.append((now, done))
        while len(samples) > 2 and samples[1][0] <= now - self._window_seconds:
            samples.popleft()
        since, before = samples[0]
        if now > since:
            # A retry makes ended tasks unfinished again; that is no negative progress.
            return max(done - before, 0) / (now - since)
        return _rate_since_start(workers)

    def _error_classes(self, counts: Counts) -> dict[str, int]:
        """Read again only when something has failed since: each group comes with a traceback."""
        failures = counts.failed + counts.retries
        if failures != self._failures:
            self._failures = failures
            self._errors = error_classes(self._store, self._run)
        return self._errors


def error_classes(store: Store, run: str) -> dict[str, int]:
    """Failures by error class, the most frequent first."""
    found: Counter[str] = Counter()
    for group in store.results.errors(run, limit=100):
        found[group.error_class] += group.count
    return dict(found.most_common())


def _eta_seconds(run: Run, counts: Counts, rate: float | None) -> float | None:
    if run.state is not RunState.OPEN or run.paused:
        return None
    if not counts.unfinished:
        return 0.0
    return counts.unfinished / rate if rate else None


def _rate_since_start(workers: list[WorkerLine]) -> float | None:
    """The rate at the first snapshot: what the workers did since they started."""
    rates = [
        (worker.completed + worker.failed) / worker.uptime_seconds
        for worker in workers
        if worker.uptime_seconds > 0
    ]
    return sum(rates) if rates else None


def _seconds(run: Run, live: list[Worker]) -> float:
    """Until the run's end, or its last sign of life; all by the database's clock."""
    end = run.finished_at or max((worker.beat_at for worker in live), default=run.created_at)
    return max((end - run.created_at).total_seconds(), 0.0)


def _works_on(worker: Worker, run: Run) -> bool:
    if worker.kind is not WorkerKind.WORKER:
        return False
    return worker.statistics.get("run") in {None, run.name}


def _line_of(worker: Worker) -> WorkerLine:
    said = worker.statistics
    current = said.get("current")
    return WorkerLine(
        id=worker.id,
        name=worker.name,
        paused=worker.paused,
        leases=worker.leases,
        completed=_number(said.get("completed")),
        failed=_number(said.get("failed")),
        retried=_number(said.get("retried")),
        average_seconds=said.get("average_seconds"),
        uptime_seconds=(worker.beat_at - worker.registered_at).total_seconds(),
        current=current if isinstance(current, list) else [],
    )


def _number(value: Any) -> int:
    """Statistics come from workers of any release, so their types are not certain."""
    return int(value) if isinstance(value, int | float) and math.isfinite(value) else 0
