"""Workers over HTTP: who does what; pauses, drains and stops of single ones."""

from typing import Annotated, Any

from fastapi import Path

from swather.api import answers_workers as answers
from swather.api.answers import shown
from swather.api.fleet_changes import change_named
from swather.api.parameters import Do, new_router
from swather.api.served import TheStore
from swather.model.task import MAX_NAME_BYTES
from swather.runs.worker_facts import data_of, workers_in, workers_named

router = new_router("workers")

WorkerInPath = Annotated[
    str,
    Path(
        max_length=MAX_NAME_BYTES,
        description="A live worker, by name or number.",
        examples=["host_4711_2"],
    ),
]


@router.get("", response_model=list[answers.Worker])
def list_workers(store: TheStore) -> Any:
    """Live workers, by number."""
    return shown([data_of(worker) for worker in workers_in(store)])


@router.get("/{worker}", response_model=answers.Worker)
def get_worker(store: TheStore, worker: WorkerInPath) -> Any:
    """One live worker; of several with this name, the newest."""
    return shown(data_of(max(workers_named(store, worker), key=lambda each: each.id)))


@router.post("/{worker}/pause", response_model=answers.PausedWorkers)
def pause_worker(do: Do, worker: WorkerInPath) -> Any:
    """Let a worker start nothing more until it is unpaused; running targets finish. 409 if it was
    told to leave.
    """
    return {"workers": change_named(do, worker, "pause"), "paused": True}


@router.post("/{worker}/unpause", response_model=answers.PausedWorkers)
def unpause_worker(do: Do, worker: WorkerInPath) -> Any:
    """Let a paused worker work again. 409 if it drains or stops: it cannot be called back."""
    return {"workers": change_named(do, worker, "unpause"), "paused": False}


@router.post("/{worker}/drain", response_model=answers.LeavingWorkers)
def drain_worker(do: Do, worker: WorkerInPath) -> Any:
    """Let a worker finish its running targets, give back the rest, and exit. A fleet starts another
    in its place; scale the fleet to have fewer. 409 if it was told to stop.
    """
    return {"workers": change_named(do, worker, "drain"), "state": "draining"}


@router.post("/{worker}/stop", response_model=answers.LeavingWorkers)
def stop_worker(do: Do, worker: WorkerInPath) -> Any:
    """Let a worker give back all targets, also running ones, and exit. A fleet starts another in
    its place; scale the fleet to have fewer.
    """
    return {"workers": change_named(do, worker, "stop"), "state": "stopping"}
