"""Gives back what a worker holds when its event loop cannot."""

from collections.abc import Collection

from swather.model.outcome import Outcome, Released
from swather.store.ports import Fence, Store
from swather.worker.attempt import Attempt
from swather.worker.outcomes import stuck


def give_back(store: Store, worker_id: int, unbegun: Collection[Fence]) -> None:
    """Charge nobody: the process has to end."""
    store.queue.finish(_released(unbegun))
    store.workers.retire(worker_id)
    store.hints.send()


def give_back_stuck(
    store: Store, worker_id: int, unbegun: Collection[Fence], stuck_in: Attempt | None
) -> None:
    """Charge the attempt that the loop is stuck in; if that is not known, all that had begun."""
    if stuck_in is None:
        store.queue.finish(_released(unbegun))
        store.workers.sweep([worker_id])
        store.hints.send()
    else:
        store.queue.finish([stuck(stuck_in)])
        give_back(store, worker_id, unbegun)


def _released(fences: Collection[Fence]) -> list[Outcome]:
    return [Released(task_id=task, token=token) for task, token in fences]
