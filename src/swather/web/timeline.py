"""What has happened to a task, step by step: from its events, and from what its row says."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from itertools import pairwise
from typing import Final

from swather.errors import NotFound
from swather.model.retry import ErrorClass
from swather.model.task import Event, EventKind, State, Task
from swather.store import Store

_BEGINS: Final = frozenset({EventKind.CLAIMED, EventKind.STARTED})
_ENDS: Final = frozenset(
    {
        EventKind.COMPLETED,
        EventKind.FAILED,
        EventKind.RETRY,
        EventKind.RELEASED,
        EventKind.SWEPT,
        EventKind.CANCELLED,
    }
)
_WORDS: Final = {
    EventKind.CREATED: "queued",
    EventKind.CLAIMED: "claimed",
    EventKind.STARTED: "started",
    EventKind.PROGRESS: "log",
    EventKind.COMPLETED: "completed",
    EventKind.FAILED: "failed",
    EventKind.RETRY: "failed, to be retried",
    EventKind.RELEASED: "given back",
    EventKind.SWEPT: "lost",
    EventKind.CANCELLED: "cancelled",
}
# The state that gives each its colour.
_STATES: Final = {
    EventKind.CREATED: State.READY,
    EventKind.CLAIMED: State.LEASED,
    EventKind.STARTED: State.LEASED,
    EventKind.PROGRESS: State.LEASED,
    EventKind.COMPLETED: State.COMPLETED,
    EventKind.FAILED: State.FAILED,
    EventKind.RETRY: State.SCHEDULED,
    EventKind.RELEASED: State.READY,
    EventKind.SWEPT: State.SCHEDULED,
    EventKind.CANCELLED: State.CANCELLED,
}


@dataclass(frozen=True, kw_only=True)
class Step:
    """One thing that happened. `state` is the colour of it; `seconds` have passed since the step
    before, `share` is that in percent of the longest; `egress` is what its last request
    left through, if not directly; `meanwhile` it ran, waited, or nobody logged which ("after").
    """

    at: datetime
    what: str
    state: str
    attempt: int | None = None
    worker: str = ""
    message: str = ""
    error_class: str = ""
    group: str = ""
    egress: str = ""
    seconds: float | None = None
    share: float = 0.0
    meanwhile: str = "after"
    is_log: bool = False


def timeline(
    task: Task, events: Sequence[Event], workers: Mapping[int, str], now: datetime
) -> list[Step]:
    """The oldest first."""
    steps = sorted(_steps(task, events, workers), key=lambda step: step.at)
    return _measured(steps, task, now)


def _steps(task: Task, events: Sequence[Event], workers: Mapping[int, str]) -> Iterator[Step]:
    if all(event.kind is not EventKind.CREATED for event in events):
        yield Step(at=task.created_at, what="queued", state=State.READY)
    attempt, is_running = 1, False
    last: EventKind | None = None
    for event in events:
        if event.kind is not EventKind.PROGRESS:
            last = event.kind
        is_running = event.kind in _BEGINS or (is_running and event.kind not in _ENDS)
        of_attempt = None if event.kind is EventKind.CREATED else attempt
        yield logged_step(event, workers, of_attempt)
        if event.kind in _ENDS:
            attempt += 1
    if task.state is State.LEASED and not is_running and task.claimed_at is not None:
        yield Step(
            at=task.claimed_at,
            what="claimed",
            state=State.LEASED,
            worker=task.worker or "",
            attempt=attempt,
        )
    is_missing = task.state.is_terminal and (last is None or last.value != task.state.value)
    if is_missing and task.ended_at is not None:
        yield Step(
            at=task.ended_at,
            what=str(task.state),
            state=task.state,
            worker=task.worker or "",
            message=task.reason or "",
            attempt=attempt,
        )


def logged_step(event: Event, workers: Mapping[int, str], attempt: int | None = None) -> Step:
    """An event alone; `workers` are their names by number."""
    data = event.data or {}
    is_log = event.kind is EventKind.PROGRESS
    error_class = str(data.get("class") or "")
    is_postponed = error_class == ErrorClass.LATER
    return Step(
        at=event.at,
        what=str(data.get("level") or "log") if is_log else _WORDS[event.kind],
        state=State.SCHEDULED if is_postponed else _STATES[event.kind],
        worker=_worker(event.worker_id, workers),
        message=event.message,
        error_class=error_class,
        group=str(data.get("group") or ""),
        egress=str(data.get("egress") or ""),
        attempt=attempt,
        is_log=is_log,
    )


def worker_names(store: Store, events: Sequence[Event]) -> dict[int, str]:
    """Of the workers in these events; those that are long gone have none."""
    names = {}
    for number in {event.worker_id for event in events if event.worker_id is not None}:
        try:
            names[number] = store.workers.get(number).name
        except NotFound:
            continue
    return names


def _worker(number: int | None, workers: Mapping[int, str]) -> str:
    return "" if number is None else workers.get(number, f"worker {number}")


def _measured(steps: list[Step], task: Task, now: datetime) -> list[Step]:
    """Each with the time since the one before; what goes on still counts until now."""
    gaps = [(later.at - earlier.at).total_seconds() for earlier, later in pairwise(steps)]
    longest = max(gaps, default=0.0) or 1.0
    measured = steps[:1]
    for gap, earlier, step in zip(gaps, steps, steps[1:], strict=False):
        waits = step.state == State.LEASED
        meanwhile = "ran" if earlier.state == State.LEASED else "waited" if waits else "after"
        measured.append(
            replace(
                step,
                seconds=max(gap, 0.0),
                share=100 * max(gap, 0.0) / longest,
                meanwhile=meanwhile,
            )
        )
    if task.state is State.LEASED and measured:
        since = (now - measured[-1].at).total_seconds()
        measured.append(
            Step(
                at=now, what="running", state=State.LEASED, seconds=max(since, 0.0), meanwhile="ran"
            )
        )
    return measured
