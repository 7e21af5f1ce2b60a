"""Runs over HTTP: list, look at, start, pause, cancel, close and remove them."""

from http import HTTPStatus
from typing import Annotated, Any, Final

from fastapi import Query, Response

from swather.api import answers_runs as answers
from swather.api.answers import shown
from swather.api.parameters import Do, DryRun, Limit, RunInPath, TheRun, new_router
from swather.api.problems import Refused
from swather.api.served import TheStore
from swather.api.starting import start_for_client
from swather.model.run import Run, RunState
from swather.runs.run_rows import row_of
from swather.runs.starting import Started
from swather.runs.stats import stats_of
from swather.runs.status_facts import status_of
from swather.runs.why import why_run
from swather.runs.words import command
from swather.store import Store

router = new_router("runs")

# What takes longer is done in the background.
AT_ONCE: Final = 1_000
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

    def start(store: Store) -> Started:
        return start_for_client(
            given.scraper,
            given.targets,
            db=store.url,
            params=given.params,
            keep_open=given.keep_open,
            new=given.new,
        )

    detail = {"targets": None if given.targets is None else len(given.targets)}
    return _started(do.now("run start", given.scraper, start, detail))


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

    def add(store: Store) -> Started:
        return start_for_client(run.scraper, given.targets, db=store.url, resume=run.name)

    return _started(do.now("run add", run.name, add, {"targets": len(given.targets)}))


@router.post("/{run}/pause", response_model=answers.PausedRun)
def pause_run(do: Do, run: TheRun) -> Any:
    """Start none of its tasks until it is unpaused; running ones finish."""
    do.now("run pause", run.name, lambda store: store.runs.pause(run.name))
    return {"run": run.name, "paused": True}


@router.post("/{run}/unpause", response_model=answers.PausedRun)
def unpause_run(do: Do, run: TheRun) -> Any:
    """Resume a paused run."""
    do.now("run unpause", run.name, lambda store: store.runs.unpause(run.name))
    return {"run": run.name, "paused": False}


@router.post("/{run}/cancel", response_model=answers.CancelledRun, responses=_IN_BACKGROUND)
def cancel_run(
    store: TheStore, do: Do, run: TheRun, response: Response, dry_run: DryRun = False
) -> Any:
    """Cancel a run: nothing more of it is started, and what runs is stopped within seconds."""
    left = store.runs.counts(run.name).unfinished
    answer = {"run": run.name, "whole_run": True, "dry_run": dry_run, "action": None}
    if dry_run:
        return {**answer, "cancelled": left}
    if left <= AT_ONCE:
        number = do.now("run cancel", run.name, lambda own: own.runs.cancel(run.name))
        return {**answer, "cancelled": number}

    def cancel(own: Store, advance: Any) -> None:
        advance(own.runs.cancel(run.name))
        own.hints.send()

    response.status_code = HTTPStatus.ACCEPTED
    action = do.in_background("run cancel", run.name, left, cancel)
    return {**answer, "cancelled": None, "action": action}


@router.post("/{run}/close", response_model=answers.ClosedRun)
def close_run(store: TheStore, do: Do, run: TheRun) -> Any:
    """Let a run finish that was kept open for more targets."""
    do.now("run close", run.name, lambda own: own.runs.close(run.name))
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
    _refuse_open(store, found)
    tasks = store.runs.counts(run).total
    answer = {
        "removed": {"runs": 1, "tasks": tasks},
        "runs": [run],
        "dry_run": dry_run,
        "action": None,
    }
    if dry_run:
        return answer
    if tasks <= AT_ONCE:
        do.now("run remove", run, lambda own: own.runs.remove(run))
        return answer
    response.status_code = HTTPStatus.ACCEPTED
    action = do.in_background("run remove", run, None, lambda own, _: own.runs.remove(run))
    return {**answer, "action": action}


def _refuse_open(store: Store, run: Run) -> None:
    if run.state is RunState.OPEN:
        raise Refused(
            HTTPStatus.CONFLICT,
            f"run {run.name!r} is still open; cancel it first",
            command=command("cancel", run.name, url=store.url),
        )


def _started(started: Started) -> dict[str, Any]:
    return {
        "status": str(started.status),
        "run": started.run_id,
        "run_id": started.run_id,
        "enqueued": started.enqueued,
        "worker_command": started.worker_command,
        "worker_environment": list(started.worker_environment),
    }
