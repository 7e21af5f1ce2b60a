"""Items as a table: which columns they have, and what each row shows in them."""

from collections import Counter
from collections.abc import Sequence
from typing import Any, Final, NamedTuple

from swather.masking import HIDDEN, masked_data
from swather.model.results import StoredItem
from swather.web.brief import line

MOST: Final = 8
_CELL: Final = 80
# Where items are no objects.
_VALUE: Final = "value"


class Cell(NamedTuple):
    text: str
    is_number: bool
    address: str


class Columns(NamedTuple):
    """`names` as they are in the items, and which of them have only `numbers`; `left_out` more are
    only in the JSON of an item.
    """

    names: list[str]
    numbers: frozenset[str]
    left_out: int

    @property
    def titles(self) -> list[tuple[str, bool]]:
        """What to write above each, and whether numbers are below it."""
        return [(line(name, 40), name in self.numbers) for name in self.names]

    def row(self, item: StoredItem) -> list[Cell | None]:
        """None where the item has no such member."""
        if not isinstance(item.data, dict):
            return [_cell(item.data) if name == _VALUE else None for name in self.names]
        return [
            _cell(_shown(name, item.data[name])) if name in item.data else None
            for name in self.names
        ]


def columns_of(items: Sequence[StoredItem]) -> Columns:
    """Those that most items have, in the order in which they come."""
    seen: Counter[str] = Counter()
    for item in items:
        seen.update(list(item.data) if isinstance(item.data, dict) else [_VALUE])
    names = {name for name, _ in seen.most_common(MOST)}
    others = {name for item in items for name in names if not _is_number(item, name)}
    kept = [name for name in seen if name in names]
    return Columns(kept, frozenset(names - others), len(seen) - len(kept))


def _is_number(item: StoredItem, name: str) -> bool:
    """Or nothing."""
    if not isinstance(item.data, dict):
        return name != _VALUE or _is_numeric(item.data)
    return name not in item.data or _is_numeric(item.data[name])


def _is_numeric(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _shown(name: str, value: Any) -> Any:
    """A member that is named like a password is hidden, as in the JSON beside it."""
    is_secret = isinstance(value, str | int) and masked_data({name: ""})[name] != ""
    return HIDDEN if is_secret else value


def _cell(value: Any) -> Cell | None:
    if value is None:
        return None
    text = line(value, _CELL)
    is_address = isinstance(value, str) and value.startswith(("https://", "http://"))
    # One that was shortened or has a password hidden in it leads nowhere.
    return Cell(text, _is_numeric(value), text if is_address and text == value else "")
