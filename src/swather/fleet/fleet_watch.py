"""What a fleet is doing, and what it has done: its workers and its runs."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from datetime import datetime
from time import monotonic
from typing import Final

import msgspec

from swather.errors import NotFound
from swather.fleet.supervisor import WorkerStanding
from swather.model.run import Counts, RunState
from swather.model.worker import Worker
from swather.runs.progress import Snapshot, Watcher
from swather.runs.words import count, duration
from swather.runs.worker_line import WorkerLine, line_of
from swather.store import Store

MAX_RUNS_SHOWN: Final = 3
MAX_RUNS: Final = 100
MAX_WORKERS: Final = 1_000


class FleetSnapshot(msgspec.Struct, frozen=True, kw_only=True):
    """A fleet at one moment. `workers`: what those that have registered say, by number."""

    name: str
    standing: list[WorkerStanding]
    workers: dict[int, WorkerLine]
    targets: dict[int, str]
    runs: list[Snapshot]
    more_runs: int

    @property
    def running(self) -> int:
        return sum(bool(worker.where) for worker in self.standing)


class WorkerTotals(msgspec.Struct, frozen=True, kw_only=True):
    """What the workers of one number have done, as they said last."""

    number: int
    starts: int
    completed: int
    failed: int
    retried: int


class RunTotals(msgspec.Struct, frozen=True, kw_only=True):
    """How a run has moved while the fleet was up, whoever did it; `done` and `total` as of now."""

    run: str
    state: RunState
    completed: int
    failed: int
    items: int
    done: int
    total: int


class FleetTotals(msgspec.Struct, frozen=True, kw_only=True):
    """The final statistics of a fleet."""

    name: str
    seconds: float
    crashes: int
    workers: list[WorkerTotals]
    runs: list[RunTotals]

    def lines(self) -> Iterator[str]:
        crashes = f", {count(self.crashes, 'crash', 'crashes')}" if self.crashes else ""
        yield f"Fleet {self.name} was up for {duration(self.seconds)}{crashes}."
        for run in self.runs:
            yield (
                f"Run {run.run}: {run.completed:,} completed, {run.failed:,} failed, "
                f"{count(run.items, 'item')} meanwhile; {run.done:,} of {run.total:,} done."
            )
        for worker in self.workers:
            again = f", started {count(worker.starts, 'time')}" if worker.starts > 1 else ""
            yield (
                f"Worker {worker.number}: {worker.completed:,} completed, {worker.failed:,} "
                f"failed, {worker.retried:,} to be retried{again}."
            )


class FleetWatch:
    """Of the fleet of this name, on one run or on all. Made when it comes up: what it does is
    counted from then on. `since`: the same moment by the database's clock.
    """

    def __init__(self, store: Store, name: str, run: str | None, since: datetime) -> None:
        self._store = store
        self._name = name
        self._run = run
        self._since = since
        self._began = monotonic()
        self._watchers: dict[str, Watcher] = {}
        self._before = {each: store.runs.counts(each) for each in self._open_runs()}
        self._crashes: dict[int, int] = {}

    def note(self, standing: Sequence[WorkerStanding]) -> None:
        """Keep what is counted in the end and no database knows."""
        for worker in standing:
            self._crashes[worker.number] = worker.crashes

    def snapshot(self, standing: Sequence[WorkerStanding]) -> FleetSnapshot:
        names = self._open_runs()
        shown = names[:MAX_RUNS_SHOWN]
        self._watchers = {
            each: self._watchers.get(each) or Watcher(self._store, each, starts_workers=True)
            for each in shown
        }
        rows = self._rows(live=True)
        return FleetSnapshot(
            name=self._name,
            standing=list(standing),
            workers={number: line_of(found[0], "") for number, found in rows.items()},
            targets={number: _target(found[0]) for number, found in rows.items()},
            runs=[watcher.snapshot() for watcher in self._watchers.values()],
            more_runs=len(names) - len(shown),
        )

    def totals(self) -> FleetTotals:
        return FleetTotals(
            name=self._name,
            seconds=monotonic() - self._began,
            crashes=sum(self._crashes.values()),
            workers=[_worker_totals(number, rows) for number, rows in self._numbered_rows()],
            runs=list(self._run_totals()),
        )

    def _open_runs(self) -> list[str]:
        if self._run is not None:
            return [self._run]
        return [run.name for run in self._store.runs.find(state=RunState.OPEN, limit=MAX_RUNS)]

    def _run_totals(self) -> Iterator[RunTotals]:
        new = [
            run.name
            for run in self._store.runs.find(limit=MAX_RUNS)
            if run.created_at >= self._since and self._run is None
        ]
        for name in [*self._before, *(each for each in new if each not in self._before)]:
            before = self._before.get(name, Counts())
            try:
                now, state = self._store.runs.counts(name), self._store.runs.get(name).state
            except NotFound:
                continue  # it was removed meanwhile
            if now == before:
                continue
            yield RunTotals(
                run=name,
                state=state,
                completed=now.completed - before.completed,
                failed=now.failed - before.failed,
                items=now.items - before.items,
                done=now.done,
                total=now.total,
            )

    def _numbered_rows(self) -> Iterator[tuple[int, list[Worker]]]:
        yield from sorted(self._rows(live=False).items())

    def _rows(self, *, live: bool) -> dict[int, list[Worker]]:
        """The rows of the fleet's workers by number, the newest first."""
        found: dict[int, list[Worker]] = defaultdict(list)
        rows = self._store.workers.find(live=live, limit=MAX_WORKERS)
        for worker in sorted(rows, key=lambda worker: -worker.id):
            number = number_of(worker.name, self._name)
            if number is not None and worker.registered_at >= self._since:
                found[number].append(worker)
        return found


def worker_name(fleet: str, number: int) -> str:
    return f"{fleet}-{number}"


def number_of(name: str, fleet: str) -> int | None:
    """The number of a fleet's worker; None for the name of another's."""
    stem, _, number = name.rpartition("-")
    return int(number) if stem == fleet and number.isdecimal() else None


def _worker_totals(number: int, rows: list[Worker]) -> WorkerTotals:
    lines = [line_of(row, "") for row in rows]
    return WorkerTotals(
        number=number,
        starts=len(lines),
        completed=sum(line.completed for line in lines),
        failed=sum(line.failed for line in lines),
        retried=sum(line.retried for line in lines),
    )


def _target(worker: Worker) -> str:
    """What the worker has been doing for longest."""
    current = worker.statistics.get("current")
    first = current[0] if isinstance(current, list) and current else {}
    return str(first.get("target", "")) if isinstance(first, dict) else ""
