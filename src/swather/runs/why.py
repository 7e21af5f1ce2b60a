"""Why: in words, what holds a run or a task back."""

from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any, Final

from swather.errors import InputError
from swather.model.lane import Lane, PacedKind
from swather.model.pacing import NO_LIMITS
from swather.model.run import Counts, Run, RunState
from swather.model.task import WAITING, State, Task
from swather.model.task_filter import TaskFilter
from swather.model.worker import Worker, WorkerKind
from swather.runs import breaker_words, code_words, lane_words, replay, transaction_words
from swather.runs.words import clock_time, command, count, time_ahead
from swather.store import Store

_MAX_LANES: Final = 200
_MAX_LANES_SHOWN: Final = 10
_MAX_LISTED: Final = 5
_MAX_EVENTS: Final = 50
_MAX_SCHEDULED: Final = 1_000


def why(store: Store, what: str, *, now: datetime | None = None) -> list[str]:
    """Sentences on the run of that name, or on the task of that number."""
    now = now or datetime.now(UTC)
    if what.isdecimal():
        return why_task(store, int(what), now=now)
    return why_run(store, what, now=now)


def why_run(store: Store, name: str, *, now: datetime | None = None) -> list[str]:
    """What holds a run back; the first sentence is its state."""
    return list(_Reasons(store, store.runs.get(name), now or datetime.now(UTC)).of_run())


def why_task(store: Store, task_id: int, *, now: datetime | None = None) -> list[str]:
    """A task's state, what it waits for, and what the event log says about it."""
    if task_id < 1:
        raise InputError(f"a task's number is 1 or more, got {task_id}")
    task = store.tasks.get(task_id)
    reasons = _Reasons(store, store.runs.get(task.run), now or datetime.now(UTC))
    return [*reasons.of_task(task), *reasons.history(task)]


