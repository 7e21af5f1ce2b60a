"""Runs over HTTP: list, look at, start, pause, cancel, close and remove them."""

from http import HTTPStatus
from typing import Annotated, Any, Final

from fastapi import Query, Response

from swather.api import answers_runs as answers
from swather.api import run_changes
from swather.api.answers import shown
from swather.api.parameters import Do, DryRun, Limit, RunInPath, TheRun, new_router
from swather.api.served import TheStore
from swather.model.run import RunState
from swather.runs.run_rows import row_of
from swather.runs.starting import Started
from swather.runs.stats import stats_of
from swather.runs.status_facts import status_of
from swather.runs.why import why_run

router = new_router("runs")

_IN_BACKGROUND: Final[dict[int | str, dict[str, Any]]] = {
    202: {"model": answers.CancelledRun, "description": "It is done in the background"}
}


@router.get("", response_model=list[answers.RunRow])
def list_runs(
    store: TheStore,
    state: Annotated[RunState | None, Query(description="Only runs in this state.")] = None,
    limit: Limit = 100,
) -> Any:
    """Runs, the newest first."""
    found = store.runs.find(state=state, limit=limit)
    return shown([row_of(run, store.runs.counts(run.name)) for run in found])


@router.post("", response_model=answers.StartedRun, status_code=HTTPStatus.CREATED)
def start_run(do: Do, given: answers.NewRun) -> Any:
    """Start a registered scraper. Its targets wait for workers, which run where its code is.

    Targets and params that come this way make no private address reachable.
    """

    started = run_changes.start_run(
        do,
        given.scraper,
        given.targets,
        params=given.params,
        keep_open=given.keep_open,
        new=given.new,
    )
    return _started(started)


@router.get("/{run}", response_model=answers.RunStatus)
def get_run(store: TheStore, run: TheRun) -> Any:
    """How a run stands: counts, rate, estimate, what holds it back, workers and errors."""
    return shown(status_of(store, run.name))


@router.get("/{run}/stats", response_model=answers.Stats)
def get_stats(store: TheStore, run: TheRun) -> Any:
    """The five numbers of a run. They cost the same for ten tasks and ten million."""
    return {"run": run.name, **stats_of(store.runs.counts(run.name))._asdict()}


@router.get("/{run}/why", response_model=answers.Why)
def get_why(store: TheStore, run: TheRun) -> Any:
    """What holds a run back, in words, and the commands that change it."""
    reasons = why_run(store, run.name)
    return shown({"run": run.name, "task": None, "reasons": reasons})


@router.post("/{run}/targets", response_model=answers.StartedRun)
def add_targets(do: Do, run: TheRun, given: answers.NewTargets) -> Any:
    """Add targets to a run of a registered scraper; a finished run opens again. Larger lists are
    uploaded.
    """

    return _started(run_changes.add_targets(do, run, given.targets))


@router.post("/{run}/pause", response_model=answers.PausedRun)
def pause_run(do: Do, run: TheRun) -> Any:
    """Start none of its tasks until it is unpaused; running ones finish."""
    run_changes.pause_run(do, run)
    return {"run": run.name, "paused": True}


@router.post("/{run}/unpause", response_model=answers.PausedRun)
def unpause_run(do: Do, run: TheRun) -> Any:
    """Resume a paused run."""
    run_changes.unpause_run(do, run)
    return {"run": run.name, "paused": False}


@router.post("/{run}/cancel", response_model=answers.CancelledRun, responses=_IN_BACKGROUND)
def cancel_run(
    store: TheStore, do: Do, run: TheRun, response: Response, dry_run: DryRun = False
) -> Any:
    """Cancel a run: nothing more of it is started, and what runs is stopped within seconds."""
    answer = {"run": run.name, "whole_run": True, "dry_run": dry_run, "action": None}
    if dry_run:
        return {**answer, "cancelled": store.runs.counts(run.name).unfinished}
    change = run_changes.cancel_run(store, do, run)
    if change.action is None:
        return {**answer, "cancelled": change.tasks}
    response.status_code = HTTPStatus.ACCEPTED
    return {**answer, "cancelled": None, "action": change.action}


@router.post("/{run}/close", response_model=answers.ClosedRun)
def close_run(store: TheStore, do: Do, run: TheRun) -> Any:
    """Let a run finish that was kept open for more targets."""
    run_changes.close_run(do, run)
    return {
        "run": run.name,
        "was_kept_open": run.keep_open,
        "state": str(store.runs.get(run.name).state),
        "unfinished": store.runs.counts(run.name).unfinished,
    }


@router.delete(
    "/{run}",
    response_model=answers.RemovedRun,
    responses={202: {"model": answers.RemovedRun, "description": "It is done in the background"}},
)
def remove_run(
    store: TheStore, do: Do, run: RunInPath, response: Response, dry_run: DryRun = False
) -> Any:
    """Remove a run that has ended, by its whole name, with everything that belongs to it."""
    found = store.runs.get(run)
    if dry_run:
        run_changes.refuse_open(store, found)
        change = run_changes.Change(tasks=store.runs.counts(run).total)
    else:
        change = run_changes.remove_run(store, do, found)
    if change.action is not None:
        response.status_code = HTTPStatus.ACCEPTED
    return {
        "removed": {"runs": 1, "tasks": change.tasks},
        "runs": [run],
        "dry_run": dry_run,
        "action": change.action,
    }


def _started(started: Started) -> dict[str, Any]:
    return {
        "status": str(started.status),
        "run": started.run_id,
        "run_id": started.run_id,
        "enqueued": started.enqueued,
        "worker_command": started.worker_command,
        "worker_environment": list(started.worker_environment),
    }
