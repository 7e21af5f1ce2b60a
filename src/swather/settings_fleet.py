"""Settings of fleets: how many workers they have, and where these run."""

from typing import Final

from pydantic import Field
from pydantic_settings import BaseSettings

# A year, as for other settings of time.
_LONGEST_SECONDS: Final = 31_536_000


class FleetSettings(BaseSettings):
    """Those of `swather fleet`. The largest number of workers is the setting `workers`."""

    min_workers: int = Field(
        default=1,
        ge=0,
        le=100_000,
        description="fewest workers of a fleet that scales itself; 0 lets it stop all",
    )
    tasks_per_worker: int = Field(
        default=1_000,
        ge=1,
        description="tasks of the backlog for each worker of a fleet that scales itself",
    )
    worker_memory_mb: int = Field(
        default=200,
        ge=1,
        description="memory that a worker may need, in MB; a fleet that scales itself starts no "
        "more workers than fit, and Ray reserves as much for each",
    )
    scale_down_seconds: float = Field(
        default=300.0,
        ge=0,
        le=_LONGEST_SECONDS,
        description="seconds for which fewer workers must suffice before a fleet stops some",
    )
    ray_address: str | None = Field(
        default=None,
        min_length=1,
        description="the Ray cluster for `fleet up --on ray`: 'auto' or host:port; one on this "
        "machine is started if unset",
    )
    ray_cpus_per_worker: float = Field(
        default=0.5,
        ge=0,
        le=1_000,
        description="CPUs that Ray reserves for each worker",
    )
