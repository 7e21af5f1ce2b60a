"""The progress of a run: counts, rate, estimate, reasons, workers, errors."""

import time
from collections import Counter, deque
from collections.abc import Callable
from datetime import datetime
from typing import Final

import msgspec

from swather.errors import StoreError
from swather.model.results import ErrorGroup
from swather.model.run import Counts, Run, RunState
from swather.model.source import SourceStats
from swather.runs.pace import Pace, pace_of_run
from swather.runs.reason import Reason
from swather.runs.reasons import reasons_of
from swather.runs.situation import Situation
from swather.runs.words import command, count, duration, estimate, shortened
from swather.runs.worker_line import RunningTarget, WorkerLine
from swather.store import Store

WINDOW_SECONDS: Final = 60.0
# What takes more than a query or two is looked up so often.
LOOK_SECONDS: Final = 1.0
MAX_RECENT_ERRORS: Final = 2
MAX_CLASSES_SHOWN: Final = 6
MAX_GROUPS: Final = 100
_SECONDS_PER_HOUR: Final = 3_600


class RecentError(msgspec.Struct, frozen=True, kw_only=True):
    """How tasks of the run have failed lately, and how often."""

    group: str
    error_class: str
    title: str
    where: str
    count: int
    last_at: datetime

    @property
    def in_words(self) -> str:
        """'12 times: ValueError: no title at books.py:12'."""
        where = f" at {self.where}" if self.where else ""
        return f"{count(self.count, 'time')}: {self.title}{where}"


class Snapshot(msgspec.Struct, frozen=True, kw_only=True):
    """A run at one moment.

    running          targets that execute; `prefetched` are tasks that workers hold beside them
    rate_per_second  tasks that ended per second, lately; None while unknown
    eta_seconds      None while it is unknown: nothing moves, targets are loaded, the run is paused
    limited_by       what makes the estimate that long, in words
    reasons          what holds the run back, what stops it first
    oldest           the target that has run for longest
    errors           failures by error class, those that were retried too
    recent_errors    the groups that failed last
    sources          what the run has asked of the sources that its scraper notes
    seconds          since the run was made
    """

    run: str
    scraper: str
    state: RunState
    paused: bool
    loading: bool
    load_incomplete: bool
    counts: Counts
    running: int = 0
    prefetched: int = 0
    rate_per_second: float | None
    eta_seconds: float | None
    limited_by: str = ""
    seconds: float
    reasons: list[Reason] = []
    oldest: RunningTarget | None = None
    workers: list[WorkerLine]
    errors: dict[str, int]
    recent_errors: list[RecentError] = []
    sources: list[SourceStats] = []
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
    def errors_in_words(self) -> list[str]:
        """'timeout 12', by class."""
        shown = list(self.errors.items())[:MAX_CLASSES_SHOWN]
        return [f"{name} {number:,}" for name, number in shown]

    @property
    def eta(self) -> str:
        """The ETA as '~2h 15m' or 'unknown', with the limit that decides it."""
        limit = f", limited by {self.limited_by}" if self.limited_by else ""
        return f"{self.estimated_completion or 'unknown'}{limit}"

    @property
    def stops(self) -> list[Reason]:
        """The reasons why little or nothing moves."""
        return [reason for reason in self.reasons if reason.stops]

    @property
    def is_over(self) -> bool:
        return self.state is not RunState.OPEN


