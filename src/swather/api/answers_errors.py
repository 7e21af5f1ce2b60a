"""Answers about what went wrong."""

from datetime import datetime

from pydantic import Field

from swather.api.answers import Answer


class Happened(Answer):
    """How often something happened in a span of time."""

    began_at: datetime
    seconds: float = Field(examples=[900])
    count: int = Field(examples=[3])


class ErrorGroup(Answer):
    """Failures that look the same. `count` includes attempts that were retried; `failed` is how
    many tasks failed so in the end. `task`, `message` and `traceback` are those of a sample.
    """

    group: str
    run: str
    error_class: str
    count: int
    failed: int = Field(description="500 if there are more", examples=[8])
    title: str
    where: str = Field(examples=["books.py:12 in books"])
    task: int
    first_at: datetime
    last_at: datetime
    message: str = Field(examples=["no answer for 30 s"])
    traceback: str
    muted: bool = Field(description="people do not want to see it", examples=[False])
    when: list[Happened] = Field(
        description="in the last 24 hours, as workers told it, the quarters of an hour in which "
        "it happened; rare groups among very many may be missing"
    )


class MutedGroup(Answer):
    """A group, and whether people want to see it."""

    run: str
    group: str
    muted: bool
