"""Tasks over HTTP: found by filter, looked at one by one, retried and cancelled."""

from http import HTTPStatus
from typing import Annotated, Any, Final

import msgspec
from fastapi import Query, Response

from swather.api import answers_tasks as answers
from swather.api import task_changes
from swather.api.answers import shown
from swather.api.answers_runs import Why
from swather.api.parameters import MAX_ID, Do, DryRun, Limit, TaskInPath, TheRun, new_router
from swather.api.problems import Refused
from swather.api.served import TheStore
from swather.api.task_changes import TaskChanges
from swather.api.task_choice import filter_of
from swather.model.task import TERMINAL
from swather.model.task_filter import TaskFilter
from swather.runs.json_names import named
from swather.runs.running import running_targets, stuck_targets
from swather.runs.task_facts import data_of, detail_of
from swather.runs.why import why_task
from swather.store import Store
from swather.store.ports import Found

router = new_router("tasks", "")

MAX_LISTED: Final = 1_000
_RETRIED: Final[dict[int | str, dict[str, Any]]] = {
    202: {"model": answers.RetriedTasks, "description": "It is done in the background"}
}
_CANCELLED: Final[dict[int | str, dict[str, Any]]] = {
    202: {"model": answers.CancelledTasks, "description": "It is done in the background"}
}
After = Annotated[int, Query(ge=0, le=MAX_ID, description="Where the last part ended: its `next`.")]
WorkerNumber = Annotated[int | None, Query(ge=1, le=MAX_ID, description="Only this worker's.")]


@router.get("/runs/{run}/tasks", response_model=answers.TaskPage)
def list_tasks(store: TheStore, run: TheRun, given: Annotated[answers.TaskQuery, Query()]) -> Any:
    """Tasks of a run that meet all conditions, by number."""
    which = filter_of(store, run.name, given)
    running = (stuck_targets if given.stuck else running_targets)(store, run.name)
    if given.stuck:
        which = _only(which, set(running))
    found = _found(store, which, given)
    return shown(
        {
            "tasks": [data_of(task, running.get(task.id)) for task in found.tasks],
            "next": None if found.is_all else str(found.next_id),
            "searched": found.searched,
        }
    )


@router.post("/runs/{run}/tasks/retry", response_model=answers.RetriedTasks, responses=_RETRIED)
def retry_tasks(
    store: TheStore,
    do: Do,
    run: TheRun,
    response: Response,
    given: answers.TaskFilter,
    dry_run: DryRun = False,
) -> Any:
    """Make ended tasks ready again, with a fresh retry budget: failed ones, unless states or tasks
    are named. The run reopens. Many are done in the background: see the `action`.
    """
    if wrong := [state for state in given.state if state not in TERMINAL]:
        raise Refused(
            HTTPStatus.UNPROCESSABLE_ENTITY,
            f"only ended tasks can be retried, not {wrong[0]} ones",
        )
    which = filter_of(store, run.name, given)
    return TaskChanges(store, do, response).retry(which, dry_run=dry_run)


@router.post(
    "/runs/{run}/tasks/cancel", response_model=answers.CancelledTasks, responses=_CANCELLED
)
def cancel_tasks(
    store: TheStore,
    do: Do,
    run: TheRun,
    response: Response,
    given: answers.TaskFilter,
    dry_run: DryRun = False,
) -> Any:
    """Cancel waiting and running tasks; at least one condition is needed. Many are done in the
    background: see the `action`.
    """
    if wrong := [state for state in given.state if state in TERMINAL]:
        raise Refused(
            HTTPStatus.UNPROCESSABLE_ENTITY,
            f"{wrong[0]} tasks have already ended and cannot be cancelled",
        )
    which = filter_of(store, run.name, given)
    if which == TaskFilter(run=run.name):
        raise Refused(
            HTTPStatus.UNPROCESSABLE_ENTITY,
            f"name at least one condition; to cancel the whole run: POST "
            f"/api/v1/runs/{run.name}/cancel",
        )
    return TaskChanges(store, do, response).cancel(which, dry_run=dry_run)


@router.get("/runs/{run}/events", response_model=answers.EventPage)
def list_events(
    store: TheStore,
    run: TheRun,
    task: Annotated[int | None, Query(ge=1, le=MAX_ID, description="Only this task's.")] = None,
    worker: WorkerNumber = None,
    after: After = 0,
    limit: Limit = 100,
) -> Any:
    """What happened to tasks of a run: failures, retries, what scrapers log; with the setting
    event_level=all, everything.
    """
    found = store.events.find(run.name, task_id=task, worker_id=worker, after_id=after, limit=limit)
    position = str(found[-1].id) if len(found) == limit else None
    return shown({"events": found, "next": position})


@router.get("/tasks/{task}", response_model=answers.TaskDetail)
def get_task(store: TheStore, task: TaskInPath) -> Any:
    """A task with its events, items and files."""
    detail = detail_of(store, task, limit=MAX_LISTED)
    items, files = store.results.of_task(task, limit=MAX_LISTED)
    # What was found is shown as it was found.
    return {**shown({**detail, "files": files}), "items": named(items)}


@router.get("/tasks/{task}/why", response_model=Why)
def get_why_of_task(store: TheStore, task: TaskInPath) -> Any:
    """What holds a task back, and its history, in words."""
    run = store.tasks.get(task).run
    return shown({"run": run, "task": task, "reasons": why_task(store, task)})


@router.post("/tasks/{task}/retry", response_model=answers.RetriedTasks)
def retry_task(store: TheStore, do: Do, task: TaskInPath) -> Any:
    """Make an ended task ready again; 0 are `retried` if it has not ended."""
    return {**_of_one(store, task), "retried": task_changes.retry_task(store, do, task)}


@router.post("/tasks/{task}/cancel", response_model=answers.CancelledTasks)
def cancel_task(store: TheStore, do: Do, task: TaskInPath) -> Any:
    """Cancel a waiting or running task; 0 are `cancelled` if it has ended."""
    number = task_changes.cancel_task(store, do, task)
    return {**_of_one(store, task), "cancelled": number, "whole_run": False}


def _of_one(store: Store, task: int) -> dict[str, Any]:
    run = store.tasks.get(task).run
    return {"run": run, "dry_run": False, "exact": True, "action": None}


def _found(store: Store, which: TaskFilter, given: answers.TaskQuery) -> Found:
    if given.order is answers.Order.NEWEST:
        before = given.after or None
        return store.tasks.search(which, before_id=before, newest_first=True, limit=given.limit)
    return store.tasks.search(which, after_id=given.after, limit=given.limit)


def _only(which: TaskFilter, numbers: set[int]) -> TaskFilter:
    wanted = numbers if which.task_ids is None else numbers & set(which.task_ids)
    return msgspec.structs.replace(which, task_ids=tuple(sorted(wanted)))
