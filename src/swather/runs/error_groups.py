"""What went wrong in runs, grouped, as programs read it."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any, Final

from swather.model.history_details import GroupTimes
from swather.model.results import ErrorGroup
from swather.model.task import State
from swather.model.task_filter import TaskFilter
from swather.runs import group_times
from swather.store import Store

ALL: Final = 2**53


def groups_of(
    store: Store, run: str, *, limit: int = 100, count_to: int = ALL
) -> list[dict[str, Any]]:
    """Those of a run, the most frequent first."""
    return _data_of_all(store, store.results.errors(run, limit=limit), count_to)


def groups_of_all(
    store: Store, *, limit: int = 100, since: datetime | None = None, count_to: int = ALL
) -> list[dict[str, Any]]:
    """Those of all runs, the latest first."""
    found = store.results.error_groups(limit=limit, since=since)
    return _data_of_all(store, found, count_to)


def data_of(store: Store, group: ErrorGroup, count_to: int = ALL) -> dict[str, Any]:
    """`count_to`: where there are more that failed, so many are told."""
    (data,) = _data_of_all(store, [group], count_to)
    return data


def _data_of_all(store: Store, groups: Sequence[ErrorGroup], count_to: int) -> list[dict[str, Any]]:
    if not groups:
        return []
    times = store.history.group_times(
        [(group.run, group.fingerprint) for group in groups], seconds=group_times.DAY
    )
    return [_data_of(store, group, times, count_to) for group in groups]


def _data_of(store: Store, group: ErrorGroup, times: GroupTimes, count_to: int) -> dict[str, Any]:
    failed = TaskFilter(
        run=group.run, states=frozenset({State.FAILED}), fingerprint=group.fingerprint
    )
    example = store.results.error_example(group)
    return {
        "group": group.fingerprint,
        "run": group.run,
        "error_class": group.error_class,
        "count": group.count,
        "failed": store.tasks.count_up_to(failed, count_to),
        "title": group.title,
        "where": group.where,
        "task": example.task_id,
        "first_at": group.first_at,
        "last_at": group.last_at,
        "message": example.message,
        "traceback": example.traceback,
        "muted": group.muted,
        "when": group_times.data_of(times, (group.run, group.fingerprint)),
    }
