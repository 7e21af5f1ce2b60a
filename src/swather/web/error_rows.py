"""Groups of failures as pages show them: how often, when, and how many tasks can be retried."""

from collections.abc import Iterable
from datetime import datetime
from typing import Final
from urllib.parse import quote, urlencode

import msgspec

from swather.model.history_details import GroupTimes
from swather.model.results import ErrorGroup
from swather.model.task import State
from swather.model.task_filter import TaskFilter
from swather.store import Store
from swather.web.group_sparks import Spark, keys_of, span_for, spark_of

# Tasks of larger groups are counted only when somebody asks to retry them.
MAX_COUNTED: Final = 1_000
MOST_OF_RUN: Final = 6
MOST_RUNS: Final = 5


class GroupRow(msgspec.Struct, frozen=True):
    """`failed`: how many tasks have ended like this, and could be retried; None if nobody has
    counted them.
    """

    group: ErrorGroup
    failed: int | None

    @property
    def tasks_address(self) -> str:
        return f"{self._base}/tasks?{urlencode({'group': self.group.fingerprint})}"

    @property
    def retry_address(self) -> str:
        given = {"verb": "retry", "state": "failed", "group": self.group.fingerprint}
        return f"{self._base}/tasks/confirm?{urlencode(given)}"

    @property
    def _base(self) -> str:
        return f"/runs/{quote(self.group.run, safe='')}"


class Kind(msgspec.Struct, frozen=True):
    """The same failure in several runs, the latest first; `rows` are those that are shown. `spark`:
    when it happened in these runs, None if that is not known.
    """

    groups: list[ErrorGroup]
    rows: list[GroupRow]
    spark: Spark | None

    @property
    def group(self) -> ErrorGroup:
        return self.groups[0]

    @property
    def count(self) -> int:
        return sum(group.count for group in self.groups)

    @property
    def first_at(self) -> datetime:
        return min(group.first_at for group in self.groups)

    @property
    def more(self) -> int:
        return len(self.groups) - len(self.rows)


def kinds_of(
    store: Store, groups: Iterable[ErrorGroup], times: GroupTimes, limit: int
) -> list[Kind]:
    """In the order in which they come."""
    by_fingerprint: dict[str, list[ErrorGroup]] = {}
    for group in groups:
        by_fingerprint.setdefault(group.fingerprint, []).append(group)
    shown = list(by_fingerprint.values())[:limit]
    span = span_for(times, keys_of(group for found in shown for group in found))
    return [
        Kind(found, rows_of(store, found[:MOST_RUNS]), spark_of(times, found, span))
        for found in shown
    ]


def groups_of_run(store: Store, run: str) -> list[GroupRow]:
    """The most frequent ones, without those that are muted."""
    found = store.results.errors(run, limit=50)
    shown = [group for group in found if not group.muted][:MOST_OF_RUN]
    return rows_of(store, shown)


def rows_of(store: Store, groups: Iterable[ErrorGroup]) -> list[GroupRow]:
    return [GroupRow(group, _failed(store, group)) for group in groups]


def _failed(store: Store, group: ErrorGroup) -> int | None:
    if group.count > MAX_COUNTED:
        return None
    which = TaskFilter(
        run=group.run, states=frozenset({State.FAILED}), fingerprint=group.fingerprint
    )
    return store.tasks.count_up_to(which, MAX_COUNTED)
