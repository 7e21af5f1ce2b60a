"""Answers about tasks, and what chooses them."""

from enum import StrEnum
from typing import Any, Final

from pydantic import Field

from swather.api.answers import MAX_ID, Answer, Event, Given, Number, Page, Task, answer_of
from swather.model.results import StoredFile as StoredFileStruct
from swather.model.results import StoredItem as StoredItemStruct
from swather.model.retry import ErrorClass
from swather.model.task import MAX_NAME_BYTES, State

MAX_LIMIT: Final = 1_000

Item: Any = answer_of(
    StoredItemStruct,
    "Item",
    "Something that a task has found. `partial`: its task has not completed.",
)
File: Any = answer_of(
    StoredFileStruct,
    "File",
    "A file that a task has saved; its content is at /api/v1/runs/RUN/files/POSITION.",
)


class Running(Answer):
    """What its worker says of a task that it executes now."""

    seconds: float = Field(examples=[12.5])
    timeout: float | None = Field(examples=[300.0])
    attempt: int = Field(examples=[1])
    waits_for: str = Field(examples=["its lane"])


class ListedTask(Task):  # type: ignore[misc]
    """A task of a run, and how it stands."""

    running: Running | None = None


class TaskPage(Page):
    """Tasks that match, by number. `searched`: so many were looked at, at most; a filter that
    matches few of very many may give an empty part that is not the last one.
    """

    tasks: list[ListedTask]
    searched: int = Field(examples=[812])


class TaskDetail(ListedTask):
    """A task, what happened to it, and what it left behind: the first 1,000 of each."""

    events: list[Event]
    items: list[Item]
    files: list[File]


class TaskFilter(Given):
    """Which tasks of a run: those that meet all conditions. Lists: any of these."""

    state: list[State] = Field(default=[], examples=[["failed"]])
    reason: list[str] = Field(default=[], max_length=100, examples=[["timeout"]])
    error_class: ErrorClass | None = Field(default=None, description="of the last error")
    group: str | None = Field(
        default=None, max_length=100, description="of the last error; a unique prefix is enough"
    )
    lane: str | None = Field(default=None, max_length=MAX_NAME_BYTES)
    worker: str | None = Field(
        default=None, max_length=MAX_NAME_BYTES, description="which has it, or ended it"
    )
    text: str | None = Field(
        default=None,
        min_length=1,
        max_length=MAX_NAME_BYTES,
        description="part of the target, in upper or lower case",
        examples=["/book/"],
    )
    task: list[Number] = Field(
        default=[], max_length=1_000, description="tasks by number", examples=[[1234, 1235]]
    )


class Order(StrEnum):
    OLDEST = "oldest"
    NEWEST = "newest"


class TaskQuery(TaskFilter):
    """Which tasks to list, and where to begin."""

    stuck: bool = Field(default=False, description="running for much longer than usual")
    order: Order = Order.OLDEST
    after: int = Field(default=0, ge=0, le=MAX_ID, description="where the last part ended: `next`")
    limit: int = Field(default=100, ge=1, le=MAX_LIMIT, description="at most so many")


class _Changed(Answer):
    run: str
    dry_run: bool
    exact: bool = Field(description="false: there may be more than this number", examples=[True])
    action: int | None = Field(
        description="what does it in the background; null if it is done, or would not be"
    )


class RetriedTasks(_Changed):
    """How many tasks are ready again, or will be."""

    retried: int = Field(examples=[812])


class CancelledTasks(_Changed):
    """How many tasks were cancelled, or will be."""

    cancelled: int = Field(examples=[812])
    whole_run: bool = Field(examples=[False])


class EventPage(Page):
    """What happened to tasks of a run, in the order in which it did."""

    events: list[Event]