class Watcher:
    """Takes snapshots of one run. Workers tell how fast they are; where they do not, the rate is
    measured between snapshots.
    """

    def __init__(
        self,
        store: Store,
        run: str,
        *,
        window_seconds: float = WINDOW_SECONDS,
        look_seconds: float = LOOK_SECONDS,
        starts_workers: bool = False,
        monotonic: Callable[[], float] = time.monotonic,
    ) -> None:
        self._store = store
        self._run = run
        self._window_seconds = window_seconds
        self._look_seconds = look_seconds
        self._starts_workers = starts_workers
        self._had_workers = False
        self._monotonic = monotonic
        self._samples: deque[tuple[float, int]] = deque()
        self._groups: list[ErrorGroup] = []
        self._failures = 0
        self._looked: _Look | None = None
        self._last: Snapshot | None = None

    def without_database(self, error: StoreError) -> Snapshot | None:
        """The last snapshot, as it is shown while the database does not answer."""
        if self._last is None:
            return None
        away = _database_away(self._store.outage.seconds or 0.0, error, self._store.url)
        return msgspec.structs.replace(
            self._last, rate_per_second=None, eta_seconds=None, limited_by="", reasons=[away]
        )

    def snapshot(self) -> Snapshot:
        run = self._store.runs.get(self._run)
        counts = self._store.runs.counts(self._run)
        sampled_rate = self._sampled_rate(counts.done)
        look = self._look(run, counts, sampled_rate)
        self._read_errors(counts)
        self._last = _taken(run, counts, look, self._groups)
        return self._last

    def _look(self, run: Run, counts: Counts, sampled_rate: float | None) -> "_Look":
        now, looked = self._monotonic(), self._looked
        is_known = looked is not None and now < looked.at + self._look_seconds
        if looked is None or not is_known or run.state is not RunState.OPEN:
            situation = Situation(
                self._store,
                run,
                counts,
                starts_workers=self._starts_workers,
                had_workers=self._had_workers,
            )
            self._had_workers = self._had_workers or bool(situation.workers)
            looked = _look(situation, sampled_rate, self._store.sources.of_run(run.name), now)
            self._looked = looked
        return looked

    def _sampled_rate(self, done: int) -> float | None:
        now = self._monotonic()
        samples = self._samples
        samples.append((now, done))
        while len(samples) > 2 and samples[1][0] <= now - self._window_seconds:
            samples.popleft()
        since, before = samples[0]
        # A retry makes ended tasks unfinished again; that is not negative progress.
        return max(done - before, 0) / (now - since) if now > since else None

    def _read_errors(self, counts: Counts) -> None:
        """Only when something has failed since: each group comes with a traceback."""
        failures = counts.failed + counts.retries
        if failures != self._failures:
            self._failures = failures
            self._groups = self._store.results.errors(self._run, limit=MAX_GROUPS)


def snapshot_of(situation: Situation) -> Snapshot:
    """A snapshot by itself: nothing is measured between it and another."""
    store, run, counts = situation.store, situation.run, situation.counts
    look = _look(situation, None, store.sources.of_run(run.name), time.monotonic())
    has_failed = counts.failed or counts.retries
    groups = store.results.errors(run.name, limit=MAX_GROUPS) if has_failed else []
    return _taken(run, counts, look, groups)


def _taken(run: Run, counts: Counts, look: "_Look", groups: list[ErrorGroup]) -> Snapshot:
    return Snapshot(
        run=run.name,
        scraper=run.scraper,
        state=run.state,
        paused=run.paused,
        loading=look.loading,
        load_incomplete=run.load_incomplete,
        counts=counts,
        running=min(look.running, counts.leased),
        prefetched=max(counts.leased - look.running, 0),
        rate_per_second=look.pace.rate_per_second,
        eta_seconds=look.pace.eta_seconds,
        limited_by=look.pace.limited_by,
        seconds=look.seconds,
        reasons=look.reasons,
        oldest=look.oldest,
        workers=look.workers,
        errors=error_classes(groups),
        recent_errors=_recent_errors(groups),
        sources=look.sources,
        created_at=run.created_at,
    )


def _database_away(seconds: float, error: StoreError, url: str) -> Reason:
    silent = f"The database has not answered for {duration(seconds)}"
    return Reason(
        code="database_away",
        text=f"{silent}: {error}. The work resumes when it is back.",
        brief=f"{silent}: {shortened(str(error))}",
        stops=True,
        change="To check it",
        command=command("doctor", url=url),
        values={"seconds": round(seconds, 1), "error": str(error)},
    )


class _Look(msgspec.Struct, frozen=True, kw_only=True):
    at: float
    loading: bool
    running: int
    pace: Pace
    reasons: list[Reason]
    oldest: RunningTarget | None
    workers: list[WorkerLine]
    sources: list[SourceStats]
    seconds: float


def _look(
    situation: Situation, sampled_rate: float | None, sources: list[SourceStats], now: float
) -> _Look:
    current = situation.current
    return _Look(
        at=now,
        loading=bool(situation.producers),
        running=situation.running,
        pace=pace_of_run(situation, sampled_rate),
        reasons=reasons_of(situation),
        oldest=current[0] if current else None,
        workers=situation.workers,
        sources=sources,
        seconds=_seconds(situation),
    )


def error_classes(groups: list[ErrorGroup]) -> dict[str, int]:
    """Failures by error class, the most frequent first."""
    found: Counter[str] = Counter()
    for group in groups:
        found[group.error_class] += group.count
    return dict(found.most_common())


def _recent_errors(groups: list[ErrorGroup]) -> list[RecentError]:
    newest = sorted(groups, key=lambda group: group.last_at, reverse=True)
    return [
        RecentError(
            group=group.fingerprint,
            error_class=group.error_class,
            title=group.title,
            where=group.where,
            count=group.count,
            last_at=group.last_at,
        )
        for group in newest[:MAX_RECENT_ERRORS]
    ]


def _seconds(situation: Situation) -> float:
    """Until the run's end, else until now."""
    run = situation.run
    return max(((run.finished_at or situation.now) - run.created_at).total_seconds(), 0.0)
