"""Why: what holds a run or a task back, and what happened to a task."""

from collections.abc import Iterator
from datetime import datetime
from typing import Any, Final

from swather.errors import InputError
from swather.model.retry import ErrorClass
from swather.model.run import Counts, Run, RunState
from swather.model.task import State, Task
from swather.model.whole_number import whole_number
from swather.runs import breaker_words
from swather.runs.partition_words import partition_reasons
from swather.runs.reason import Reason
from swather.runs.reasons import (
    lane_reasons,
    lock_reasons,
    own_reasons,
    pool_reasons,
    reasons_of,
    worker_reasons,
)
from swather.runs.situation import Situation
from swather.runs.words import clock_time, count, duration, shortened, time_ahead
from swather.runs.worker_line import RunningTarget
from swather.store import Store

_MAX_EVENTS: Final = 50
_MAX_SHOWN: Final = 200


def why(store: Store, what: str, *, now: datetime | None = None) -> list[Reason]:
    """On the run of that name, or on the task of that number; the first says how it stands."""
    number = whole_number(what)
    if number is not None:
        return why_task(store, number, now=now)
    return why_run(store, what, now=now)


def why_run(store: Store, name: str, *, now: datetime | None = None) -> list[Reason]:
    return why_of(Situation(store, store.runs.get(name), store.runs.counts(name), now))


def why_of(situation: Situation) -> list[Reason]:
    """On a run that was looked at already."""
    run = situation.run
    told = [_standing(run, situation.counts)]
    if run.load_incomplete and not situation.producers:
        partial = situation.store.loads.incomplete(run.name)
        told.append(
            Reason(
                code="load_incomplete",
                text=(
                    f"Not all targets were loaded from {', '.join(partial)}: run that command "
                    "again."
                ),
                values={"sources": partial},
            )
        )
    reasons = reasons_of(situation)
    told += reasons
    if run.state is RunState.OPEN and not reasons:
        told.append(_unhindered(situation))
    return told


def why_task(store: Store, task_id: int, *, now: datetime | None = None) -> list[Reason]:
    """A task's state, what it waits for, and what the event log says about it."""
    if task_id < 1:
        raise InputError(f"a task's number is 1 or more, got {task_id}")
    task = store.tasks.get(task_id)
    run = store.runs.get(task.run)
    situation = Situation(store, run, store.runs.counts(run.name), now)
    return [*_of_task(situation, task), *_history(situation, task)]


def _standing(run: Run, counts: Counts) -> Reason:
    ended = f"{counts.completed:,} completed, {counts.failed:,} failed"
    if counts.cancelled:
        ended += f", {counts.cancelled:,} cancelled"
    said = {
        RunState.OPEN: f"is open: {counts.done:,} of {count(counts.total, 'task')} done",
        RunState.FINISHED: f"is finished: {ended}",
        RunState.CANCELLED: f"was cancelled: {ended}",
    }
    return Reason(
        code=f"run_{run.state}",
        text=f"Run {run.name} {said[run.state]}.",
        values={"run": run.name, "done": counts.done, "total": counts.total},
    )


def _unhindered(situation: Situation) -> Reason:
    counts, workers = situation.counts, count(len(situation.workers), "worker")
    if not counts.unfinished:
        return Reason(
            code="nothing_left", text="Nothing is left to do: a worker will finish it soon."
        )
    return Reason(
        code="nothing_holds",
        text=(
            f"Nothing holds it back: {counts.ready:,} ready, {situation.running:,} running on "
            f"{workers}."
        ),
        values={"ready": counts.ready, "running": situation.running},
    )