class _Reasons:
    def __init__(self, store: Store, run: Run, now: datetime) -> None:
        self._store = store
        self._run = run
        self._now = now
        live = store.workers.find()
        self._workers = [worker for worker in live if worker.kind is WorkerKind.WORKER]
        self._producers = [worker for worker in live if worker.run == run.name]

    def of_run(self) -> Iterator[str]:
        counts = self._store.runs.counts(self._run.name)
        yield self._standing(counts)
        if self._run.load_incomplete and not self._producers:
            partial = ", ".join(self._store.loads.incomplete(self._run.name))
            yield f"Not all targets were loaded from {partial}: give that command again."
        if self._run.state is not RunState.OPEN:
            return
        holds = [*self._own_holds(), *self._loading()]
        yield from holds
        if not counts.unfinished:
            if not self._producers:
                yield "Nothing is left to do: a worker will finish it at its next look."
            return
        reasons = [*self._lanes_holds(counts), *self._breaker_holds(counts)]
        reasons += self._worker_holds(counts)
        reasons += [*self._due_time_holds(counts), *self._partition_holds(counts)]
        reasons += self._lock_holds()
        yield from reasons
        if not holds and not reasons:
            yield f"Nothing holds it back: {self._work_in_words(counts)}."

    def of_task(self, task: Task) -> Iterator[str]:
        yield f"Task {task.id} of run {task.run}: {_shown(task.target)}."
        match task.state:
            case State.COMPLETED | State.FAILED | State.CANCELLED:
                yield self._ended(task)
            case State.LEASED:
                yield f"It is running on {task.worker}{_progress(task.progress)}."
            case State.SCHEDULED:
                assert task.due_at is not None
                yield f"It waits until {self._at(task.due_at)}{_after_failures(task)}."
                yield from self._own_holds()
            case State.READY:
                yield "It is ready: it waits for a worker to take it."
                yield from self._own_holds()
                yield from self._task_lane_holds(task)
                yield from self._worker_holds(self._store.runs.counts(self._run.name))
                yield from self._lock_holds()
        if task.error is not None and task.state is not State.COMPLETED:
            yield f"Its last error ({task.error_class}): {task.error}"

    def history(self, task: Task) -> Iterator[str]:
        for event in self._store.events.find(task.run, task_id=task.id, limit=_MAX_EVENTS):
            by = f" by worker {event.worker_id}" if event.worker_id is not None else ""
            message = f": {event.message}" if event.message else ""
            yield f"{clock_time(event.at, self._now)} {event.kind}{by}{message}"

    def _standing(self, counts: Counts) -> str:
        name = self._run.name
        ended = f"{counts.completed:,} completed, {counts.failed:,} failed"
        if counts.cancelled:
            ended += f", {counts.cancelled:,} cancelled"
        match self._run.state:
            case RunState.OPEN:
                return f"Run {name} is open: {counts.done:,} of {count(counts.total, 'task')} done."
            case RunState.FINISHED:
                return f"Run {name} is finished: {ended}."
            case RunState.CANCELLED:
                return f"Run {name} was cancelled: {ended}."

    def _own_holds(self) -> Iterator[str]:
        run = self._run
        if run.paused and replay.is_half_done(run):
            again = command(
                "replay", run.name, *code_words.argument(self._run), url=self._store.url
            )
            yield (
                "The run is paused for a replay; if none is at work, this one goes on: "
                f"{again}{code_words.explained(self._run)}"
            )
        elif run.paused:
            again = command("unpause", run.name, url=self._store.url)
            yield f"The run is paused; to let it go on: {again}"
        scraper = self._store.lanes.get(run.scraper, PacedKind.SCRAPER)
        yield from self._lane_holds(scraper)

    def _loading(self) -> Iterator[str]:
        for producer in self._producers:
            loaded = producer.statistics.get("loaded")
            so_far = f", {loaded:,} so far" if isinstance(loaded, int) else ""
            yield f"It is still being loaded by {producer.name}{so_far}."

    def _lanes_holds(self, counts: Counts) -> Iterator[str]:
        if not counts.waiting:
            return
        shown = 0
        for lane in self._lanes():
            holds = list(self._lane_holds(lane))
            if not holds or not self._waits_on(lane.name):
                continue
            if shown == _MAX_LANES_SHOWN:
                listed = command("lanes", url=self._store.url)
                yield f"More lanes than these {shown} are held back; to see them: {listed}"
                return
            shown += 1
            yield from holds

    def _lanes(self) -> Iterator[Lane]:
        """Lanes that hold back every run, then lanes with only the run's own limits, among those of
        its next tasks.
        """
        known = set()
        for lane in self._store.lanes.find(limit=_MAX_LANES):
            if lane.kind is PacedKind.LANE:
                known.add(lane.name)
                yield lane
        if not self._run.lane_limits.every_seconds:
            return
        ready = TaskFilter(run=self._run.name, states=frozenset({State.READY}))
        waiting = {task.lane for task in self._store.tasks.find(ready, limit=_MAX_LANES)}
        yield from map(self._store.lanes.get, sorted(waiting - known - {""}))

    def _task_lane_holds(self, task: Task) -> Iterator[str]:
        if task.lane:
            yield from self._lane_holds(self._store.lanes.get(task.lane))
        for breaker in self._store.breakers.find(scraper=self._run.scraper, lane=task.lane):
            yield from breaker_words.describe(breaker, url=self._store.url, now=self._now)

    def _lane_holds(self, lane: Lane) -> Iterator[str]:
        limits = self._run.lane_limits if lane.kind is PacedKind.LANE else NO_LIMITS
        url = self._store.url
        yield from lane_words.holds(lane, url=url, now=self._now, run_limits=limits)

    def _breaker_holds(self, counts: Counts) -> Iterator[str]:
        if not counts.waiting:
            return
        for breaker in self._store.breakers.find(scraper=self._run.scraper):
            if self._waits_on(breaker.lane):
                yield from breaker_words.describe(breaker, url=self._store.url, now=self._now)

    def _waits_on(self, lane: str) -> bool:
        which = TaskFilter(run=self._run.name, states=WAITING, lane=lane)
        return bool(self._store.tasks.find(which, limit=1))

    def _worker_holds(self, counts: Counts) -> Iterator[str]:
        able = [w for w in self._workers if not w.paused]
        if not self._workers:
            start = command(
                "worker",
                *code_words.argument(self._run),
                "--run",
                self._run.name,
                url=self._store.url,
            )
            yield f"No worker is running; to start one: {start}{code_words.explained(self._run)}"
        elif not able:
            yield f"All workers ({len(self._workers)}) are paused."
        for worker in self._workers:
            if trouble := worker.statistics.get("trouble"):
                yield f"Worker {worker.name} waits: {trouble}."
        if able and counts.ready and (slots := _slots(able)) and (busy := _busy(able)) >= slots:
            yield f"{busy} of {slots} slots busy."

    def _due_time_holds(self, counts: Counts) -> Iterator[str]:
        if not counts.scheduled:
            return
        which = TaskFilter(run=self._run.name, states=frozenset({State.SCHEDULED}))
        found = self._store.tasks.find(which, limit=_MAX_SCHEDULED)
        due = [task.due_at for task in found if task.due_at is not None]
        if not due:
            return
        waiting = count(counts.scheduled, "task waits", "tasks wait")
        yield f"{waiting} for a later time, the next until {self._at(min(due))}."

    def _partition_holds(self, counts: Counts) -> Iterator[str]:
        if not counts.waiting:
            return
        partitions = self._store.workers.partitions(self._run.name)
        names = [partition.name for partition in partitions if partition.owner_id is None]
        if names:
            more = ", …" if len(names) > _MAX_LISTED else ""
            listed = ", ".join(names[:_MAX_LISTED]) + more
            yield f"{count(len(names), 'partition')} without an owner: {listed}."

    def _lock_holds(self) -> Iterator[str]:
        return transaction_words.holding_locks(self._store.upkeep.transactions())

    def _work_in_words(self, counts: Counts) -> str:
        workers = count(len(self._workers), "worker")
        return f"{counts.ready:,} ready, {counts.leased:,} running on {workers}"

    def _ended(self, task: Task) -> str:
        when = "" if task.ended_at is None else f" at {clock_time(task.ended_at, self._now)}"
        return f"It is {task.state}{when} ({task.reason})."

    def _at(self, at: datetime | None) -> str:
        assert at is not None
        return time_ahead(at, self._now)


def _slots(workers: list[Worker]) -> int:
    return sum(_whole(worker.statistics.get("slots")) for worker in workers)


def _busy(workers: list[Worker]) -> int:
    return sum(_whole(worker.statistics.get("busy", worker.leases)) for worker in workers)


def _whole(value: Any) -> int:
    return value if isinstance(value, int) else 0


def _after_failures(task: Task) -> str:
    return f" after {count(task.attempts, 'attempt')}" if task.attempts else ""


def _progress(progress: Any) -> str:
    return "" if progress is None else f", it says {_shown(progress)}"


def _shown(value: Any) -> str:
    text = value if isinstance(value, str) else repr(value)
    return text if len(text) <= 200 else f"{text[:199]}…"
