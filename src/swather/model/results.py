"""The results of runs, as read from the database."""

from collections.abc import Iterable
from datetime import datetime
from typing import Any, Final, NamedTuple

import msgspec

from swather.model.outcome import EXHAUSTED, File

# How many tasks of a group are asked for its most frequent message, and how many messages.
MAX_TASKS_ASKED: Final = 200
MAX_MESSAGES_ASKED: Final = 50

# A task and the number of one of its parts: what a checkpoint, or its end, committed.
Part = tuple[int, int]


class Unlinked(NamedTuple):
    """Committed files whose friendly names are still to be made."""

    part: Part
    run_id: int
    files: list[File]


class StoredItem(msgspec.Struct, frozen=True, kw_only=True):
    """An item and where it came from. `partial`: its task has not completed (yet, or ever)."""

    position: str
    task_id: int
    part: int
    seq: int
    key: str | None
    data: Any
    partial: bool


class StoredFile(msgspec.Struct, frozen=True, kw_only=True):
    """A file's row; the content is stored under its hash."""

    position: str
    task_id: int
    part: int
    seq: int
    name: str
    sha256: str
    size_bytes: int
    media_type: str


class TaskResults(NamedTuple):
    """What a task left behind, in the order of its parts."""

    items: list[StoredItem]
    files: list[StoredFile]


class TaskIdentity(NamedTuple):
    """The key of a task, which the same target has in every run, and the target."""

    key: bytes
    target: Any


class Counterpart(NamedTuple):
    """What another run has of a task's target, or of the nearest target that led to it. `depth`: 0
    for the target itself; 1 for its parent. Without a counterpart `exists` is False; `state` is
    None while the task has not ended. `has_more`: it has items after the position that was asked
    about.
    """

    exists: bool
    depth: int
    state: str | None
    reason: str | None
    has_more: bool = False


class FoundItems(NamedTuple):
    """Items that match, the newest first. `is_all`: there are no more; otherwise the search goes on
    before `next_position`.
    """

    items: list[StoredItem]
    next_position: str
    is_all: bool


class ErrorGroup(msgspec.Struct, frozen=True, kw_only=True):
    """Failures that look the same. `muted`: people do not want to see it."""

    fingerprint: str
    run: str
    error_class: str
    title: str
    where: str
    count: int
    first_at: datetime
    last_at: datetime
    sample_task_id: int
    sample_message: str
    sample_traceback: str
    muted: bool = False


class ErrorExample(msgspec.Struct, frozen=True, kw_only=True):
    """A failure as it happened: its task and what it said."""

    task_id: int
    message: str
    traceback: str


def most_frequent(
    rows: Iterable[tuple[str | None, int, int]], group: ErrorGroup
) -> tuple[int, str]:
    """Task and message, from rows of (message, times, newest task). What was retried and what was
    given up says the same. A group whose tasks have all failed otherwise since has its sample.
    """
    times: dict[str, int] = {}
    newest: dict[str, int] = {}
    for stored, number, task_id in rows:
        message = (stored or "").removeprefix(EXHAUSTED)
        times[message] = times.get(message, 0) + number
        newest[message] = max(newest.get(message, 0), task_id)
    if not times:
        return group.sample_task_id, group.sample_message
    message = max(times, key=lambda text: (times[text], newest[text]))
    return newest[message], message


def by_part(rows: Iterable[tuple[Any, ...]]) -> list[Unlinked]:
    """Files from rows of (task, part, run, name, sha256, size, media type)."""
    parts: dict[Part, Unlinked] = {}
    for task_id, part, run_id, name, sha256, size_bytes, media_type in rows:
        file = File(name=name, sha256=sha256, size_bytes=size_bytes, media_type=media_type)
        parts.setdefault((task_id, part), Unlinked((task_id, part), run_id, [])).files.append(file)
    return list(parts.values())


def by_key(rows: Iterable[tuple[str, int]]) -> dict[str, list[int]]:
    """Tasks by the key of their item, from rows of (key, task)."""
    tasks: dict[str, list[int]] = {}
    for key, task_id in rows:
        tasks.setdefault(key, []).append(task_id)
    return tasks


def found_items(items: list[StoredItem], stop: str | None, limit: int) -> FoundItems:
    """What a search has found that may have stopped at a position before it had read all."""
    if len(items) == limit:
        return FoundItems(items, items[-1].position, is_all=False)
    return FoundItems(items, stop or "", is_all=stop is None)
