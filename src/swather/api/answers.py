"""Answers of the API: how each looks, for the OpenAPI document and for those who read it.

Names are those of `--json`. Members may be added in any release.
"""

from collections.abc import Mapping
from typing import Annotated, Any, Final, get_args, get_origin

import msgspec
from pydantic import BaseModel, ConfigDict, Field, create_model

from swather.masking import masked_data
from swather.model.action import Action as ActionStruct
from swather.model.run import Counts as CountsStruct
from swather.model.task import Event as EventStruct
from swather.model.task import Task as TaskStruct
from swather.runs.json_names import NAMES, named
from swather.runs.worker_line import WorkerLine

MAX_ID: Final = 2**63 - 1
Number = Annotated[int, Field(ge=1, le=MAX_ID)]

# One example for each name, wherever it stands.
EXAMPLES: Final[Mapping[str, Any]] = {
    "run": "20260215_120000-books",
    "scraper": "books",
    "state": "open",
    "task": 1234,
    "target": "https://example.com/book/1",
    "lane": "example.com",
    "partition": "bavaria",
    "worker": "host_4711_2",
    "worker_id": 7,
    "group": "9f2c4b1d",
    "error_class": "timeout",
    "title": "ReadTimeout: no answer for 30 s",
    "text": "Run 20260215_120000-books is open: 812 of 1,000 tasks done",
    "fleet": "local",
    "wanted": 4,
    "action": 42,
    "proxy": 3,
    "url": "http://198.51.100.7:3128",
    "source": "flickr",
    "schedule": "books",
    "cron": "0 2 * * *",
    "timezone": "Europe/Berlin",
    "count": 12,
    "created_at": "2026-02-15T12:00:00Z",
    "worker_command": "swather worker books --run 20260215_120000-books",
    "dry_run": False,
}


def _with_examples(schema: dict[str, Any]) -> None:
    for name, member in schema.get("properties", {}).items():
        if name in EXAMPLES and "examples" not in member:
            member["examples"] = [EXAMPLES[name]]


class Answer(BaseModel):
    """An object that may get more members."""

    model_config = ConfigDict(extra="allow", json_schema_extra=_with_examples)


class Given(BaseModel):
    """The body of a request: what it does not know, it refuses."""

    model_config = ConfigDict(extra="forbid", json_schema_extra=_with_examples)


def shown(value: Any) -> Any:
    """Structs as JSON under the names of `--json`, without the passwords in their texts."""
    return masked_data(named(value))


def answer_of(struct: type[msgspec.Struct], name: str, about: str) -> Any:
    """The answer that `shown` makes of a struct."""
    names = NAMES.get(struct.__name__, {})
    members: dict[str, Any] = {
        names.get(field.name, field.name): (_type_of(field.type), Field())
        for field in msgspec.structs.fields(struct)
    }
    return create_model(name, __base__=Answer, __doc__=about, **members)


def _type_of(kind: Any) -> Any:
    """The type of a member; structs inside become answers of their own."""
    if isinstance(kind, type) and issubclass(kind, msgspec.Struct):
        return answer_of(kind, kind.__name__, (kind.__doc__ or "").strip())
    inside = get_args(kind)
    if get_origin(kind) is list:
        return list[_type_of(inside[0])]  # type: ignore[misc]
    return kind


Counts: Any = answer_of(CountsStruct, "Counts", "How many tasks are in each state, and results.")
Task: Any = answer_of(TaskStruct, "Task", "A task of a run, and how it stands.")
Event: Any = answer_of(EventStruct, "Event", "What happened to a task.")
WorkerOfRun: Any = answer_of(WorkerLine, "WorkerOfRun", "A worker, and what it does for a run.")
Action: Any = answer_of(
    ActionStruct, "Action", "What somebody did, and how far it is: `done` of `total`."
)


class Reason(Answer):
    """What holds something back; `stops`: nothing moves until it is over."""

    code: str = Field(examples=["lane_cooling"])
    text: str
    brief: str = Field(examples=["example.com is cooling down."])
    stops: bool
    change: str | None = Field(description="what the command does", examples=["To resume it"])
    command: str | None = Field(examples=["swather unpause --lane example.com"])
    mentions: list[str] = Field(
        description="other commands, which stand in the text", examples=[["swather errors books"]]
    )
    values: dict[str, Any]


class Page(Answer):
    """Part of a list. `next` is where the next part begins; null: there is no more."""

    next: str | None = Field(examples=["1234"])