def _of_task(situation: Situation, task: Task) -> Iterator[Reason]:
    yield Reason(
        code="task",
        text=f"Task {task.id} of run {task.run}: {_shown(task.target)}",
        values={"task": task.id, "run": task.run, "state": str(task.state)},
    )
    match task.state:
        case State.COMPLETED | State.FAILED | State.CANCELLED:
            yield _ended(situation, task)
        case State.LEASED:
            yield _leased(situation, task)
        case State.SCHEDULED:
            assert task.due_at is not None
            yield _scheduled(situation, task)
            yield from own_reasons(situation)
        case State.READY:
            yield Reason(code="task_ready", text="It is ready and waiting for a worker.")
            yield from own_reasons(situation)
            yield from _lane_of(situation, task)
            yield from pool_reasons(situation, {task.lane})
            yield from worker_reasons(situation)
            if task.partition:
                yield from partition_reasons(situation, {task.partition})
            yield from lock_reasons(situation.store)
    if task.error_class == ErrorClass.LATER and task.state is not State.FAILED:
        return
    if task.error is not None and task.state is not State.COMPLETED:
        yield Reason(
            code="task_error",
            text=f"Its last error ({task.error_class}): {task.error}",
            values={"error_class": task.error_class, "error": task.error},
        )


def _scheduled(situation: Situation, task: Task) -> Reason:
    assert task.due_at is not None
    at = time_ahead(task.due_at, situation.now)
    if task.error_class == ErrorClass.LATER:
        return Reason(
            code="task_postponed",
            text=f"Its scraper postponed it to {at}: {task.error}",
            values={"due_at": task.due_at, "attempts": task.attempts, "message": task.error},
        )
    tried = f" after {count(task.attempts, 'attempt')}" if task.attempts else ""
    return Reason(
        code="task_scheduled",
        text=f"It is waiting to {'retry' if tried else 'start'} at {at}{tried}.",
        values={"due_at": task.due_at, "attempts": task.attempts},
    )


def _ended(situation: Situation, task: Task) -> Reason:
    when = "" if task.ended_at is None else f" at {clock_time(task.ended_at, situation.now)}"
    did = "failed" if task.state is State.FAILED else f"was {task.state}"
    return Reason(
        code=f"task_{task.state}",
        text=f"It {did}{when} ({task.reason}).",
        values={"ended_at": task.ended_at, "reason": task.reason},
    )


def _leased(situation: Situation, task: Task) -> Reason:
    """How long it runs, where, and when it would be stopped; or that it waits for its slot."""
    running = next((each for each in situation.current if each.task == task.id), None)
    progress = "" if task.progress is None else f" Its progress: {_shown(task.progress)}."
    values = {"worker": task.worker, "attempt": task.attempts + 1}
    if running is None:
        since = None if task.claimed_at is None else situation.now - task.claimed_at
        held = "" if since is None else f" for {duration(since.total_seconds())}"
        return Reason(
            code="task_leased",
            text=(
                f"Worker {task.worker} has held it{held} and is running it, or will soon.{progress}"
            ),
            values=values,
        )
    return Reason(
        code="task_running",
        text=(
            f"It has been running for {duration(running.seconds)} on worker {running.worker} "
            f"(attempt {running.attempt}{_timeout_of(running)}){_waits_of(running)}.{progress}"
        ),
        values={
            **values,
            "attempt": running.attempt,
            "seconds": round(running.seconds, 1),
            "timeout": running.timeout,
            "waits_for": running.waits_for or None,
        },
    )


def _timeout_of(running: RunningTarget) -> str:
    return "" if running.timeout is None else f", its timeout is {duration(running.timeout)}"


def _waits_of(running: RunningTarget) -> str:
    """The clock of its timeout stands still meanwhile."""
    return f"; it is waiting for {running.waits_for}" if running.waits_for else ""


def _lane_of(situation: Situation, task: Task) -> Iterator[Reason]:
    store = situation.store
    if task.lane:
        yield from lane_reasons(situation, store.lanes.get(task.lane))
    for breaker in store.breakers.find(scraper=situation.run.scraper, lane=task.lane):
        yield breaker_words.describe(breaker, url=situation.url, now=situation.now)


def _history(situation: Situation, task: Task) -> Iterator[Reason]:
    for event in situation.store.events.find(task.run, task_id=task.id, limit=_MAX_EVENTS):
        by = f" by worker {event.worker_id}" if event.worker_id is not None else ""
        message = f": {event.message}" if event.message else ""
        yield Reason(
            code="event",
            text=f"{clock_time(event.at, situation.now)} {event.kind}{by}{message}",
            values={"at": event.at, "kind": str(event.kind), "worker_id": event.worker_id},
        )


def _shown(value: Any) -> str:
    return shortened(value if isinstance(value, str) else repr(value), _MAX_SHOWN)
