"""Live workers as programs read them."""

from typing import Any

from swather.errors import NotFound
from swather.model.worker import Worker, WorkerKind
from swather.runs.json_names import named
from swather.runs.worker_line import line_of
from swather.store import Store


def workers_in(store: Store) -> list[Worker]:
    """Those that claim tasks, by number."""
    found = [each for each in store.workers.find() if each.kind is WorkerKind.WORKER]
    return sorted(found, key=lambda each: each.id)


def workers_named(store: Store, name: str) -> list[Worker]:
    """Those of `workers_in` that are meant, by name or number; names need not be unique."""
    live = workers_in(store)
    found = [worker for worker in live if name in {worker.name, str(worker.id)}]
    if not found:
        known = ", ".join(worker.name for worker in live) or "none"
        raise NotFound(f"no worker {name!r} is running; there are: {known}")
    return found


def data_of(worker: Worker) -> dict[str, Any]:
    """`current` are the targets that it executes now, of all runs."""
    line: dict[str, Any] = named(line_of(worker, ""))
    for of_run in ("running", "prefetched", "rate_per_second", "quiet_seconds"):
        del line[of_run]
    return {
        **line,
        "state": worker.mode,
        "worker_number": worker.number,
        "host": worker.process.host,
        "process": worker.process.pid,
        "version": worker.version,
        "leases": worker.leases,
        "registered_at": worker.registered_at,
        "beat_at": worker.beat_at,
        "current": _current(worker),
    }


def _current(worker: Worker) -> list[dict[str, Any]]:
    running = worker.statistics.get("running")
    runs = running if isinstance(running, dict) else {}
    found = [
        {"run": run, **named(each)} for run in runs for each in line_of(worker, str(run)).current
    ]
    return sorted(found, key=lambda each: -each["seconds"])
