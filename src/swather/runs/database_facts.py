"""What a database holds and how it is set up, as programs read it."""

from typing import Any, Final

from swather.model.task import State
from swather.runs.pragma_reasons import reason_for
from swather.store import Store

RECENT_RUNS: Final = 10


def stats_of(store: Store) -> dict[str, Any]:
    """Runs, tasks by state, workers and bytes; counted from counter rows."""
    stats = store.upkeep.stats()
    tasks = stats.get("tasks", {})
    return {
        **stats,
        "tasks": {str(state): tasks.get(state, 0) for state in State},
        "recent_runs": _recent_runs(store),
    }


def pragmas_of(store: Store) -> dict[str, dict[str, Any]]:
    """Each setting of the database that matters, its value and the reason for it."""
    return {
        name: {"value": value, "why": reason_for(name)}
        for name, value in store.upkeep.pragmas().items()
    }


def _recent_runs(store: Store) -> list[dict[str, Any]]:
    runs = [(run, store.runs.counts(run.name)) for run in store.runs.find(limit=RECENT_RUNS)]
    return [
        {
            "run": run.name,
            "state": str(run.state),
            "waiting": counts.waiting,
            "leased": counts.leased,
            "completed": counts.completed,
            "failed": counts.failed,
            "cancelled": counts.cancelled,
            "items": counts.items,
        }
        for run, counts in runs
    ]
