"""Answers about the database as a whole."""

from typing import Any

from pydantic import ConfigDict, Field

from swather.api.answers import Answer


class RecentRun(Answer):
    """A run, and how many of its tasks are in each state."""

    run: str
    state: str = Field(examples=["open"])
    waiting: int = Field(examples=[120])
    leased: int = Field(examples=[8])
    completed: int = Field(examples=[812])
    failed: int = Field(examples=[3])
    cancelled: int = Field(examples=[0])
    items: int = Field(examples=[9_120])


class DatabaseStats(Answer):
    """What a database holds. Which sizes it knows besides depends on the database."""

    model_config = ConfigDict(extra="allow")

    tasks: dict[str, int] = Field(examples=[{"ready": 120, "completed": 812}])
    recent_runs: list[RecentRun]


class Pragma(Answer):
    """A setting of the database, as our connections see it, and why."""

    value: Any = Field(examples=["wal"])
    why: str = Field(examples=["readers and the one writer do not wait for each other"])


class DatabaseChecked(Answer):
    """What is wrong with the database or with the queue in it; nothing if it is sound."""

    ok: bool
    wrong: list[str] = Field(examples=[[]])


class WriteAheadLog(Answer):
    """The write-ahead log after a checkpoint; what is known of it depends on the database."""

    model_config = ConfigDict(
        extra="allow",
        json_schema_extra={"examples": [{"pages": 12, "moved": 12, "wal_bytes": 0}]},
    )


class RunDemand(Answer):
    """What one open run could use workers for."""

    model_config = ConfigDict(extra="allow")

    run: str
    scraper: str


class Wanted(Answer):
    """How many workers the waiting work can use, and what decides that."""

    wanted: int = Field(examples=[4])
    reason: str = Field(examples=["3,200 tasks, 1,000 per worker"])
    workers: int = Field(description="that run now", examples=[2])
    backlog: int = Field(examples=[3_200])
    usable_slots: int = Field(examples=[80])
    partitions: int | None = Field(examples=[None])
    tasks_per_worker: int = Field(examples=[1_000])
    slots_per_worker: int = Field(examples=[10])
    runs: list[RunDemand]
