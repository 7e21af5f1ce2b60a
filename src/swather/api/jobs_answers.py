"""The answers of /jobs, with the names that clients of a job queue know."""

from typing import Annotated, Final

from pydantic import BaseModel, ConfigDict, Field

from swather.model.supervisor import MAX_WORKERS

NumWorkers = Annotated[
    int, Field(strict=True, ge=1, le=MAX_WORKERS, description="how many workers shall run")
]
_ESTIMATE: Final = "until the last of the runs that move is done; null while nothing moves"


class Number(BaseModel):
    """How many workers to start."""

    model_config = ConfigDict(extra="forbid", json_schema_extra={"examples": [{"num_workers": 3}]})

    num_workers: NumWorkers


class MaybeNumber(BaseModel):
    """How many workers there shall be after a restart; as many as before without it."""

    model_config = ConfigDict(extra="forbid", json_schema_extra={"examples": [{"num_workers": 2}]})

    num_workers: NumWorkers | None = None


class WorkerStatus(BaseModel):
    running: bool = Field(description="whether workers are wanted, or at work", examples=[True])
    num_workers: int = Field(description="how many are wanted", examples=[5])
    active_workers: int = Field(description="how many are at work", examples=[5])
    total_processed: int = Field(description="targets of all runs that completed", examples=[42])
    total_failed: int = Field(description="targets of all runs that failed", examples=[3])
    startup_recovery_done: bool = Field(
        description="whether all that dead workers held was given back", examples=[True]
    )


class Metrics(BaseModel):
    processing_rate_per_hour: float = Field(
        description="targets that end per hour, lately", examples=[127.5]
    )
    success_rate: float | None = Field(
        description="processed / (processed + failed); null before anything has ended",
        examples=[0.933],
    )
    estimated_completion_time: str | None = Field(description=_ESTIMATE, examples=["~2h 15m"])


class Features(BaseModel):
    parallel_processing: bool
    atomic_job_claiming: bool
    exponential_backoff: bool
    graceful_shutdown: bool
    real_time_monitoring: bool


class Status(BaseModel):
    """How the workers are, and how the work goes."""

    worker_status: WorkerStatus
    performance_metrics: Metrics
    features: Features


class Queue(BaseModel):
    """How many targets are in each state; `remaining` is pending and processing."""

    pending: int = Field(description="waiting, also for a retry", examples=[812])
    processing: int = Field(examples=[5])
    completed: int = Field(examples=[42])
    failed: int = Field(examples=[3])
    cancelled: int = Field(examples=[0])
    remaining: int = Field(examples=[817])
    total: int = Field(examples=[862])


class QueueStats(Queue):
    active_runs: int = Field(description="runs that are open", examples=[1])


class PerformanceMetrics(Metrics):
    average_runtime_seconds: float | None = Field(
        description="of an attempt; null before any has ended", examples=[1.85]
    )


class WorkerPerformance(BaseModel):
    """What one worker has done since it was started."""

    name: str = Field(examples=["host-serve-0"])
    total_processed: int = Field(examples=[21])
    total_failed: int = Field(examples=[1])
    total_retried: int = Field(examples=[2])
    success_rate: float | None = Field(examples=[0.955])
    average_runtime_seconds: float | None = Field(examples=[1.85])
    uptime_seconds: float = Field(examples=[600.0])
    running: int = Field(description="targets that it executes now", examples=[4])


class Performance(BaseModel):
    """How fast the work goes, over all workers and by each."""

    performance_metrics: PerformanceMetrics
    queue: Queue
    workers: list[WorkerPerformance]


class Ordered(BaseModel):
    """What was ordered; the supervisor obeys within a second or so."""

    message: str = Field(examples=["3 workers of fleet host-serve start"])
    num_workers: int = Field(description="how many are wanted now", examples=[3])
