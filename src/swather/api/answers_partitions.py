"""Answers about partitions, and how to deal them out."""

from pydantic import Field

from swather.api.answers import Answer, Given


class Partition(Answer):
    """Who serves a partition, and what is left to do in it."""

    partition: str
    planned: int | None = Field(description="the worker number of the plan", examples=[3])
    worker: str | None
    leaving: bool = Field(examples=[False])
    waiting: int = Field(examples=[120])
    running: int = Field(examples=[2])


class Plan(Given):
    """How many workers to deal partitions out to; with `apply`, workers follow it."""

    workers: int = Field(strict=True, ge=1, le=10_000, examples=[10])
    apply: bool = False


class GivenPlan(Given):
    """A plan to look at: the partitions of each worker number."""

    plan: dict[str, list[str]] = Field(
        max_length=10_000, examples=[{"0": ["bavaria", "berlin"], "1": ["saxony"]}]
    )


class Mistake(Answer):
    kind: str = Field(examples=["missing"])
    text: str = Field(examples=["no worker serves hesse"])


class CheckedPlan(Answer):
    """What is wrong with a plan, compared with the partitions of a run."""

    valid: bool
    workers: int = Field(examples=[2])
    partitions: int = Field(examples=[3])
    mistakes: list[Mistake]


class Planned(Answer):
    """The partitions of one worker number, and what is left to do in them."""

    planned: int = Field(examples=[0])
    partitions: list[str] = Field(examples=[["bavaria", "berlin"]])
    left: int = Field(examples=[240])
