"""Ways to find a value: by CSS, XPath, JSON-LD or microdata, then read as what it is."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import islice
from typing import Any, Final, NamedTuple, Protocol

from swather.scraping.site.json_ld import LdPath
from swather.scraping.site.kinds import KINDS, NotThisKind, Reading, clean
from swather.scraping.site.microdata import PropPath
from swather.scraping.site.node import Node, compiled_xpath
from swather.scraping.site.patterns import MatchTimeout, Pattern
from swather.scraping.site.sight import Place

MAX_VALUES: Final = 1_000


class Finder(Protocol):
    """Finds what a way is about: texts, or the numbers and flags of JSON."""

    def find(self, place: Place, attribute: str | None) -> Iterable[Any]: ...


class Css(NamedTuple):
    selector: str

    @property
    def in_words(self) -> str:
        return f"css {self.selector!r}"

    def find(self, place: Place, attribute: str | None) -> Iterator[Any]:
        nodes = [] if place.node is None else place.node.css(self.selector)
        for node in nodes:
            yield node.text() if attribute is None else node.attribute(attribute)


class XPath:
    def __init__(self, text: str) -> None:
        self._text = text
        self._expression = compiled_xpath(text)

    @property
    def in_words(self) -> str:
        return f"xpath {self._text!r}"

    def nodes(self, node: Node) -> list[Node]:
        return node.xpath(self._expression)

    def find(self, place: Place, attribute: str | None) -> Iterator[Any]:
        for node in [] if place.node is None else self.nodes(place.node):
            yield node.text() if attribute is None else node.attribute(attribute)


class InJsonLd(NamedTuple):
    path: LdPath

    @property
    def in_words(self) -> str:
        return f"json_ld {self.path.text!r}"

    def find(self, place: Place, attribute: str | None) -> Iterator[Any]:  # noqa: ARG002 - no element
        return place.json_ld.values(self.path)


class InMicrodata(NamedTuple):
    path: PropPath

    def find(self, place: Place, attribute: str | None) -> Iterator[Any]:  # noqa: ARG002 - its own
        return self.path.values(place.node) if place.node is not None else iter(())


class InColumn(NamedTuple):
    """In a row of a PDF's table."""

    name: str

    def find(self, place: Place, attribute: str | None) -> Iterator[Any]:  # noqa: ARG002 - no element
        return iter((place.data[self.name],) if isinstance(place.data, dict) else ())


class Tried(NamedTuple):
    """What a way came to: a value, or why it gave none."""

    way: "Way"
    value: Any = None
    why_not: str = ""


@dataclass(frozen=True, kw_only=True)
class Way:
    """How a value is found and read. `source` and `text` are as the file has them."""

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
        most = MAX_VALUES if self.is_list or self.join is not None else 1
        values: list[Any] = []
        why_not = "nothing matches"
        reading = self.reading._replace(base=place.sight.base)
        found = iter(self.finder.find(place, self.attribute))
        # Of one value, those that come after it need not be looked at.
        for raw in islice(found, MAX_VALUES):
            try:
                value = self._read(raw, reading, place)
            except NotThisKind as error:
                why_not = f"{_shown(raw)} is no {self.kind}: {error}"
                continue
            except MatchTimeout:
                place.sight.note(f"the regex {self.pattern and self.pattern.text!r} took too long")
                why_not = "the regex took too long"
                continue
            if value is None or value == "":
                why_not = self._empty(raw)
                continue
            values.append(value)
            if len(values) >= most:
                break
        if most > 1 and next(found, None) is not None:
            place.sight.note(f"{self.in_words} matches more than {MAX_VALUES:,} times; cut")
        return values, why_not

    def _read(self, raw: Any, reading: Reading, place: Place) -> Any:
        if raw is None:
            return None
        if isinstance(raw, int | float) and self.pattern is None and self.kind in _OF_JSON:
            return raw
        text = _as_text(raw)
        if self.pattern is not None:
            found = self.pattern.find(text, place.sight.budget)
            if found is None:
                return None
            text = found
        if not text.strip():
            return None
        return KINDS[self.kind](text, reading)

    def _empty(self, raw: Any) -> str:
        if raw is None:
            return f"matches, but has no attribute {self.attribute!r}"
        if self.pattern is not None:
            return f"the regex finds nothing in {_shown(raw)}"
        return "matches, but is empty"


# Of a number in JSON-LD nothing needs to be read.
_OF_JSON: Final = {"text", "raw", "number"}


def _as_text(raw: Any) -> str:
    if isinstance(raw, bool):
        return "true" if raw else "false"
    return str(raw)


def _shown(raw: Any) -> str:
    text = clean(_as_text(raw)[:200])
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
