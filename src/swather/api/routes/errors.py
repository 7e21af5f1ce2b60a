"""What went wrong, over HTTP: groups of failures that look the same."""

from datetime import timedelta
from typing import Annotated, Any, Final

from fastapi import Path, Query, Response

from swather.api import answers_errors as answers
from swather.api.answers import shown
from swather.api.answers_tasks import RetriedTasks
from swather.api.error_changes import mute_errors
from swather.api.parameters import Do, DryRun, Limit, TheRun, new_router
from swather.api.served import TheStore
from swather.api.task_changes import TaskChanges
from swather.model.run import Run
from swather.model.task_filter import TaskFilter
from swather.runs.error_groups import data_of, groups_of, groups_of_all
from swather.runs.selection import group_named
from swather.store import Store

router = new_router("errors", "")

# To count a million that failed alike takes seconds.
COUNT_TO: Final = 500
_RETRIED: Final[dict[int | str, dict[str, Any]]] = {
    202: {"model": RetriedTasks, "description": "It is done in the background"}
}
GroupInPath = Annotated[
    str,
    Path(
        min_length=1,
        max_length=100,
        description="The group, or the beginning of its name.",
        examples=["9f2c4b1d"],
    ),
]


@router.get("/errors", response_model=list[answers.ErrorGroup])
def list_errors(
    store: TheStore,
    since_hours: Annotated[
        float | None, Query(gt=0, le=87_600, description="Only what failed since then.")
    ] = None,
    limit: Limit = 50,
) -> Any:
    """Error groups of all runs, the latest first."""
    since = None
    if since_hours is not None:
        since = store.schedules.now() - timedelta(hours=since_hours)
    return shown(groups_of_all(store, limit=limit, since=since, count_to=COUNT_TO))


@router.get("/runs/{run}/errors", response_model=list[answers.ErrorGroup])
def list_errors_of_run(store: TheStore, run: TheRun, limit: Limit = 50) -> Any:
    """Error groups of a run, the most frequent first."""
    return shown(groups_of(store, run.name, limit=limit, count_to=COUNT_TO))


@router.get("/runs/{run}/errors/{group}", response_model=answers.ErrorGroup)
def get_error_group(store: TheStore, run: TheRun, group: GroupInPath) -> Any:
    """One error group, with a sample."""
    found = group_named(store, run.name, group)
    (one, *_) = store.results.errors_like(run.name, found, limit=1)
    return shown(data_of(store, one, COUNT_TO))


@router.post("/runs/{run}/errors/{group}/retry", response_model=RetriedTasks, responses=_RETRIED)
def retry_error_group(
    store: TheStore,
    do: Do,
    run: TheRun,
    group: GroupInPath,
    response: Response,
    dry_run: DryRun = False,
) -> Any:
    """Retry all tasks of a group that have failed. Many are done in the background."""
    which = TaskFilter(run=run.name, fingerprint=group_named(store, run.name, group))
    return TaskChanges(store, do, response).retry(which, dry_run=dry_run)


@router.post("/runs/{run}/errors/{group}/mute", response_model=answers.MutedGroup)
def mute_error_group(store: TheStore, do: Do, run: TheRun, group: GroupInPath) -> Any:
    """Say that people do not want to see a group."""
    return _muted(store, do, run, group, muted=True)


@router.post("/runs/{run}/errors/{group}/unmute", response_model=answers.MutedGroup)
def unmute_error_group(store: TheStore, do: Do, run: TheRun, group: GroupInPath) -> Any:
    """Say that people want to see a group again."""
    return _muted(store, do, run, group, muted=False)


def _muted(store: Store, do: Do, run: Run, group: str, *, muted: bool) -> dict[str, Any]:
    found = group_named(store, run.name, group)
    mute_errors(do, run.name, found, muted=muted)
    return {"run": run.name, "group": found, "muted": muted}
