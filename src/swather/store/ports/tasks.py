"""The verbs of tasks: enqueue, find, cancel, retry."""

from collections.abc import Iterable
from typing import Final, NamedTuple, Protocol

from swather.model.run import Run
from swather.model.task import Target, Task
from swather.model.task_filter import TaskFilter
from swather.model.waiting import Waiting
from swather.store.batching import Row

# How many ids a page looks at. On PostgreSQL that takes about a tenth of a second.
SCAN: Final = 40_000


class Enqueued(NamedTuple):
    """How many targets were new, how many the run already had, and how many were dropped because
    the run was at its task limit.
    """

    added: int
    duplicates: int
    over_limit: int = 0


class Found(NamedTuple):
    """Tasks that match. `is_all`: there are no more; otherwise the search goes on at `next_id`, as
    the next `after_id` or, with the newest first, `before_id`. `searched`: how many ids were looked
    at, at most.
    """

    tasks: list[Task]
    next_id: int | None
    is_all: bool
    searched: int


class Counted(NamedTuple):
    """How many tasks match. `is_all`: there are no more; otherwise there may be."""

    number: int
    is_all: bool


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

    def find(
        self,
        which: TaskFilter,
        *,
        after_id: int = 0,
        before_id: int | None = None,
        newest_first: bool = False,
        limit: int = 100,
    ) -> list[Task]:
        """Those with ids above `after_id` and below `before_id`, in order of id."""
        ...

    def search(
        self,
        which: TaskFilter,
        *,
        after_id: int = 0,
        before_id: int | None = None,
        newest_first: bool = False,
        limit: int = 100,
        scan: int = SCAN,
    ) -> Found:
        """As `find`, but it looks at no more than `scan` ids: for pages, whose filter may match
        hardly any of ten million tasks.
        """
        ...

    def count(self, which: TaskFilter) -> int:
        """How many tasks match; walks all that might, unless only states are asked for."""
        ...

    def count_up_to(self, which: TaskFilter, limit: int) -> int:
        """How many tasks match; `limit` if there are more."""
        ...

    def count_within(self, which: TaskFilter, *, limit: int, scan: int = SCAN) -> Counted:
        """As `count_up_to`, but it looks at no more than `scan` ids, the newest first: those wait
        in most runs.
        """
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
