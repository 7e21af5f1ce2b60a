"""How runs and workers stand, as programs read it."""

from typing import Any

from swather.model.worker import WorkerKind
from swather.runs.json_names import named
from swather.runs.progress import Snapshot, snapshot_of
from swather.runs.reasons import lock_reasons
from swather.runs.situation import Situation, Surroundings
from swather.runs.worker_line import line_of
from swather.store import Store


def status_of(store: Store, run: str) -> dict[str, Any]:
    """All that is known of a run at this moment."""
    now = snapshot_of(Situation.of(store, store.runs.get(run)))
    return {**data_of(now), "held_up": held_up(store)}


def overview(store: Store, *, limit: int) -> dict[str, Any]:
    """The newest runs, the workers, and what holds all of them up."""
    around = Surroundings.read(store)
    found = store.runs.find(limit=limit)
    newest = [snapshot_of(Situation.of(store, run, around)) for run in found]
    return {
        "runs": [
            {**run_row(each), "reasons": [reason.as_data() for reason in each.reasons]}
            for each in newest
        ],
        "workers": live_workers(store),
        "held_up": held_up(store),
    }


def data_of(snapshot: Snapshot) -> dict[str, Any]:
    return {
        **named(snapshot),
        "reasons": [reason.as_data() for reason in snapshot.reasons],
        "rate_per_hour": snapshot.rate_per_hour,
        "success_rate": snapshot.success_rate,
        "estimated_completion": snapshot.estimated_completion,
    }


def run_row(snapshot: Snapshot) -> dict[str, Any]:
    counts, is_open = snapshot.counts, not snapshot.is_over
    return {
        "run": snapshot.run,
        "state": "paused" if snapshot.paused and is_open else str(snapshot.state),
        "done": counts.done,
        "total": counts.total,
        "running": snapshot.running,
        "failed": counts.failed,
        "items": counts.items,
        "estimated_completion": snapshot.estimated_completion if is_open else None,
    }


def live_workers(store: Store) -> list[dict[str, Any]]:
    return [
        {
            "worker": worker.name,
            "worker_id": worker.id,
            "state": worker.mode,
            "running": line_of(worker, "").busy,
            "version": worker.version,
        }
        for worker in store.workers.find()
        if worker.kind is WorkerKind.WORKER
    ]


def held_up(store: Store) -> list[str]:
    """What other programs do in the database that holds up all runs."""
    return [reason.sentence for reason in lock_reasons(store)]
