"""Gives back what a worker holds when its event loop cannot."""

from random import Random
from typing import TYPE_CHECKING

from swather.model.outcome import Outcome, Released
from swather.scraping.fault_outcome import fault_outcome
from swather.store.ports import Store
from swather.worker.attempt import Attempt
from swather.worker.outcome import crashed

if TYPE_CHECKING:
    from collections.abc import Collection

    from swather.store.ports import Fence


def give_back(store: Store, worker_id: int, unbegun: "Collection[Fence]") -> None:
    """Charge nobody: the process has to end."""
    store.queue.finish(_released(unbegun))
    store.workers.retire(worker_id)
    store.hints.send()


def give_back_stuck(
    store: Store, worker_id: int, unbegun: "Collection[Fence]", stuck_in: Attempt | None
) -> None:
    """Charge the attempt that the loop is stuck in; if that is not known, all that had begun."""
    if stuck_in is None:
        store.queue.finish(_released(unbegun))
        store.workers.sweep([worker_id])
        store.hints.send()
    else:
        store.queue.finish([_charged(stuck_in)])
        give_back(store, worker_id, unbegun)


def _charged(attempt: Attempt) -> Outcome:
    """As if it had died in a child: nobody else can have done it."""
    crash = crashed(
        f"it stopped everything else in its worker past its timeout of {attempt.timeout:g} s; "
        "from now on it runs alone, in a child process",
        alone=True,
    )
    return fault_outcome(attempt.lease, crash, attempt.job.budgets, attempt.job.backoff, Random())


def _released(fences: "Collection[Fence]") -> list[Outcome]:
    return [Released(task_id=task, token=token) for task, token in fences]
