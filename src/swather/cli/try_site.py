"""`swather try` with a site file: which selector gave which value, and which gave none."""

from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from swather.net.page import Page
    from swather.scraping.scraper import Scraper
    from swather.scraping.site.site import Looked, Site

# Of a long list, the first rows tell.
MAX_ROWS: Final = 200
_MAX_CHARACTERS: Final = 70


class SiteLook:
    """Keeps the page that a site's scraper is tried on; of any other scraper, nothing."""

    def __init__(self, scraper: "Scraper") -> None:
        self._pages: list[tuple[Page, Any]] = []
        self._site: Site | None = None
        self.scraper = scraper
        if scraper.site is not None:
            from swather.scraping import site as sites

            assert isinstance(scraper.site, sites.Site)
            self._site = scraper.site
            watched = sites.scraper_of(self._site, watch=self._keep)
            self.scraper = replace(scraper, function=watched.function)

    def as_data(self) -> dict[str, Any]:
        """For --json; nothing if there was no page."""
        if self._site is None or not self._pages:
            return {}
        return {"fields": [dict(row) for row in self._rows(self._site)]}

    def show(self) -> None:
        """On standard error: the results alone go to standard output."""
        if self._site is None or not self._pages:
            return
        from rich.table import Table
        from rich.text import Text

        from swather.cli import output
        from swather.visible import visible_line

        table = Table(box=None, pad_edge=False, header_style="bold")
        for name in ("field", "way", "rows", "the first value, or why there is none"):
            table.add_column(name, overflow="fold")
        for row in self._rows(self._site):
            is_place = row["value"] is None and row["given"] == row["rows"]
            said = row["value"] if row["given"] else row["why_not"]
            text = "" if is_place and row["given"] else visible_line(_short(said))
            cells = (
                row["field"] if row["first"] else "",
                visible_line(row["way"]),
                str(row["given"]) if is_place else f"{row['given']} of {row['rows']}",
            )
            table.add_row(*map(Text, cells), Text(text, style="" if row["given"] else "yellow"))
        output.stderr().print(table)

    def _keep(self, page: "Page", target: Any) -> None:
        self._pages.append((page, target))

    def _rows(self, site: "Site") -> Iterator[dict[str, Any]]:
        """One for each way of each field that was tried, and how many rows got their value so."""
        from swather.scraping.site.scraper import is_item_page

        page, target = self._pages[-1]
        is_item = is_item_page(target)
        places = site.explain_places(page, is_item=is_item)
        for number, (way, count) in enumerate(places):
            yield _row("follow" if site.follow else "items", way, number == 0, count, count)
        if site.follow is not None and not is_item:
            return
        for looked in zip(*site.explain(page, target, rows=MAX_ROWS), strict=True):
            yield from _ways(site, looked)


def _ways(site: "Site", looked: "tuple[Looked, ...]") -> Iterator[dict[str, Any]]:
    from swather.scraping.site.rows import as_json

    for number, way in enumerate(site.fields[looked[0].field]):
        tried = [each.tried[number] for each in looked if number < len(each.tried)]
        gave = [each.value for each in tried if each.value is not None]
        why_not = "" if gave else tried[0].why_not if tried else "not needed"
        value = as_json(gave[0]) if gave else None
        name = looked[0].field
        yield _row(name, way.in_words, number == 0, len(looked), len(gave), value, why_not)
    defaults = [each for each in looked if each.value is not None and not _was_found(each)]
    if defaults:
        rows, given = len(looked), len(defaults)
        yield _row(looked[0].field, "default", False, rows, given, defaults[0].value)


def _was_found(looked: "Looked") -> bool:
    return any(each.value is not None for each in looked.tried)


def _row(
    field: str,
    way: str,
    is_first: bool,
    rows: int,
    given: int,
    value: Any = None,
    why_not: str = "",
) -> dict[str, Any]:
    return {
        "field": field, "way": way, "first": is_first, "rows": rows, "given": given,
        "value": value, "why_not": why_not,
    }  # fmt: skip


def _short(value: Any) -> str:
    from swather.scraping.site.rows import as_text

    text = as_text(value)
    if isinstance(value, dict) and "amount" in value:
        text = f"{value['amount']} {value.get('currency', '')} ({value.get('raw', '')})"
    return text if len(text) <= _MAX_CHARACTERS else f"{text[:_MAX_CHARACTERS]}…"
