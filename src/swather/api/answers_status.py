"""Answers about the whole: its health and its history."""

from datetime import datetime

from pydantic import Field

from swather.api.answers import Answer


class HealthCheck(Answer):
    what: str = Field(examples=["database"])
    health: str = Field(examples=["ok"])
    said: str = Field(examples=["PostgreSQL 17.2, schema version 31"])


class Health(Answer):
    """Whether the server and its database work. If the database is away, the answer is 503."""

    health: str = Field(description="ok, warning or PROBLEM: the worst of all", examples=["ok"])
    version: str = Field(examples=["1.0"])
    checks: list[HealthCheck]


class HistoryPoint(Answer):
    """A span of time that ends `at`: what ended in it per second, and what waits and runs at its
    end.
    """

    at: datetime
    seconds: float = Field(examples=[30.0])
    completed: float = Field(examples=[120.0])
    failed: float = Field(examples=[1.0])
    cancelled: float = Field(examples=[0.0])
    retried: float = Field(examples=[2.0])
    items: float = Field(examples=[118.0])
    ready: int = Field(examples=[700])
    scheduled: int = Field(examples=[2])
    leased: int = Field(examples=[8])
    latency_p50: float | None = Field(description="in seconds", examples=[0.2])
    latency_p95: float | None = Field(examples=[0.9])
    statuses: dict[str, float] = Field(examples=[{"200": 119.0}])
    classes: dict[str, float] = Field(examples=[{"timeout": 2.0}])
