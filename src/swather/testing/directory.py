"""A stand-in for a directory of businesses, searched by city and category.

with directory() as site:
    … scrape site.url + "/search?search_terms=plumbers&geo_location_terms=Reno%2C%20NV" …
assert … == site.truth([("NV", "Reno", "plumbers")])
"""

import threading
import time
from collections import Counter
from collections.abc import Iterable
from typing import Final, NamedTuple
from urllib.parse import parse_qs, quote

from swather.builtin.listings.us_cities import cities
from swather.builtin.listings.us_states import STATES
from swather.testing.business import Business, on_pages, results
from swather.testing.directory_pages import empty_page, new_layout_page, results_page
from swather.testing.site import Answer, Asked, FakeSite

PER_PAGE: Final = 10
SEARCH: Final = "/search"
_EVERYONE: Final = ""
_TOO_MANY: Final = 429

# State, city, category.
Search = tuple[str, str, str]


class Truth(NamedTuple):
    """What a scraper of some searches should find: `businesses`, by id, each once; and the `rows`
    of all their pages, among them those that are `closed`, `adverts`, and `repeated`: on the pages
    after the last one, which show the first again.
    """

    businesses: frozenset[int]
    rows: int
    closed: int
    adverts: int
    repeated: int


class _Ban(NamedTuple):
    status: int
    until: float


class Directory(FakeSite):
    """The site, and what a scraper should find on it.

    Every city of the built-in list that lies in its `states` can be searched for any category; a
    search of another one finds nothing, as some of these do. A business may be found on several
    pages, in several categories and cities, each time written in another way. Half of the searches
    have JSON-LD. Every third search has a link to a next page on its last one, which shows the
    first page again, as does any page after the last.

    With `is_scripted`, pages show nothing until their scripts have run. `rows_served` counts the
    rows of all results that were shown.
    """

    def __init__(self, seed: int, states: Iterable[str], port: int, *, is_scripted: bool) -> None:
        super().__init__({SEARCH: self._answer, "/robots.txt": Answer(status=404)}, port=port)
        self.has_new_layout = False
        self.rows_served = 0
        self.refused: Counter[int] = Counter()
        self._seed = seed
        self._is_scripted = is_scripted
        self._places = {(city.state, city.name) for city in cities(frozenset(states))}
        self._bans: dict[str, _Ban] = {}
        self._lock = threading.Lock()

    def ban(self, status: int, seconds: float, address: str = _EVERYONE) -> None:
        """Answer with a status, 429 or 403, for so long: to everyone, or to those who come through
        one proxy, by its name.
        """
        self._bans[address] = _Ban(status, time.monotonic() + seconds)

    def results(self, search: Search) -> list[Business]:
        """What a search finds, as the directory knows it."""
        state, city, category = search
        is_known = (state, city) in self._places
        return results(self._seed, state, city, category) if is_known else []

    def truth(self, searches: Iterable[Search]) -> Truth:
        businesses: set[int] = set()
        counts: Counter[str] = Counter()
        for search in searches:
            pages = list(on_pages(self.results(search), PER_PAGE))
            businesses.update(row.id for page in pages for row in page if row.is_good)
            shown = [row for page in pages for row in page]
            if self._has_dead_end(search):
                counts["repeated"] += len(pages[0]) if pages else 0
            counts["closed"] += sum(row.is_closed for row in shown)
            counts["adverts"] += sum(row.is_advert for row in shown)
            counts["rows"] += len(shown)
        return Truth(
            frozenset(businesses),
            counts["rows"] + counts["repeated"],
            counts["closed"],
            counts["adverts"],
            counts["repeated"],
        )

    def _answer(self, asked: Asked) -> Answer:
        if (ban := self._ban_of(asked)) is not None:
            self.refused[ban.status] += 1
            left = max(ban.until - time.monotonic(), 0.0)
            wait = {"Retry-After": f"{left:.0f}"} if ban.status == _TOO_MANY else {}
            return Answer("<h1>Access denied</h1>", ban.status, wait)
        given = {name: values[0] for name, values in parse_qs(asked.query).items()}
        city, _, state = given.get("geo_location_terms", "").rpartition(",")
        search = (state.strip(), city.strip(), given.get("search_terms", ""))
        text = given.get("page", "1")
        return Answer(self._page(search, int(text) if text.isdecimal() else 1))

    def _page(self, search: Search, number: int) -> str:
        state, city, category = search
        title = f"{category} in {city}, {state}"
        pages = list(on_pages(self.results(search), PER_PAGE))
        if not pages:
            return empty_page(title)
        is_past_the_end = not 1 <= number <= len(pages)
        at = 0 if is_past_the_end else number - 1
        style = sum(map(ord, category)) + at
        rows = [row.written(style + place) for place, row in enumerate(pages[at])]
        with self._lock:
            self.rows_served += len(rows)
        if self.has_new_layout:
            return new_layout_page(title, rows)
        is_last = number >= len(pages)
        goes_on = not is_past_the_end and (not is_last or self._has_dead_end(search))
        return results_page(
            title,
            rows,
            _link(search, number + 1) if goes_on else "",
            has_json_ld=sum(map(ord, title)) % 2 == 0,
            is_scripted=self._is_scripted,
        )

    def _ban_of(self, asked: Asked) -> _Ban | None:
        via = asked.headers.get("via", "").rpartition(" ")[2]
        for address in (via, _EVERYONE):
            ban = self._bans.get(address)
            if ban is not None and ban.until > time.monotonic():
                return ban
        return None

    def _has_dead_end(self, search: Search) -> bool:
        return sum(map(ord, "".join(search))) % 3 == 0


def directory(
    *,
    seed: int = 1,
    states: Iterable[str] = STATES,
    port: int = 0,
    is_scripted: bool = False,
) -> Directory:
    """A directory of these states, the same for the same seed; serves in a `with` block."""
    return Directory(seed, states, port, is_scripted=is_scripted)


def search_of(search: Search) -> str:
    """The path of a search."""
    return _link(search, 1)


def _link(search: Search, number: int) -> str:
    state, city, category = search
    page = f"&page={number}" if number > 1 else ""
    where = quote(f"{city}, {state}", safe="")
    return f"{SEARCH}?search_terms={quote(category, safe='')}&geo_location_terms={where}{page}"
