"""Where actions lead: to what they were done to, to the tasks that they meant, and back."""

from typing import Any, Final
from urllib.parse import quote, urlencode

from swather.model.action import Action, ActionVerb
from swather.model.task import State
from swather.model.whole_number import whole_number
from swather.web.task_choice import Verb

# Where nouns are listed whose single pages an action does not name.
_LISTS: Final = {
    "worker": "/workers",
    "workers": "/workers",
    "fleet": "/workers",
    "proxy": "/proxies",
    "proxies": "/proxies",
    "source": "/sources",
    "partitions": "/partitions",
    "schedule": "/schedules",
}


def subject_address(action: Action) -> str:
    """The page of what it was done to; '' where there is none."""
    noun = action.verb.partition(" ")[0]
    named = quote(action.subject, safe="")
    match noun:
        case "run" if action.verb == ActionVerb.RUN_START:
            found = f"/start/{named}"
        case "run" | "tasks" | "errors":
            found = f"/runs/{named}"
        case "task" if whole_number(action.subject) is not None:
            found = f"/tasks/{named}"
        case "lane" | "scraper":
            found = f"/lanes/show?{urlencode({'name': action.subject, 'kind': noun})}"
        case "schedule" if action.verb != ActionVerb.SCHEDULE_REMOVE:
            found = f"/schedules/show?{urlencode({'name': action.subject})}"
        case "setting":
            found = f"/settings/{named}"
        case _:
            found = _LISTS.get(noun, "")
    return found


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
