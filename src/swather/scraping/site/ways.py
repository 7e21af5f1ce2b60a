"""Ways to find a value: by CSS, XPath, JSON-LD or microdata, then read as what it is."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from itertools import islice
from typing import Any, Final, NamedTuple, Protocol

from swather.scraping.site.data_price import data_price
from swather.scraping.site.kinds import KINDS, NotThisKind, Reading, clean
from swather.scraping.site.ld_path import LdPath
from swather.scraping.site.match import Match
from swather.scraping.site.microdata import PropPath
from swather.scraping.site.node import Node, compiled_xpath
from swather.scraping.site.patterns import MatchTimeout, Pattern
from swather.scraping.site.sight import Place

MAX_VALUES: Final = 1_000


class Finder(Protocol):
    """Finds what a way is about: texts, or the numbers and flags of JSON."""

    def find(self, place: Place, attribute: str | None) -> Iterable[Match]: ...


class Css(NamedTuple):
    selector: str

    @property
    def in_words(self) -> str:
        return f"css {self.selector!r}"

    @property
    def is_for_browsers(self) -> bool:
        """Whether a browser knows its words, too."""
        return ":lexbor-" not in self.selector

    def find(self, place: Place, attribute: str | None) -> Iterator[Match]:
        return _matches([] if place.node is None else place.node.css(self.selector), attribute)


class XPath:
    def __init__(self, text: str) -> None:
        self._text = text
        self._expression = compiled_xpath(text)

    @property
    def in_words(self) -> str:
        return f"xpath {self._text!r}"

    def nodes(self, node: Node) -> list[Node]:
        return node.xpath(self._expression)

    def find(self, place: Place, attribute: str | None) -> Iterator[Match]:
        return _matches([] if place.node is None else self.nodes(place.node), attribute)


def _matches(nodes: Iterable[Node], attribute: str | None) -> Iterator[Match]:
    for node in nodes:
        if attribute is None:
            yield Match(node.text())
        else:
            # <meta content> is what a page has for machines.
            yield Match(node.attribute(attribute), is_data=attribute == "content")


class InJsonLd(NamedTuple):
    """With `of_all`, in all objects of the path's type; otherwise in the first one."""

    path: LdPath
    of_all: bool = False

    @property
    def in_words(self) -> str:
        return f"json_ld {self.path.text!r}"

    def find(self, place: Place, attribute: str | None) -> Iterator[Match]:  # noqa: ARG002 - no element
        return place.json_ld.values(self.path, of_all=self.of_all)


class InMicrodata(NamedTuple):
    """With `of_all`, in all items of the path's type; otherwise in the first one."""

    path: PropPath
    of_all: bool = False

    def find(self, place: Place, attribute: str | None) -> Iterator[Match]:  # noqa: ARG002 - its own
        if place.node is None:
            return iter(())
        return self.path.values(place.node, of_all=self.of_all)


class InColumn(NamedTuple):
    """In a row of a PDF's table."""

    name: str

    def find(self, place: Place, attribute: str | None) -> Iterator[Match]:  # noqa: ARG002 - no element
        return iter((Match(place.data[self.name]),) if isinstance(place.data, dict) else ())


class Tried(NamedTuple):
    """What a way came to: a value, or why it gave none."""

    way: "Way"
    value: Any = None
    why_not: str = ""


@dataclass(frozen=True, kw_only=True)
class Way:
    """How a value is found and read. `source` and `text` are as the file has them. `people` is the
    country that a page is written for, where that is known: texts for people follow it.
    """

    source: str
    text: str
    finder: Finder
    attribute: str | None = None
    pattern: Pattern | None = None
    kind: str = "text"
    reading: Reading = field(default_factory=Reading)
    is_list: bool = False
    join: str | None = None
    default: Any = None
    people: str | None = None

    @property
    def in_words(self) -> str:
        extra = "" if self.attribute is None else f" attribute {self.attribute!r}"
        return f"{self.source} {self.text!r}{extra}"

    def try_on(self, place: Place) -> Tried:
        """The value at a place; None if there is none, and why."""
        values, why_not = self._values(place)
        if self.join is not None and values:
            return Tried(self, self.join.join(map(str, values)))
        if self.is_list and values:
            return Tried(self, values)
        if values:
            return Tried(self, values[0])
        return Tried(self, None, why_not)

    def _values(self, place: Place) -> tuple[list[Any], str]:
        values: list[Any] = []
        why_not = "nothing matches"
        found = iter(self.finder.find(place, self.attribute))
        try:
            for match in islice(found, MAX_VALUES):
                if not match.text.strip():
                    why_not = self._empty(match)
                    continue
                one = self._read(match, place)
                if one.value is None:
                    why_not = one.why_not
                else:
                    values.append(one.value)
                if not self._is_for_all:
                    # One that cannot be read is not replaced by the next one: that is about
                    # something else.
                    return values, why_not
            if next(found, None) is not None:
                place.sight.note(f"{self.in_words} matches more than {MAX_VALUES:,} times; cut")
        except NotThisKind as error:
            why_not = str(error)
        return values, why_not

    @property
    def _is_for_all(self) -> bool:
        return self.is_list or self.join is not None

    def _read(self, match: Match, place: Place) -> Tried:
        text = match.text
        if self.pattern is not None:
            try:
                found = self.pattern.find(text, place.sight.budget)
            except MatchTimeout:
                place.sight.note(f"the regex {self.pattern.text!r} took too long")
                return Tried(self, why_not="the regex took too long")
            if found is None or not found.strip():
                return Tried(self, why_not=f"the regex finds nothing in {_shown(text)}")
            text = found
        elif isinstance(match.raw, int | float) and self.kind in _OF_JSON:
            return Tried(self, match.raw)
        try:
            return Tried(self, self._value(text, match, place))
        except NotThisKind as error:
            return Tried(self, why_not=f"{_shown(text)} is no {self.kind}: {error}")

    def _value(self, text: str, match: Match, place: Place) -> Any:
        if self.kind == "price" and match.is_data:
            return data_price(text, match, self.reading)
        country = self.reading.country if match.is_data else self.people or self.reading.country
        value = KINDS[self.kind](
            text, self.reading._replace(base=place.sight.base, country=country)
        )
        return replace(value, is_from=True) if match.is_from and self.kind == "price" else value

    def _empty(self, match: Match) -> str:
        if match.raw is None:
            return f"matches, but has no attribute {self.attribute!r}"
        return "matches, but is empty"


# Of a number in JSON-LD nothing needs to be read.
_OF_JSON: Final = {"text", "raw", "number"}


def _shown(text: str) -> str:
    text = clean(text[:200])
    return repr(text if len(text) <= 60 else f"{text[:60]}…")


def tried(ways: Iterable[Way], place: Place) -> Iterator[Tried]:
    """Each way in order, until one has given a value."""
    for way in ways:
        result = way.try_on(place)
        yield result
        if result.value is not None:
            return


def found(ways: Iterable[Way], place: Place) -> Any:
    """The value of the first way that gives one, or the first default."""
    for result in tried(ways, place):
        if result.value is not None:
            return result.value
    return next((way.default for way in ways if way.default is not None), None)
