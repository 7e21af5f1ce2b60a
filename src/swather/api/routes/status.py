"""The whole at a glance, over HTTP: runs and workers, history, health."""

from typing import Annotated, Any, Final

from fastapi import Query

from swather.api import answers_status as answers
from swather.api.answers import shown
from swather.api.answers_runs import Overview
from swather.api.parameters import TheRun, new_router
from swather.api.served import TheStore
from swather.runs.database_checks import database_check
from swather.runs.egress_checks import proxies_check
from swather.runs.health import Check, Health
from swather.runs.reasons import lock_reasons
from swather.runs.status_facts import overview
from swather.runs.worker_facts import workers_in
from swather.store import Store
from swather.version import __version__

router = new_router("status", "")

_WORST_LAST: Final = (Health.OK, Health.WARNING, Health.PROBLEM)
Seconds = Annotated[
    float, Query(gt=0, le=30 * 86_400, description="How far to look back; 30 days at the most.")
]
Points = Annotated[int, Query(ge=1, le=1_000, description="How many points, at the most.")]


@router.get("/status", response_model=Overview)
def get_status(
    store: TheStore,
    limit: Annotated[int, Query(ge=1, le=50, description="At most so many runs.")] = 10,
) -> Any:
    """The newest runs, the workers, and what holds all of them up."""
    return shown(overview(store, limit=limit))


@router.get("/history", response_model=list[answers.HistoryPoint])
def get_history(store: TheStore, seconds: Seconds = 3_600, points: Points = 120) -> Any:
    """How all runs have fared, the oldest point first."""
    return shown(store.history.overall(seconds=seconds, points=points))


@router.get("/runs/{run}/history", response_model=list[answers.HistoryPoint])
def get_history_of_run(
    store: TheStore, run: TheRun, seconds: Seconds = 3_600, points: Points = 120
) -> Any:
    """How a run has fared, the oldest point first."""
    return shown(store.history.of_run(run.name, seconds=seconds, points=points))


@router.get("/health", response_model=answers.Health)
def get_health(store: TheStore) -> Any:
    """Whether the server and its database work; quick enough to be asked every few seconds."""
    checks = _checks(store)
    worst = max((check.health for check in checks), key=_WORST_LAST.index)
    return shown(
        {
            "health": str(worst),
            "version": __version__,
            "checks": [check._asdict() for check in checks],
        }
    )


def _checks(store: Store) -> list[Check]:
    workers = workers_in(store)
    waiting = sum(each.counts.unfinished for each in store.runs.open_totals())
    idle = waiting and not workers
    said = f"{len(workers):,} live; {waiting:,} targets of open runs are not done"
    return [
        database_check(store),
        Check("workers", Health.WARNING if idle else Health.OK, said),
        proxies_check(store),
        *(Check("locks", Health.WARNING, reason.sentence) for reason in lock_reasons(store)),
    ]
