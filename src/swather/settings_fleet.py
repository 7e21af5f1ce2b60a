"""Settings of fleets: how many workers they have, where these run, how they start and log, and what
workers tell monitoring.
"""

import re
from typing import Any, Final
from urllib.parse import urlsplit

from pydantic import Field, field_validator
from pydantic_settings import BaseSettings

# A year, as for other settings of time.
_LONGEST_SECONDS: Final = 31_536_000
_LONGEST_STAGGER_SECONDS: Final = 3_600
_SPAN: Final = re.compile(r"\s*(\d+(?:\.\d+)?)\s*(?:-\s*(\d+(?:\.\d+)?)\s*)?")


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
    ray_packages: str = Field(
        default="",
        description="packages that Ray installs for the workers on its nodes, separated by "
        "commas: 'swather[browser], pandas'",
    )
    ray_cpus_per_worker: float = Field(
        default=0.5,
        ge=0,
        le=1_000,
        description="CPUs that Ray reserves for each worker",
    )
    stagger_seconds: str = Field(
        default="2-5",
        description="seconds between the starts of two workers when a fleet comes up: '3', or "
        "'2-5' for a random time between the two",
    )
    restarts_per_hour: int = Field(
        default=5,
        ge=0,
        le=1_000,
        description="how often a worker of a fleet is restarted within an hour after crashes",
    )
    log_file_mb: float = Field(
        default=10.0, gt=0, le=100_000, description="size at which a fleet's log file is rotated"
    )
    log_files: int = Field(
        default=5, ge=0, le=1_000, description="older log files that are kept of each"
    )
    log_targets: bool | None = Field(
        default=None,
        description="whether workers log a line for each target; only those of a fleet if unset",
    )

    metrics_port: int = Field(
        default=0,
        ge=0,
        le=65_535,
        description="port on which a worker serves its own metrics, plus its number; 0: off",
    )
    metrics_host: str = Field(
        default="127.0.0.1",
        min_length=1,
        description="address for these metrics; others than this machine need api_read_token",
    )

    tracing_endpoint: str | None = Field(
        default=None,
        min_length=1,
        description="collector that workers send OpenTelemetry traces to, over OTLP: "
        "'http://localhost:4318'; off if unset",
    )
    tracing_share: float = Field(
        default=1.0, ge=0, le=1, description="share of the tasks that are traced"
    )

    @field_validator("tracing_endpoint")
    @classmethod
    def _is_a_collector(cls, value: str | None) -> str | None:
        parts = None if value is None else urlsplit(value)
        if parts is not None and not (parts.scheme in ("http", "https") and parts.hostname):
            raise ValueError("should look like http://localhost:4318")
        return value

    @field_validator("stagger_seconds", mode="before")
    @classmethod
    def _may_be_a_number(cls, value: Any) -> Any:
        return str(value) if type(value) in (int, float) else value

    @field_validator("stagger_seconds")
    @classmethod
    def _is_a_span(cls, value: str) -> str:
        least, most = span_of(value)
        if not least <= most <= _LONGEST_STAGGER_SECONDS:
            raise ValueError("should be at most an hour, the shorter time first")
        return value.strip()


def span_of(text: str) -> tuple[float, float]:
    """'2-5' as (2.0, 5.0), '3' as (3.0, 3.0)."""
    match = _SPAN.fullmatch(text)
    if match is None:
        raise ValueError("should look like '3' or '2-5'")
    least = float(match[1])
    return least, float(match[2] or least)
