"""Answers about schedules and notices, and what adds one."""

from datetime import datetime
from typing import Any

from pydantic import Field

from swather.api.answers import Answer, Given, Number
from swather.model.schedule import Overlap
from swather.model.task import MAX_NAME_BYTES


class Firing(Answer):
    """What became of a due time."""

    due_at: datetime
    fired_at: datetime
    missed: int = Field(description="due times before it that had passed unseen", examples=[0])
    state: str = Field(examples=["loaded"])
    run: str | None
    run_state: str | None = Field(examples=["finished"])
    reason: str = Field(examples=[""])


class Schedule(Answer):
    """When runs of a scraper start by themselves."""

    schedule: str
    scraper: str
    cron: str
    timezone: str
    overlap: str = Field(examples=["skip"])
    params: dict[str, Any] = Field(examples=[{"pages": 3}])
    targets: list[str] = Field(examples=[["https://example.com/new"]])
    origin: str = Field(description="the file it comes from, if any", examples=["swather.toml"])
    enabled: bool = Field(examples=[True])
    next_at: datetime | None
    firings: list[Firing]


class NewSchedule(Given):
    """A schedule of a registered scraper. Without `targets`, those that it is registered with."""

    scraper: str = Field(min_length=1, max_length=200)
    cron: str = Field(
        max_length=200, description="minute, hour, day, month, day of the week; or @daily, …"
    )
    schedule: str | None = Field(
        default=None, min_length=1, max_length=MAX_NAME_BYTES, description="its name"
    )
    timezone: str = Field(default="UTC", max_length=100)
    overlap: Overlap = Overlap.SKIP
    params: dict[str, Any] = Field(default={}, examples=[{"pages": 3}])
    targets: list[str] = Field(default=[], max_length=1_000, examples=[["https://example.com/new"]])


class RemovedSchedule(Answer):
    removed: str = Field(examples=["books"])


class Delivery(Answer):
    """What became of a notice at a hook."""

    hook: str = Field(examples=["webhook hooks.example.com"])
    state: str = Field(examples=["delivered"])
    attempts: int = Field(examples=[1])
    error: str | None = Field(examples=[None])


class Notice(Answer):
    """A notification of something that happened."""

    notice: int = Field(examples=[17])
    uid: str = Field(examples=["3f0c9a52"])
    kind: str = Field(examples=["run_finished"])
    at: datetime
    scraper: str | None
    run: str | None
    text: str
    data: dict[str, Any] = Field(examples=[{}])
    deliveries: list[Delivery]


class RetryNotices(Given):
    """Which notices to deliver again; all that were not delivered, by default."""

    notices: list[Number] | None = Field(default=None, max_length=1_000, examples=[[17, 18]])


class RetriedNotices(Answer):
    retried: int = Field(examples=[2])
