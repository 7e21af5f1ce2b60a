"""Closing the breaker of a source, so that it is asked again at once."""

from difflib import get_close_matches
from typing import Final

from swather.errors import NotFound
from swather.model.source import SourceStats
from swather.store import Store

_ALL_SECONDS: Final = 365 * 86_400.0


def reset_source(store: Store, source: str, scraper: str | None) -> list[str]:
    """The scrapers that ask it again, of one or of all; those whose breaker was closed anyway are
    not among them.
    """
    known = store.sources.find(since_seconds=_ALL_SECONDS, scraper=scraper)
    scrapers = [stats.scraper for stats in known if stats.source == source]
    if not scrapers:
        raise NotFound(_unknown(source, scraper, known))
    return [each for each in scrapers if store.sources.reset(each, source)]


def _unknown(source: str, scraper: str | None, known: list[SourceStats]) -> str:
    names = sorted({stats.source for stats in known})
    near = get_close_matches(source, names, n=1)
    of = "" if scraper is None else f" of scraper {scraper!r}"
    hint = f"; did you mean {near[0]!r}?" if near else "; `swather sources` lists them"
    return f"there is no source {source!r}{of}{hint}"
