"""A site as its file describes it, and what that means for a page of it."""

from dataclasses import dataclass
from typing import Any, Final, NamedTuple

from swather.errors import BadTarget, Permanent
from swather.masking import shown_url
from swather.model.key import normalise_url
from swather.net.errors import MissingElement
from swather.net.page import Page, join
from swather.net.request import is_http
from swather.scraping.options import Options
from swather.scraping.site import patterns
from swather.scraping.site.natural_key import key_of
from swather.scraping.site.paging import NO_PAGING, Paging, Step
from swather.scraping.site.row_places import RowFinder, found_rows, rows_by
from swather.scraping.site.rows import NO_KEY, Row, Rows, Rule, rejection
from swather.scraping.site.sight import Place, Sight
from swather.scraping.site.template import Template
from swather.scraping.site.ways import Tried, Way, found, tried

MAX_ROWS: Final = 100_000
# Of what is said of a page, in the message of a task that failed on it.
MAX_REASONS: Final = 3
LAYOUT_CHANGED: Final = "layout_changed"
REGEX_TIMEOUT: Final = "regex_timeout"


class Looked(NamedTuple):
    """What was tried for a field of a row, way by way, and the value that it has."""

    field: str
    value: Any
    tried: list[Tried]


@dataclass(frozen=True, kw_only=True)
class Site:
    """A site file, read and checked. `text` is what it was read from."""

    name: str
    text: str
    fields: dict[str, tuple[Way, ...]]
    options: Options
    file: str | None = None
    description: str = ""
    start: tuple[str, ...] = ()
    target: Template | None = None
    targets: str | None = None
    rows_at: tuple[RowFinder, ...] = ()
    follow: str | None = None
    pdf_columns: tuple[str, ...] = ()
    empty: str | None = None
    layout: tuple[str, ...] = ()
    required: tuple[str, ...] = ()
    key: tuple[tuple[str, ...], ...] = ()
    rules: tuple[Rule, ...] = ()
    paging: Paging = NO_PAGING
    lane: Template | None = None
    partition: Template | None = None
    priority: Template | int | None = None

    @property
    def option_texts(self) -> dict[str, str]:
        """Options that the site makes functions of, as its file has them."""
        found = {
            "key": "the target's address",
            "targets": self.targets,
            "lane": None if self.lane is None else self.lane.text,
            "partition": None if self.partition is None else self.partition.text,
        }
        return {name: text for name, text in found.items() if text is not None}

    @property
    def is_list(self) -> bool:
        """Whether a page has several rows, or links to item pages."""
        return bool(self.rows_at or self.follow)

    def url_of(self, target: Any) -> str:
        """The address of a target: itself, its 'url', or what the template makes of it. BadTarget
        if it has none, or lacks a field.
        """
        url = target.get("url") if isinstance(target, dict) else target
        if isinstance(url, str) and is_http(url.strip()):
            return url.strip()
        if self.target is None:
            raise BadTarget(f"the site {self.name!r} takes the URLs of pages, got {target!r}")
        return self.target.filled(target, escape=True)

    def priority_of(self, target: Any) -> int | None:
        """That of a new target, if the file says one."""
        if not isinstance(self.priority, Template):
            return self.priority
        text = self.priority.filled(target)
        if not text.isdecimal() or len(text) > 2 or not 1 <= int(text) <= 10:
            raise BadTarget(f"expected a priority from 1 to 10, got {text!r} in {target!r}")
        return int(text)

    def items(self, page: Page, target: Any = None) -> Rows:
        """The rows of a page, or the one item of an item page, each accepted or rejected with a
        reason. Permanent, with the reason 'layout_changed', if nothing on it matches.
        """
        sight = Sight(page, target)
        self.check_layout(sight)
        places, cut = self._places(sight)
        rows = [self._row(place) for place in places]
        if sight.budget.is_spent:
            raise Permanent(
                f"the regular expressions of {self.name!r} take more than "
                f"{patterns.PAGE_SECONDS:g} s on {shown_url(page.url)}: {'; '.join(sight.notes)}",
                reason=REGEX_TIMEOUT,
            )
        if rows and not self._has_any(rows):
            raise self._changed(sight, "no field has a value on it")
        return Rows(rows, cut, tuple(sight.notes))

    def links(self, page: Page) -> list[str]:
        """The addresses of item pages that a list page links to."""
        if self.follow is None:
            return []
        sight = Sight(page)
        self.check_layout(sight)
        found = [
            join(sight.base, node.attribute("href") or "") for node in sight.root.css(self.follow)
        ]
        return list(dict.fromkeys(link for link in found if link))

    def next_page(self, page: Page, step: Step | None = None) -> Step | None:
        """Where the list goes on after a page, and None where it ends. `step` is what led to this
        page; it says which page it is, and what was seen before.
        """
        return self.paging.after(Sight(page), step or Step(url=page.url))

    def explain(self, page: Page, target: Any = None, *, rows: int = 3) -> list[list[Looked]]:
        """For each of the first rows and each field: which ways were tried, and what they gave."""
        sight = Sight(page, target)
        return [
            [self._looked(name, ways, place) for name, ways in self.fields.items()]
            for place in self._places(sight)[0][:rows]
        ]

    def explain_places(self, page: Page, *, is_item: bool = False) -> list[tuple[str, int]]:
        """What a list page is searched for, rows or links, and how many there are."""
        sight = Sight(page)
        if self.follow is not None and not is_item:
            return [(f"css {self.follow!r}", len(sight.root.css(self.follow)))]
        return [(each.in_words, len(rows_by(each, sight))) for each in self.rows_at]

    def check_layout(self, sight: Sight) -> None:
        for selector in self.layout:
            if not sight.root.css(selector):
                raise self._changed(sight, f"nothing matches layout = {selector!r}")

    def is_empty(self, sight: Sight) -> bool:
        """Whether a list says itself that it has no results."""
        return self.empty is not None and bool(sight.root.css(self.empty))

    def key_of(self, target: Any) -> str:
        """What makes two targets the same: their address."""
        return normalise_url(self.url_of(target))

    def _places(self, sight: Sight) -> tuple[list[Place], int]:
        if self.pdf_columns and sight.page.is_pdf:
            return self._pdf_rows(sight), 0
        if not self.rows_at:
            return [Place(sight, sight.root)], 0
        places = found_rows(self.rows_at, sight)
        cut = max(len(places) - MAX_ROWS, 0)
        if cut:
            sight.note(f"{len(places):,} rows on one page; the first {MAX_ROWS:,} are read")
        return places[:MAX_ROWS], cut

    def _pdf_rows(self, sight: Sight) -> list[Place]:
        try:
            rows = sight.page.pdf_rows(self.pdf_columns)
        except MissingElement as error:
            raise self._changed(sight, str(error)) from error
        return [Place(sight, data=row) for row in rows]

    def _row(self, place: Place) -> Row:
        values = {name: found(ways, place) for name, ways in self.fields.items()}
        why = rejection(self.rules, self.required, values, place.sight.budget)
        key = key_of(self.key, values, self.fields) if self.key else None
        if why is None and self.key and key is None:
            why = NO_KEY
        return Row(values, key, why)

    def _looked(self, name: str, ways: tuple[Way, ...], place: Place) -> Looked:
        return Looked(name, found(ways, place), list(tried(ways, place)))

    def _has_any(self, rows: list[Row]) -> bool:
        """Whether a row has a value that is not just a default."""
        defaults = {
            name: next((way.default for way in ways if way.default is not None), None)
            for name, ways in self.fields.items()
        }
        return any(
            value is not None and value is not defaults[name]
            for row in rows
            for name, value in row.values.items()
        )

    def no_rows(self, page: Page) -> Permanent | None:
        """What to raise for a first page without rows or links; None if it says that there are
        none.
        """
        sight = Sight(page)
        if self.is_empty(sight):
            return None
        if self.follow is None:
            wanted = "no row matches `items`"
        else:
            wanted = f"no link matches follow = {self.follow!r}"
        # What is said of the page may be the reason.
        found_rows(self.rows_at, sight)
        return self._changed(
            sight, f"{wanted}; if a list may have no results, name what it shows then as `empty`"
        )

    def _changed(self, sight: Sight, why: str) -> Permanent:
        return Permanent(
            f"the layout of {shown_url(sight.page.url)} is not the one that {self.name!r} "
            f"describes: {'; '.join([why, *sight.notes[:MAX_REASONS]])}",
            reason=LAYOUT_CHANGED,
        )
