"""Makes ways of a file's tables: how values are found and read."""

from collections.abc import Callable, Mapping
from typing import Any, Final, TypeVar

from swather.errors import InputError, MissingExtra
from swather.scraping.site.kind_checks import wrong_country, wrong_currency, wrong_format
from swather.scraping.site.kinds import Reading
from swather.scraping.site.ld_path import LdPath
from swather.scraping.site.lines import Place
from swather.scraping.site.microdata import PropPath
from swather.scraping.site.patterns import Pattern
from swather.scraping.site.problems import Problems, instead_of, shown
from swather.scraping.site.schema import SOURCES
from swather.scraping.site.ways import Css, Finder, InColumn, InJsonLd, InMicrodata, Way, XPath

T = TypeVar("T")
Table = Mapping[str, Any]

# Keys of a way that say how one kind of value is read.
_OF_KIND: Final = {
    "format": ("date",),
    "decimal": ("number",),
    "currency": ("price",),
    "country": ("price", "phone"),
}


class WayBuilder:
    """Builds from tables that the schema accepts; mistakes go to `problems`."""

    def __init__(self, problems: Problems, columns: tuple[str, ...]) -> None:
        self._problems = problems
        self._columns = columns

    def ways(self, given: Any, place: Place) -> tuple[Way, ...]:
        if not isinstance(given, list):
            found = self._way(given, place)
            return () if found is None else (found,)
        ways = [self._way(each, (*place, number)) for number, each in enumerate(given)]
        return tuple(way for way in ways if way is not None)

    def link(self, given: Any, place: Place) -> tuple[Way, ...]:
        """Those of a link: of a CSS selector, the element's href."""
        if given is None:
            return ()
        table = {"css": given, "attribute": "href"} if isinstance(given, str) else given
        return self.ways(table, place)

    def css(self, selector: str, place: Place) -> Css | None:
        return self.made(_css, selector, place, "is not a CSS selector")

    def finder(
        self, source: str, text: str, place: Place, *, of_all: bool = False
    ) -> Finder | None:
        match source:
            case "css":
                return self.css(text, place)
            case "xpath":
                return self.made(XPath, text, place, "is not XPath")
            case "json_ld":
                path = self.made(LdPath, text, place)
                return None if path is None else InJsonLd(path, of_all)
            case "column":
                return self._column(text, place)
            case _:
                prop = self.made(PropPath, text, place)
                return None if prop is None else InMicrodata(prop, of_all)

    def made(self, make: Callable[[str], T], text: str, place: Place, what: str = "") -> T | None:
        """What is made of a text, or None and a problem."""
        try:
            return make(text)
        except (ValueError, MissingExtra) as error:
            between = f" {what}: " if what else ": "
            if isinstance(error, InputError):
                between = " "
            self._problems.add(place, f"{shown(text)}{between}{error}".rstrip(": "))
            return None

    def _way(self, given: Any, place: Place) -> Way | None:
        table: Table = {"css": given} if isinstance(given, str) else given
        at = place if isinstance(given, str) else None
        source = next(each for each in SOURCES if each in table)
        of_all = table.get("all", False) or "join" in table
        finder = self.finder(source, table[source], at or (*place, source), of_all=of_all)
        pattern = None
        if "regex" in table:
            pattern = self.made(Pattern, table["regex"], (*place, "regex"))
        kind = table.get("as", "text")
        self._check_keys_of_kind(table, kind, place)
        if "attribute" in table and source in {"json_ld", "microdata", "column"}:
            self._problems.add((*place, "attribute"), f"it is for css and xpath, not for {source}")
        if "all" in table and "join" in table:
            self._problems.add(
                (*place, "join"), "it contradicts 'all'; expected only one of the two"
            )
        if finder is None:
            return None
        return Way(
            source=source,
            text=table[source],
            finder=finder,
            attribute=table.get("attribute"),
            pattern=pattern,
            kind=kind,
            reading=Reading(
                format=table.get("format"),
                decimal=table.get("decimal", "."),
                currency=table.get("currency"),
                country=table.get("country"),
            ),
            is_list=table.get("all", False),
            join=table.get("join"),
            default=table.get("default"),
        )

    def _check_keys_of_kind(self, table: Table, kind: str, place: Place) -> None:
        for name, kinds in _OF_KIND.items():
            if name not in table:
                continue
            if kind in kinds:
                why = _wrong(name, table[name], kind)
            else:
                wanted = " or ".join(f"as = {each!r}" for each in kinds)
                why = f"it needs {wanted}, and this is {kind!r}"
            if why:
                self._problems.add((*place, name), why)

    def _column(self, name: str, place: Place) -> InColumn | None:
        if name in self._columns:
            return InColumn(" ".join(name.split()))
        hint = instead_of(name, self._columns) if self._columns else "it needs [pdf] columns"
        self._problems.add(place, f"there is no column {shown(name)}; {hint}")
        return None


def _wrong(name: str, value: str, kind: str) -> str:
    """What is wrong with the value of a key that belongs to a kind; '' if it is right."""
    match name:
        case "format":
            return wrong_format(value)
        case "currency":
            return wrong_currency(value)
        case "country":
            return wrong_country(value, kind)
        case _:
            return ""


def _css(selector: str) -> Css:
    from selectolax.lexbor import LexborHTMLParser, SelectolaxError  # noqa: PLC0415

    try:
        LexborHTMLParser("<p></p>").css(selector)
    except SelectolaxError:
        raise ValueError("") from None
    return Css(selector)
