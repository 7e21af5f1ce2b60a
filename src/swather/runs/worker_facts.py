"""Live workers as programs read them."""

from collections.abc import Sequence
from typing import Any

from swather.errors import NotFound
from swather.model.worker import Leaving, Worker, WorkerKind
from swather.runs.json_names import named
from swather.runs.worker_line import line_of
from swather.store import Store


def workers_in(store: Store) -> list[Worker]:
    """Those that claim tasks, by number."""
    found = [each for each in store.workers.find() if each.kind is WorkerKind.WORKER]
    return sorted(found, key=lambda each: each.id)


def workers_named(store: Store, name: str) -> list[Worker]:
    """Those that live, by name or number; names need not be unique."""
    live = store.workers.find()
    found = [worker for worker in live if name in {worker.name, str(worker.id)}]
    if not found:
        known = ", ".join(worker.name for worker in live) or "none"
        raise NotFound(f"no worker {name!r} is running; there are: {known}")
    return found


def change_workers(store: Store, names: Sequence[str], verb: str) -> list[str]:
    """Pause, unpause, drain or stop those that were named, all found before any is changed."""
    found = [worker for name in names for worker in workers_named(store, name)]
    for worker in found:
        change_worker(store, worker.id, verb)
    return [worker.name for worker in found]


def change_worker(store: Store, worker_id: int, verb: str) -> None:
    match verb:
        case "pause":
            store.workers.pause(worker_id)
        case "unpause":
            store.workers.unpause(worker_id)
        case _:
            store.workers.leave(worker_id, Leaving(verb))
    store.hints.send()


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
