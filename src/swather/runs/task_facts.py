"""Tasks as programs read them."""

from typing import Any, Final

from swather.model.task import Task
from swather.runs.json_names import named
from swather.runs.running import running_targets
from swather.runs.worker_line import RunningTarget
from swather.store import Store

_TOLD: Final = ("seconds", "timeout", "attempt", "waits_for")


def data_of(task: Task, running: RunningTarget | None = None) -> dict[str, Any]:
    """The task, and what its worker says of it."""
    data: dict[str, Any] = named(task)
    if running is not None:
        data["running"] = {name: getattr(running, name) for name in _TOLD}
    return data


def detail_of(store: Store, task_id: int, *, limit: int) -> dict[str, Any]:
    """The task with what happened to it: the first `limit` events."""
    task = store.tasks.get(task_id)
    running = running_targets(store, task.run).get(task_id)
    return {
        **data_of(task, running),
        "events": named(store.events.find(task.run, task_id=task_id, limit=limit)),
    }
