"""What people tell single workers: to pause, to work again, to drain or to stop."""

from collections.abc import Sequence
from functools import partial
from typing import Final, Literal

from swather.errors import NotFound, WorkerLeaving
from swather.model.worker import Leaving, Worker, WorkerMode
from swather.runs.attempts import Attempts, attempt
from swather.runs.worker_facts import workers_named
from swather.store import Store

WorkerVerb = Literal["pause", "unpause", "drain", "stop"]

_WANTED: Final = {
    "pause": WorkerMode.PAUSED,
    "unpause": WorkerMode.WORKING,
    "drain": WorkerMode.DRAINING,
    "stop": WorkerMode.STOPPING,
}
_ENDS: Final = {
    WorkerMode.DRAINING: "it exits when its running targets have ended",
    WorkerMode.STOPPING: "it exits within seconds",
}


def change_workers(store: Store, names: Sequence[str], verb: WorkerVerb) -> Attempts[str]:
    """Change those that were named, all found before any is changed; the names of the changed."""
    found = {worker.id: worker for name in names for worker in workers_named(store, name)}
    return attempt(partial(change_worker, store, worker, verb) for worker in found.values())


def change_worker(store: Store, worker: Worker, verb: WorkerVerb) -> str:
    """Its name. WorkerLeaving if it was told to leave before and so does not obey; NotFound if it
    has ended since it was looked for.
    """
    try:
        mode = _told(store, worker.id, verb)
    except NotFound:
        raise NotFound(
            f"worker {worker.name} has ended; `swather workers` lists those that are running"
        ) from None
    store.hints.send()
    if mode is not _WANTED[verb]:
        raise WorkerLeaving(
            f"worker {worker.name} is {mode} and cannot be called back; {_ENDS[mode]}"
        )
    return worker.name


def _told(store: Store, worker_id: int, verb: WorkerVerb) -> WorkerMode:
    match verb:
        case "pause":
            return store.workers.pause(worker_id)
        case "unpause":
            return store.workers.unpause(worker_id)
        case "drain" | "stop":
            return store.workers.leave(worker_id, Leaving(verb))
