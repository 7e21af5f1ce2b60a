"""Answers about workers and fleets, and what is wanted of them."""

from datetime import datetime

from pydantic import Field, model_validator

from swather.api.answers import Answer, Given
from swather.model.supervisor import MAX_WORKERS


class RunningTarget(Answer):
    """A target that a worker executes now."""

    run: str
    task: int
    target: str
    seconds: float = Field(examples=[1.5])
    worker: str
    timeout: float | None = Field(examples=[300.0])
    attempt: int = Field(examples=[1])
    waits_for: str = Field(examples=[""])


class Worker(Answer):
    """A live worker: who it is, what it has done since its start, what it does now."""

    worker: str
    worker_id: int
    worker_number: int | None = Field(description="its place in its fleet", examples=[2])
    state: str = Field(description="working, paused, draining or stopping", examples=["working"])
    paused: bool = Field(examples=[False])
    leaving: str = Field(description="how it is to end: drain, stop, or empty", examples=[""])
    host: str = Field(examples=["host"])
    process: int = Field(examples=[4711])
    version: str = Field(examples=["1.0"])
    slots: int = Field(examples=[10])
    busy: int = Field(examples=[8])
    leases: int = Field(examples=[12])
    completed: int = Field(examples=[812])
    failed: int = Field(examples=[3])
    retried: int = Field(examples=[7])
    average_seconds: float | None = Field(examples=[0.8])
    uptime_seconds: float = Field(examples=[600.0])
    silent_seconds: float = Field(examples=[0.4])
    trouble: str = Field(description="what it waits for", examples=[""])
    lacks_proxies: bool = Field(examples=[False])
    current: list[RunningTarget]
    registered_at: datetime
    beat_at: datetime


class PausedWorkers(Answer):
    """Workers of this name or number, and whether they are paused now."""

    workers: list[str] = Field(examples=[["host_4711_2"]])
    paused: bool


class LeavingWorkers(Answer):
    """Workers of this name or number, which end within a second or when their targets have."""

    workers: list[str] = Field(examples=[["host_4711_2"]])
    state: str = Field(examples=["draining"])


class FleetWorker(Answer):
    """A worker as the supervisor of its fleet sees it."""

    worker_number: int | None = Field(examples=[2])
    state: str | None = Field(examples=["running"])
    where: str | None = Field(examples=["process 4711"])
    crashes: int | None = Field(examples=[0])
    why: str | None = Field(examples=[""])
    worker_id: int | None
    busy: int | None = Field(examples=[8])
    completed: int | None = Field(examples=[812])
    failed: int | None = Field(examples=[3])


class Fleet(Answer):
    """A fleet: how many workers are wanted, and those that there are."""

    fleet: str
    state: str = Field(description="live, retired or lost", examples=["live"])
    host: str = Field(examples=["host"])
    process: int = Field(examples=[4711])
    placement: str = Field(examples=["local"])
    wanted: int
    minimum: int | None = Field(description="if it scales itself", examples=[None])
    maximum: int | None = Field(examples=[None])
    restarting: bool = Field(examples=[False])
    stopping: bool = Field(examples=[False])
    registered_at: datetime
    beat_at: datetime
    command: str = Field(examples=["swather fleet up books --workers 4"])
    log_folder: str | None = Field(examples=["logs"])
    workers: list[FleetWorker]


class Scale(Given):
    """How many workers a fleet shall have."""

    workers: int = Field(strict=True, ge=0, le=MAX_WORKERS, examples=[4])


class Bounds(Given):
    """Between which numbers a fleet scales itself."""

    minimum: int = Field(strict=True, ge=0, le=MAX_WORKERS, examples=[1])
    maximum: int = Field(strict=True, ge=1, le=MAX_WORKERS, examples=[8])

    @model_validator(mode="after")
    def _in_order(self) -> "Bounds":
        if self.minimum > self.maximum:
            raise ValueError("minimum must not be more than maximum")
        return self


class Stop(Given):
    """How a fleet is to stop."""

    now: bool = Field(default=False, description="give running targets back, do not finish them")


class Ordered(Answer):
    """What a fleet was told; it obeys within a second or so."""

    fleet: str
    wanted: int
    minimum: int | None = Field(examples=[None])
    maximum: int | None = Field(examples=[None])
    restarting: bool = Field(examples=[False])
    stopping: bool = Field(examples=[False])
