"""Turns targets into rows: checked, encoded, keyed, in batches that fit in memory."""

from collections.abc import Collection, Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import islice
from typing import NamedTuple

from swather.errors import BadPayload, BadTarget, InputError
from swather.model.key import digest, key_of
from swather.model.payload import encode
from swather.model.task import Target, check_name, check_priority
from swather.store.checks import check_seconds


class Row(NamedTuple):
    """A target as a row to insert."""

    key: bytes
    target: str
    priority: int
    lane: str
    partition: str
    due_in_seconds: float
    parent_id: int | None


class Added(NamedTuple):
    """How many rows became tasks, and how many the run's limit left no room for."""

    new: int
    over_limit: int = 0


# The same few names come with millions of targets.
_checked_text = lru_cache(maxsize=10_000)(check_name)


def _checked_name(what: str, name: str) -> str:
    return _checked_text(what, name) if type(name) is str else check_name(what, name)


def row_of(target: Target) -> Row:
    due = target.due_in_seconds
    if due != 0:
        try:
            check_seconds("due_in_seconds", due)
        except InputError as error:
            raise BadTarget(str(error)) from error
    if target.parent_id is not None and type(target.parent_id) is not int:
        raise BadTarget(f"parent_id must be a task's id, got {target.parent_id!r}")
    value = target.value
    key = target.key
    return Row(
        digest(key_of(value) if key is None else key),
        encode(value, what="target"),
        check_priority(target.priority),
        _checked_name("lane", target.lane) if target.lane else "",
        _checked_name("partition", target.partition) if target.partition else "",
        due,
        target.parent_id,
    )


def rows_of(targets: Iterable[Target | Row], *, first: int = 0) -> list[Row]:
    """Rows for the targets that are not rows yet; an error names the target by its number, counting
    from `first` + 1.
    """
    rows = []
    for number, target in enumerate(targets, first + 1):
        try:
            rows.append(target if isinstance(target, Row) else row_of(target))
        except (BadTarget, BadPayload) as error:
            raise type(error)(f"target number {number:,}: {error}") from error
    return rows


def batches_of(targets: Iterable[Target | Row], size: int) -> Iterator[list[Row]]:
    iterator = iter(targets)
    first = 0
    while rows := rows_of(islice(iterator, size), first=first):
        first += len(rows)
        yield rows


def fitting(rows: Sequence[Row], known: Collection[bytes], room: int) -> tuple[list[Row], int]:
    """The rows that may be added where there is `room` for so many new ones, and how many do not
    fit. `known`: keys that the run already has.
    """
    seen = set(known)
    fits: list[Row] = []
    over = 0
    for row in rows:
        if row.key in seen:
            continue
        seen.add(row.key)
        if len(fits) < room:
            fits.append(row)
        else:
            over += 1
    return fits, over
