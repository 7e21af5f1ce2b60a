"""What commands ask a server, with --server, instead of a database.

What a server answers has the names of --json; where a command shows more than that, the structs
that it shows are made of the answer again.
"""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from swather.api.client import Client
    from swather.model.source import SourceStats
    from swather.model.task import Task
    from swather.runs.progress import Snapshot
    from swather.runs.reason import Reason
    from swather.runs.worker_line import RunningTarget


def client_of(server: str) -> "Client":
    from swather.api.client import Client

    return Client(server)


def run_named(client: "Client", name: str | None) -> str:
    """As in every command: without a name, the newest run."""
    from swather.errors import NotFound

    if name is not None:
        return str(client.runs.stats(name)["run"])
    newest = client.runs.list(limit=1)
    if not newest:
        raise NotFound(f"{client.url} has no runs yet")
    return str(newest[0]["run"])


def snapshot_of(data: Mapping[str, Any]) -> "Snapshot":
    import msgspec

    from swather.runs.json_names import unnamed
    from swather.runs.progress import Snapshot

    found = unnamed({**data, "sources": [], "reasons": []}, Snapshot)
    return msgspec.structs.replace(
        found,
        reasons=reasons_of(data["reasons"]),
        sources=[_source_of(each) for each in data["sources"]],
    )


def reasons_of(data: list[dict[str, Any]]) -> "list[Reason]":
    from swather.runs.json_names import unnamed
    from swather.runs.reason import Reason

    texts = ("brief", "change", "command")
    return [
        unnamed({**each, **{name: each.get(name) or "" for name in texts}}, Reason) for each in data
    ]


def _source_of(data: Mapping[str, Any]) -> "SourceStats":
    from swather.model.source import SourceStats, UnderWay

    names = ("scraper", "source", "succeeded", "failed", "skipped", "counts")
    return SourceStats(
        **{name: data[name] for name in names},
        failures={each["error"]: each["count"] for each in data["failures"]},
        under_way=UnderWay(state=data["state"], waiting=data["waiting"], asking=data["asking"]),
    )


def task_of(data: Mapping[str, Any]) -> "Task":
    from swather.model.task import Task
    from swather.runs.json_names import unnamed

    return unnamed(data, Task)


def running_of(data: Mapping[str, Any]) -> "RunningTarget":
    """What its worker says of a task."""
    from swather.runs.worker_line import RunningTarget

    return RunningTarget(
        task=data["task"], target="", worker=data["worker"] or "", **data["running"]
    )


def given_of(which: Mapping[str, Any]) -> dict[str, Any]:
    """Only the conditions that a command was given."""
    return {name: value for name, value in which.items() if value}
