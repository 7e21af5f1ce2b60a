"""Retrying and cancelling tasks of a run by filter: few at once, many in the background."""

from collections.abc import Callable
from dataclasses import dataclass
from http import HTTPStatus
from typing import Any, Final

from fastapi import Response

from swather.api.parameters import Doing
from swather.api.run_changes import AT_ONCE
from swather.api.task_choice import fields_of
from swather.model.action import ActionVerb
from swather.model.advance import Advance, not_told
from swather.model.task_filter import TaskFilter
from swather.runs import bulk
from swather.store import Store
from swather.store.ports import SCAN, Counted

# Past this nobody waits for the exact number.
MAX_COUNTED: Final = 100_000

Change = Callable[[Store, TaskFilter, Advance], int]


@dataclass(frozen=True, kw_only=True)
class Changed:
    """How many tasks are changed. With an `action`, they will be."""

    number: int
    exact: bool
    action: int | None = None


def retry_task(store: Store, do: Doing, number: int) -> int:
    """1 if it had ended, and is ready again."""
    which = TaskFilter(run=store.tasks.get(number).run, task_ids=(number,))
    return do.now(
        ActionVerb.TASK_RETRY, str(number), lambda own: bulk.retry_tasks(own, which), done_of=int
    )


def cancel_task(store: Store, do: Doing, number: int) -> int:
    """1 if it had not ended."""
    which = TaskFilter(run=store.tasks.get(number).run, task_ids=(number,))
    return do.now(
        ActionVerb.TASK_CANCEL, str(number), lambda own: bulk.cancel_tasks(own, which), done_of=int
    )


@dataclass(frozen=True)
class TaskChanges:
    """Changes that somebody makes to tasks of a run; those that it cannot change are left alone."""

    store: Store
    do: Doing
    response: Response

    def retry(self, which: TaskFilter, *, dry_run: bool) -> dict[str, Any]:
        which = bulk.to_retry(which)
        changed = self._changed(ActionVerb.TASKS_RETRY, which, bulk.retry_tasks, dry_run=dry_run)
        return {**_data(which, changed, dry_run=dry_run), "retried": changed.number}

    def cancel(self, which: TaskFilter, *, dry_run: bool) -> dict[str, Any]:
        which = bulk.to_cancel(which)
        changed = self._changed(ActionVerb.TASKS_CANCEL, which, bulk.cancel_tasks, dry_run=dry_run)
        data = _data(which, changed, dry_run=dry_run)
        return {**data, "cancelled": changed.number, "whole_run": False}

    def _changed(
        self, verb: ActionVerb, which: TaskFilter, change: Change, *, dry_run: bool
    ) -> Changed:
        counted = self._counted(which)
        number, exact = counted.number, counted.is_all
        if dry_run or (exact and not number):
            return Changed(number=number, exact=exact)
        detail = {"filter": fields_of(which)}
        if exact and number <= AT_ONCE:

            def at_once(own: Store) -> int:
                return change(own, which, not_told)

            done = self.do.now(verb, which.run, at_once, detail, done_of=int)
            return Changed(number=done, exact=True)
        total = number if exact else None
        action = self.do.in_background(
            verb, which.run, total, lambda own, advance: change(own, which, advance), detail
        )
        self.response.status_code = HTTPStatus.ACCEPTED
        return Changed(number=number, exact=exact, action=action)

    def _counted(self, which: TaskFilter) -> Counted:
        """As far as a request waits for it: a filter may match few among millions."""
        if not which.states:
            return Counted(0, is_all=True)
        return self.store.tasks.count_within(which, limit=MAX_COUNTED, scan=SCAN)


def _data(which: TaskFilter, changed: Changed, *, dry_run: bool) -> dict[str, Any]:
    return {
        "run": which.run,
        "dry_run": dry_run,
        "exact": changed.exact,
        "action": changed.action,
    }
