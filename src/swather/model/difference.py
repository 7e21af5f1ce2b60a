"""What differs between two states of an item, field by field.

A nested field is named by its path, `offer.price`. A list is one value, and its order counts. What
is missing is the same as null. Numbers that differ by less than rounding are the same, and so are
two decimals as text that have the same value: "19.90" and "19.9".
"""

import math
import re
from collections.abc import Collection, Iterator
from decimal import Decimal
from typing import Any, Final

import msgspec

# What calculating with floats changes, and no price does.
_NOISE: Final = 1e-9
_NEARLY_ZERO: Final = 1e-12
_DECIMAL: Final = re.compile(r"[+-]?(?:0|[1-9][0-9]{0,29})(?:\.[0-9]{1,30})?")
_PERCENT_PLACES: Final = 4


class FieldChange(msgspec.Struct, frozen=True, kw_only=True):
    """A field that changed; None where it is missing. `percent` is that of two numbers."""

    field: str
    before: Any
    after: Any
    percent: float | None


def differences(
    before: dict[str, Any], after: dict[str, Any], ignored: Collection[str] = ()
) -> list[FieldChange]:
    """The fields that changed, in the order of the item. An ignored field is left out with all that
    is in it.
    """
    return list(_walk("", before, after, frozenset(ignored), is_one_currency=True))


def _walk(
    path: str, before: Any, after: Any, ignored: frozenset[str], *, is_one_currency: bool
) -> Iterator[FieldChange]:
    if not (isinstance(before, dict) and isinstance(after, dict)):
        if not is_same(before, after):
            percent = percentage(before, after) if is_one_currency else None
            yield FieldChange(field=path, before=before, after=after, percent=percent)
        return
    is_one_currency = is_one_currency and _currencies(before) == _currencies(after)
    for name in {**before, **after}:
        inner = f"{path}.{name}" if path else name
        if inner not in ignored:
            yield from _walk(
                inner,
                before.get(name),
                after.get(name),
                ignored,
                is_one_currency=is_one_currency,
            )


def is_same(before: Any, after: Any) -> bool:
    """Whether two values are the same but for noise."""
    if isinstance(before, dict) and isinstance(after, dict):
        return all(is_same(before.get(name), after.get(name)) for name in {**before, **after})
    if isinstance(before, list) and isinstance(after, list):
        return len(before) == len(after) and all(map(is_same, before, after))
    if _is_number(before) and _is_number(after):
        if isinstance(before, int) and isinstance(after, int):
            return before == after
        return _is_close(before, after)
    if isinstance(before, str) and isinstance(after, str):
        return before == after or _is_same_decimal(before, after)
    return type(before) is type(after) and before == after


def percentage(before: Any, after: Any) -> float | None:
    """By how much a number grew, or fell; None for other values, and for a number that was 0 or
    changed only its type.
    """
    first, second = _numbers(before, after)
    if first is None or second is None or first in (0, second):
        return None
    percent = float((second - first) / abs(first) * 100)
    return round(percent, _PERCENT_PLACES) if math.isfinite(percent) else None


def value_at(row: dict[str, Any], path: str) -> Any:
    """What an item has at a path; None if nothing. A name with a dot in it goes first."""
    if path in row:
        return row[path]
    head, dot, rest = path.partition(".")
    while dot:
        if isinstance(inner := row.get(head), dict):
            found = value_at(inner, rest)
            if found is not None:
                return found
        following, dot, rest = rest.partition(".")
        head = f"{head}.{following}"
    return None


def _numbers(before: Any, after: Any) -> tuple[Decimal | None, Decimal | None]:
    """The values as numbers. Whole numbers as text may be codes: they are numbers only beside a
    number or a text with a decimal point.
    """
    both = (before, after)
    if not any(_is_number(value) or (isinstance(value, str) and "." in value) for value in both):
        return None, None
    return _number(before), _number(after)


def _number(value: Any) -> Decimal | None:
    if _is_number(value):
        # A float by its digits: 8.8 is not 8.800000000000000710.
        return Decimal(repr(value) if isinstance(value, float) else value)
    if isinstance(value, str) and _DECIMAL.fullmatch(value):
        return Decimal(value)
    return None


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _is_close(before: float, after: float) -> bool:
    try:
        return math.isclose(before, after, rel_tol=_NOISE, abs_tol=_NEARLY_ZERO)
    except OverflowError:
        # A whole number beyond all floats.
        return False


def _is_same_decimal(before: str, after: str) -> bool:
    first, second = _numbers(before, after)
    return first is not None and first == second


def _currencies(row: dict[str, Any]) -> dict[str, Any]:
    """The fields of an object that say in which money its prices are."""
    return {
        name: value.strip().casefold()
        for name, value in row.items()
        if isinstance(value, str) and "currency" in name.casefold()
    }
