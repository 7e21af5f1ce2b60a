"""Makes the rules by which rows are kept, and finds those that could never hold."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from swather.scraping.site.lines import Place
from swather.scraping.site.patterns import Pattern
from swather.scraping.site.problems import Problems, shown
from swather.scraping.site.rows import Rule
from swather.scraping.site.schema import TESTS
from swather.scraping.site.way_building import WayBuilder
from swather.scraping.site.ways import Way

_OF_NUMBERS: Final = ("number", "price")
_BOUNDS: Final = ("at_least", "at_most")


class RuleBuilder:
    """Builds from tables that the schema accepts; mistakes go to `problems`."""

    def __init__(
        self, fields: Mapping[str, tuple[Way, ...]], ways: WayBuilder, problems: Problems
    ) -> None:
        self._fields = fields
        self._ways = ways
        self._problems = problems

    def rules(self, tables: Sequence[Mapping[str, Any]], which: str) -> list[Rule]:
        return [self._rule(table, (which, number)) for number, table in enumerate(tables)]

    def _rule(self, table: Mapping[str, Any], place: Place) -> Rule:
        test = next(each for each in TESTS if each in table)
        wanted = table[test]
        if test == "matches":
            wanted = self._ways.made(Pattern, wanted, (*place, test))
        elif test != "missing":
            self._check_values(table["field"], test, wanted, (*place, test))
        return Rule(table["field"], table["reason"], test, wanted, place[0] == "reject")

    def _check_values(self, field: str, test: str, wanted: Any, place: Place) -> None:
        ways = self._fields.get(field, ())
        for each in wanted if isinstance(wanted, list) else [wanted]:
            if isinstance(each, bool):
                why = _why_no_flag(field, ways)
            elif isinstance(each, int | float):
                why = _why_no_number(field, ways, each, is_bound=test in _BOUNDS)
            else:
                why = ""
            if why:
                self._problems.add(place, why)
                return


def _why_no_number(field: str, ways: tuple[Way, ...], wanted: float, *, is_bound: bool) -> str:
    kind = next((way.kind for way in ways if way.kind not in _OF_NUMBERS), None)
    if kind is None:
        return ""
    hint = "" if is_bound else f", or '{wanted}' in quotes here"
    return (
        f"got {wanted!r}, and the field {shown(field)} is {kind!r}, which is never a number; "
        f"expected as = 'number' or as = 'price' there{hint}"
    )


def _why_no_flag(field: str, ways: tuple[Way, ...]) -> str:
    has_flags = any(way.source == "json_ld" or isinstance(way.default, bool) for way in ways)
    if has_flags or not ways:
        return ""
    return (
        f"got true or false, which only json_ld has; the field {shown(field)} is text: expected "
        "text in quotes"
    )
