"""The verbs of tasks: enqueue, find, cancel, retry."""

from collections.abc import Iterable
from typing import NamedTuple, Protocol

from swather.model.run import Run
from swather.model.task import Target, Task
from swather.model.task_filter import TaskFilter
from swather.model.waiting import Waiting
from swather.store.batching import Row


class Enqueued(NamedTuple):
    """How many targets were new, how many the run already had, and how many were dropped because
    the run was at its task limit.
    """

    added: int
    duplicates: int
    over_limit: int = 0


class Tasks(Protocol):
    def enqueue(
        self, run: str | Run, targets: Iterable[Target | Row], *, batch_size: int = 10_000
    ) -> Enqueued:
        """Stream targets in, a transaction per batch; those that the run already has are skipped.
        A run that was just read need not be found again by its name.

        A target that cannot be stored raises before its batch is written: earlier batches stay,
        nothing of this one does. Loading again is safe. A Row is a target that was already
        checked.
        """
        ...

    def get(self, task_id: int) -> Task: ...

    def find(self, which: TaskFilter, *, after_id: int = 0, limit: int = 100) -> list[Task]:
        """In order of id, beginning after `after_id`."""
        ...

    def count(self, which: TaskFilter) -> int:
        """How many tasks match; walks all that might."""
        ...

    def waiting(self, run: str) -> Waiting:
        """On which lanes tasks of the run wait, and for when; costs no more for ten million."""
        ...

    def cancel(self, which: TaskFilter) -> int:
        """End waiting and running tasks; a running attempt is fenced off at once."""
        ...

    def retry(self, which: TaskFilter, *, anew: bool = False) -> int:
        """Make ended tasks ready again with fresh budgets; the run reopens. With `anew`, failed
        tasks also start from the beginning, and new rows replace theirs.
        """
        ...
