"""Answers about runs, and what starts one."""

from datetime import datetime
from typing import Any, Final

from pydantic import Field

from swather.api.answers import Answer, Counts, Given, Reason, WorkerOfRun

MAX_TARGETS: Final = 10_000


class RunRow(Answer):
    """A run in a list. `state` is open, paused, finished or cancelled."""

    run: str
    scraper: str
    state: str
    tasks: int
    completed: int
    failed: int
    unfinished: int
    items: int
    keep_open: bool
    created_at: datetime
    finished_at: datetime | None


class RunStatus(Answer):
    """How a run stands at this moment."""

    run: str
    scraper: str
    state: str
    paused: bool
    loading: bool = Field(description="somebody adds targets now")
    load_incomplete: bool
    counts: Counts
    running: int
    prefetched: int
    rate_per_second: float | None = Field(description="null while it is unknown")
    rate_per_hour: float | None
    success_rate: float | None = Field(description="completed of completed and failed")
    eta_seconds: float | None
    estimated_completion: str | None = Field(examples=["~2h 15m"])
    limited_by: str
    seconds: float
    reasons: list[Reason]
    oldest: dict[str, Any] | None
    workers: list[WorkerOfRun]
    errors: dict[str, int]
    recent_errors: list[dict[str, Any]]
    sources: list[dict[str, Any]]
    created_at: datetime
    held_up: list[str]


class RunInBrief(Answer):
    """A run among others. `state` is open, paused, finished or cancelled."""

    run: str
    state: str
    done: int = Field(examples=[812])
    total: int = Field(examples=[1000])
    running: int = Field(examples=[8])
    failed: int = Field(examples=[3])
    items: int = Field(examples=[809])
    estimated_completion: str | None = Field(examples=["~2h 15m"])
    reasons: list[Reason]


class WorkerInBrief(Answer):
    """A worker among others."""

    worker: str
    worker_id: int
    state: str = Field(examples=["working"])
    running: int = Field(examples=[8])
    version: str = Field(examples=["1.0"])


class Overview(Answer):
    """The newest runs, the live workers, and what holds all of them up, in words."""

    runs: list[RunInBrief]
    workers: list[WorkerInBrief]
    held_up: list[str] = Field(examples=[[]])


class Stats(Answer):
    """The five numbers of a run. `remaining` is pending + claimed."""

    run: str
    pending: int = Field(examples=[120])
    claimed: int = Field(examples=[8])
    completed: int = Field(examples=[860])
    failed: int = Field(examples=[12])
    remaining: int = Field(examples=[128])


class Why(Answer):
    """What holds a run or a task back; the first reason says how it stands."""

    run: str
    task: int | None
    reasons: list[Reason]


class NewRun(Given):
    """A run to start. Without `targets`, those that the scraper is registered with are used."""

    scraper: str = Field(description="the name of a registered scraper", max_length=200)
    targets: list[Any] | None = Field(
        default=None,
        description="any JSON values; more of them come by upload",
        max_length=MAX_TARGETS,
        examples=[["https://example.com/book/1"]],
    )
    params: dict[str, Any] = Field(default={}, examples=[{"max_pages": 3}])
    keep_open: bool = Field(default=False, description="do not finish it: more targets will come")
    new: bool = Field(
        default=True,
        description="false: the same scraper, targets and params continue the run that they began; "
        "so a request whose answer was lost can be sent again",
    )


class NewTargets(Given):
    """Targets for a run; those that it has already are left alone."""

    targets: list[Any] = Field(
        min_length=1, max_length=MAX_TARGETS, examples=[["https://example.com/book/2"]]
    )


class StartedRun(Answer):
    """A run that waits for workers. `worker_command` starts one where the scraper's code is."""

    status: str = Field(examples=["queued"])
    run: str
    run_id: str
    enqueued: int = Field(description="targets that the run did not have yet")
    worker_command: str | None
    worker_environment: list[str] = Field(description="variables that the command needs")


class AddedTargets(Answer):
    """What became of targets."""

    run: str
    enqueued: int
    duplicates: int
    skipped: int
    skipped_lines: list[str] = Field(description="the first of them, in words")


class PausedRun(Answer):
    """A run, and whether it is paused now."""

    run: str
    paused: bool


class CancelledRun(Answer):
    """How many tasks were cancelled; null with an `action`, which does it in the background."""

    run: str
    cancelled: int | None
    whole_run: bool
    dry_run: bool
    action: int | None


class ClosedRun(Answer):
    run: str
    was_kept_open: bool
    state: str = Field(examples=["open"])
    unfinished: int


class RemovedRun(Answer):
    """What is removed; with an `action`, in the background."""

    removed: dict[str, int] = Field(examples=[{"runs": 1, "tasks": 1000}])
    runs: list[str]
    dry_run: bool
    action: int | None
