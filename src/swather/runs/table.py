"""Items as a table: their columns in order of appearance, and what each column holds."""

from collections.abc import Iterable
from enum import StrEnum
from typing import Any, Final

import msgspec

ONLY_COLUMN: Final = "value"
# Integers beyond these are not exact as a float, or do not fit an integer column.
_EXACT: Final = 2**53
_INT64: Final = 2**63

_encode = msgspec.json.Encoder().encode


class Kind(StrEnum):
    """What the values of a column have in common; MIXED ones have nothing, or are nested."""

    EMPTY = "empty"
    BOOLEAN = "boolean"
    WHOLE = "whole"
    NUMBER = "number"
    TEXT = "text"
    MIXED = "mixed"


class Columns:
    """The union of the columns of all items that were added."""

    def __init__(self) -> None:
        self._kinds: dict[str, Kind] = {}
        self._inexact: set[str] = set()

    @property
    def names(self) -> list[str]:
        return list(self._kinds)

    @property
    def kinds(self) -> dict[str, Kind]:
        return {
            name: Kind.MIXED if kind is Kind.NUMBER and name in self._inexact else kind
            for name, kind in self._kinds.items()
        }

    def add(self, item: Any) -> None:
        for name, value in row_of(item).items():
            if type(value) is int and abs(value) >= _EXACT:
                self._inexact.add(name)
            self._kinds[name] = _both(self._kinds.get(name, Kind.EMPTY), _kind_of(value))

    def add_all(self, items: Iterable[Any]) -> None:
        for item in items:
            self.add(item)


def row_of(item: Any) -> dict[str, Any]:
    """The cells of an item by column; anything but an object has a single cell."""
    return item if isinstance(item, dict) else {ONLY_COLUMN: item}


def text_of(value: Any) -> str:
    """A value as the text of a cell: a text as it is, anything else as JSON."""
    return value if isinstance(value, str) else _encode(value).decode()


def _kind_of(value: Any) -> Kind:
    match value:
        case None:
            return Kind.EMPTY
        case bool():
            return Kind.BOOLEAN
        case int():
            return Kind.WHOLE if -_INT64 <= value < _INT64 else Kind.MIXED
        case float():
            return Kind.NUMBER
        case str():
            return Kind.TEXT
        case _:
            return Kind.MIXED


def _both(one: Kind, other: Kind) -> Kind:
    if one is other or other is Kind.EMPTY:
        return one
    if one is Kind.EMPTY:
        return other
    if {one, other} == {Kind.WHOLE, Kind.NUMBER}:
        return Kind.NUMBER
    return Kind.MIXED
