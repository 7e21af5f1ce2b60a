"""Where actions lead: to what they were done to, to the tasks that they meant, and back."""

from typing import Any
from urllib.parse import quote, urlencode

from swather.model.action import Action
from swather.model.task import State
from swather.web.task_choice import Verb


def subject_address(action: Action) -> str:
    """The page of a run or task; '' for anything else."""
    noun = action.verb.partition(" ")[0]
    if noun in {"run", "tasks"} and action.verb != "run start":
        return f"/runs/{quote(action.subject, safe='')}"
    if noun == "task" and action.subject.isascii() and action.subject.isdecimal():
        return f"/tasks/{action.subject}"
    return ""


def tasks_address(action: Action) -> str:
    """The tasks that it was about, in whatever state they are now. The page there checks it."""
    return _tasks(action, "", _lasting(action))


def again_address(action: Action, verb: Verb) -> str:
    """Asks whether to do it to the rest of them."""
    return _tasks(action, "/confirm", [*_fields(action), ("verb", verb)])


def undo_address(action: Action) -> str:
    """Asks whether to retry what was cancelled. Those that match and had been cancelled before are
    retried, too: the page that asks says how many there are.
    """
    undone = [("state", State.CANCELLED), ("verb", Verb.RETRY)]
    return _tasks(action, "/confirm", [*_lasting(action), *undone])


def _lasting(action: Action) -> list[tuple[str, str]]:
    """The fields of its filter that still hold once it is done."""
    return [field for field in _fields(action) if field[0] not in {"state", "worker"}]


def _tasks(action: Action, below: str, fields: list[tuple[str, str]]) -> str:
    is_ticked = below and any(name == "task" for name, _ in fields)
    query = urlencode([*fields, *([("which", "ticked")] if is_ticked else [])])
    base = f"/runs/{quote(action.subject, safe='')}/tasks{below}"
    return f"{base}?{query}" if query else base


def _fields(action: Action) -> list[tuple[str, str]]:
    """As they were noted; a database may hold anything."""
    noted = action.detail.get("filter", [])
    fields = noted if isinstance(noted, list) else []
    return [(field[0], field[1]) for field in fields if _is_field(field)]


def _is_field(value: Any) -> bool:
    return isinstance(value, list) and len(value) == 2 and all(isinstance(v, str) for v in value)
