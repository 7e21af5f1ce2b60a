"""Which tasks of a run a request means."""

from typing import Any

from swather.api.answers_tasks import TaskFilter
from swather.model.task_filter import TaskFilter as Filter
from swather.runs.selection import task_filter
from swather.store import Store


def filter_of(store: Store, run: str, given: TaskFilter) -> Filter:
    return task_filter(
        store,
        run,
        states=given.state,
        reasons=given.reason,
        error_class=given.error_class,
        group=given.group,
        lane=given.lane,
        tasks=given.task,
        worker=given.worker,
        text=given.text,
    )


def fields_of(which: Filter) -> list[list[str]]:
    """For the log of actions, as pages write it there and in their addresses."""
    texts: dict[str, Any] = {
        "class": which.error_class,
        "lane": which.lane,
        "worker": which.worker,
        "text": which.text,
        "group": which.fingerprint,
    }
    return [
        *(["state", str(state)] for state in sorted(which.states or ())),
        *(["reason", reason] for reason in sorted(which.reasons or ())),
        *([name, str(value)] for name, value in texts.items() if value),
        *(["task", str(number)] for number in which.task_ids or ()),
    ]
