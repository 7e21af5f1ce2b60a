"""Which item of one run is the same thing as which item of another.

An item has the key that its scraper gave it. Named fields, if a person names some, go before it.
What has neither is matched by its target and its place among the items of that target.
"""

from collections import Counter
from collections.abc import Collection, Sequence
from enum import StrEnum
from itertools import islice
from typing import Any, Final

import msgspec

from swather.errors import InputError
from swather.model.difference import value_at
from swather.model.payload import decode
from swather.model.results import StoredItem
from swather.runs.disk_sort import DiskSort
from swather.runs.items import Reading
from swather.runs.table import row_of
from swather.store import Store

_MAX_NAMES_SHOWN: Final = 12

_encode = msgspec.json.Encoder(order="sorted").encode


class MatchedBy(StrEnum):
    """How an item was matched: in the words of a summary."""

    KEY = "key"
    FIELDS = "fields"
    PLACE = "target and place"


# The first byte of what is matched.
_MARKS: Final = {MatchedBy.KEY: b"k", MatchedBy.FIELDS: b"f", MatchedBy.PLACE: b"t"}
_BY_MARK: Final = {mark[0]: by for by, mark in _MARKS.items()}


class Matcher:
    """Reads the items of a run into a sort, in the order in which they are matched; `counts` says
    how many are matched in which way, `position` which was the last.
    """

    def __init__(self, store: Store, run: str, fields: Sequence[str]) -> None:
        self._store = store
        self._run = run
        self._fields = fields
        self._names: dict[str, None] = {}
        self.counts: Counter[MatchedBy] = Counter()
        self.position = ""

    def read_into(self, sort: DiskSort) -> None:
        for piece in Reading(self._store, self._run).pieces():
            self.position = piece.position
            keys = [self._key(item) for item in piece.stored]
            targets = self._target_keys(
                {item.task_id for item, key in zip(piece.stored, keys, strict=True) if key is None}
            )
            for item, key, line in zip(piece.stored, keys, piece.lines, strict=True):
                found = _MARKS[MatchedBy.PLACE] + targets[item.task_id] if key is None else key
                self.counts[matched_by(found)] += 1
                sort.add((found, order_of(item), line))
        if self._fields and not self.counts[MatchedBy.FIELDS] and self.counts:
            raise self._has_no_such_field()

    def _key(self, item: StoredItem) -> bytes | None:
        if not self._fields:
            return None if item.key is None else _MARKS[MatchedBy.KEY] + item.key.encode()
        row = row_of(item.data)
        values = [value_at(row, field) for field in self._fields]
        if None in values:
            self._names.update(dict.fromkeys(islice(row, _MAX_NAMES_SHOWN)))
            return None
        return _MARKS[MatchedBy.FIELDS] + _encode([_text_of(value) for value in values])

    def _target_keys(self, tasks: Collection[int]) -> dict[int, bytes]:
        known = self._store.results.identities(tasks) if tasks else {}
        # A task that was removed meanwhile matches nothing.
        return {task: known[task].key if task in known else b"removed %d" % task for task in tasks}

    def _has_no_such_field(self) -> InputError:
        wanted = " and ".join(map(repr, self._fields))
        names = ", ".join(islice(self._names, _MAX_NAMES_SHOWN))
        return InputError(
            f"no item of run {self._run} has the field {wanted}, which --key names; "
            f"its items have: {names or 'no fields'}"
        )


def matched_by(match: bytes) -> MatchedBy:
    return _BY_MARK[match[0]]


def shown_key(match: bytes) -> str | None:
    """The key as people read it; None for one that is matched by its place."""
    match matched_by(match):
        case MatchedBy.KEY:
            return match[1:].decode()
        case MatchedBy.FIELDS:
            return ", ".join(decode(match[1:]))
        case MatchedBy.PLACE:
            return None


def order_of(item: StoredItem) -> bytes:
    """Items of one match are in the order of their tasks and places."""
    return item.task_id.to_bytes(8) + item.part.to_bytes(4) + item.seq.to_bytes(4)


def task_of(order: bytes) -> int:
    return int.from_bytes(order[:8])


def _text_of(value: Any) -> str:
    """Keys are compared as text: 12, 12.0 and "12" are one."""
    if isinstance(value, str):
        return value
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return _encode(value).decode()
