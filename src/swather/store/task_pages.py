"""A page of tasks: between which ids it lies, and where the next one begins."""

from typing import NamedTuple

from swather.model.task import State, Task
from swather.model.task_filter import TaskFilter
from swather.store.checks import MAX_ID
from swather.store.ports import Found


class Bounds(NamedTuple):
    """The ids of a page are above one id and below another."""

    after_id: int
    before_id: int
    newest_first: bool

    @classmethod
    def of(cls, after_id: int, before_id: int | None, *, newest_first: bool) -> "Bounds":
        before_id = MAX_ID if before_id is None else max(min(before_id, MAX_ID), 0)
        return cls(max(min(after_id, MAX_ID), 0), before_id, newest_first)

    @property
    def values(self) -> dict[str, int]:
        return {"after_id": self.after_id, "before_id": self.before_id}

    def up_to(self, stop: int | None) -> "Bounds":
        """Those of a search that looks at nothing beyond `stop`."""
        if stop is None:
            return self
        return (
            self._replace(after_id=stop - 1)
            if self.newest_first
            else self._replace(before_id=stop + 1)
        )


def found(tasks: list[Task], stop: int | None, *, limit: int, scan: int) -> Found:
    """What a search has found that may have stopped at an id before it had looked at all."""
    if len(tasks) == limit:
        return Found(tasks, tasks[-1].id, is_all=False, searched=scan)
    return Found(tasks, stop, is_all=stop is None, searched=scan)


def is_failed_in_group(which: TaskFilter) -> bool:
    """Whether it asks for what is counted most: the tasks that have failed in one way."""
    failed = frozenset({State.FAILED})
    return which.fingerprint is not None and which == TaskFilter(
        run=which.run, states=failed, fingerprint=which.fingerprint
    )
