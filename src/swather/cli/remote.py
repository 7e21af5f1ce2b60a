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


def snapshot_of(data: Mapping[str, Any], server: str) -> "Snapshot":
    import msgspec

    from swather.runs.json_names import unnamed
    from swather.runs.progress import Snapshot

    found = unnamed({**data, "sources": [], "reasons": []}, Snapshot)
    return msgspec.structs.replace(
        found,
        reasons=reasons_of(data["reasons"], server),
        sources=[_source_of(each) for each in data["sources"]],
    )


def reasons_of(data: list[dict[str, Any]], server: str) -> "list[Reason]":
    """Their commands are those to type here: the server names them as for its own database."""
    from swather.runs.json_names import unnamed
    from swather.runs.reason import Reason

    texts = ("brief", "change", "command")
    found = [
        unnamed({**each, **{name: each.get(name) or "" for name in texts}}, Reason) for each in data
    ]
    return [_to_type_here(each, server) for each in found]


def _to_type_here(reason: "Reason", server: str) -> "Reason":
    import msgspec

    from swather.cli.server_commands import asked_there

    mentions = {each: asked_there(each, server) or each for each in reason.mentions}
    text = reason.text
    for before, after in mentions.items():
        text = text.replace(before, after)
    change, command = _change_here(reason.change, reason.command, server)
    return msgspec.structs.replace(
        reason, text=text, change=change, command=command, mentions=tuple(mentions.values())
    )


def notes_of(data: list[dict[str, Any]], server: str) -> list[str]:
    """Notes on a lane, in words."""
    import msgspec

    from swather.runs.limit_words import LaneNote

    found = []
    for each in data:
        note = msgspec.convert(each, LaneNote)
        change, command = _change_here(note.change, note.command, server)
        found.append(msgspec.structs.replace(note, change=change, command=command).in_words)
    return found


def _change_here(change: str, command: str, server: str) -> tuple[str, str]:
    """What a command does, and how it is typed here; if it cannot be, that says so."""
    from swather.cli.server_commands import asked_there

    here = asked_there(command, server) if command else command
    return (f"{change}, where the server runs", command) if here is None else (change, here)


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
