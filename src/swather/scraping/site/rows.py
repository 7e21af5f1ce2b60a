"""Rows of a page: their values, and why some are rejected."""

from collections import Counter
from dataclasses import dataclass, fields, is_dataclass
from decimal import Decimal
from typing import Any, Final, NamedTuple

import msgspec

from swather.scraping.site.kinds import clean
from swather.scraping.site.patterns import Budget, MatchTimeout, Pattern

MISSING_PREFIX: Final = "missing_"
NO_KEY: Final = "no_key"
TOO_MANY: Final = "too_many_rows"
REPEATED: Final = "repeated_page"


@dataclass(frozen=True, slots=True)
class Row:
    """What was read: `values` by field (None where there is none), the natural `key`, and the
    reason why it is `rejected`, if it is.
    """

    values: dict[str, Any]
    key: str | None = None
    rejected: str | None = None

    @property
    def id(self) -> str:
        """What makes it the same row on another page: its key, or all its values."""
        return self.key or msgspec.json.encode(self.item).decode()

    @property
    def item(self) -> dict[str, Any]:
        """As JSON: amounts of prices are texts, which keep all their decimals."""
        return {name: as_json(value) for name, value in self.values.items()}


class Rows(NamedTuple):
    """Of one page: those that are accepted, those that are not, how many were `cut` because there
    are too many, and what a person should know.
    """

    all: list[Row]
    cut: int = 0
    notes: tuple[str, ...] = ()

    @property
    def accepted(self) -> list[Row]:
        return [row for row in self.all if row.rejected is None]

    @property
    def rejections(self) -> Counter[str]:
        """How many were rejected, by reason."""
        counts = Counter(row.rejected for row in self.all if row.rejected is not None)
        if self.cut:
            counts[TOO_MANY] += self.cut
        return counts

    @property
    def page_id(self) -> str:
        """What tells this page from others: its accepted rows, by their keys or values, in any
        order. A head or an advertisement that every page shows is no sign of a page that was seen
        before; rejected rows count only if there are no others.
        """
        return "\n".join(sorted({row.id for row in self.accepted or self.all}))


class Rule(NamedTuple):
    """A condition on a field, and the reason of those that it rejects."""

    field: str
    reason: str
    test: str
    wanted: Any
    rejects: bool

    def is_broken_by(self, values: dict[str, Any], budget: Budget) -> bool:
        value = values.get(self.field)
        if self.test == "missing":
            return ((value is None) is self.wanted) is self.rejects
        # What is not there is neither this nor that: only `missing` and `required` look for it.
        return value is not None and self._holds(value, budget) is self.rejects

    def _holds(self, value: Any, budget: Budget) -> bool:
        if isinstance(value, list):
            return any(self._holds(each, budget) for each in value)
        match self.test:
            case "equals":
                return _same(value, self.wanted)
            case "one_of":
                return any(_same(value, each) for each in self.wanted)
            case "matches":
                assert isinstance(self.wanted, Pattern)
                return self.wanted.is_in(as_text(value), budget)
            case "at_least":
                return (number := _number(value)) is not None and number >= self.wanted
            case _:
                return (number := _number(value)) is not None and number <= self.wanted


def rejection(
    rules: tuple[Rule, ...], required: tuple[str, ...], values: dict[str, Any], budget: Budget
) -> str | None:
    """Why a row is rejected, or None."""
    for name in required:
        if values.get(name) is None:
            return f"{MISSING_PREFIX}{name}"
    for rule in rules:
        try:
            if rule.is_broken_by(values, budget):
                return rule.reason
        except MatchTimeout:
            return "regex_timeout"
    return None


def as_json(value: Any) -> Any:
    """A value as it is stored."""
    if isinstance(value, list):
        return [as_json(each) for each in value]
    if not is_dataclass(value):
        return value
    # Of a price, what was not said is left out.
    said = [each.name for each in fields(value) if getattr(value, each.name) != each.default]
    return {name: msgspec.to_builtins(getattr(value, name)) for name in said}


def as_text(value: Any) -> str:
    """A value as people read it: of a price, what the page says."""
    return clean(str(getattr(value, "raw", value)))


def _number(value: Any) -> float | Decimal | None:
    amount = getattr(value, "amount", value)
    is_number = isinstance(amount, int | float | Decimal) and not isinstance(amount, bool)
    return amount if is_number else None


def _same(value: Any, wanted: Any) -> bool:
    if isinstance(wanted, str):
        return as_text(value).casefold() == clean(wanted).casefold()
    return bool(getattr(value, "amount", value) == wanted)
