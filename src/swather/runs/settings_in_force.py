"""The settings that apply, and where each comes from."""

from typing import Any, NamedTuple

from swather import settings_sources
from swather.masking import HIDDEN, masked_database
from swather.scraping.options import Options
from swather.scraping.registered import registered
from swather.scraping.scraper import Scraper
from swather.settings import DELAYS, OF_SCRAPERS, SECRETS
from swather.settings_sources import DECORATOR, DEFAULT, Resolved


class InForce(NamedTuple):
    """A setting: its value, where that comes from, what it is. A secret one is hidden."""

    name: str
    value: Any
    origin: str
    what: str


def settings_in_force(
    named: dict[str, Any], row: dict[str, Any], scraper: Scraper | None = None
) -> list[InForce]:
    """Every setting, with these options and this settings row; with a scraper, those of its
    decorator and its table, too.
    """
    options = Options() if scraper is None else scraper.options
    known = None if scraper is None else registered().get(scraper.name)
    resolved = settings_sources.read(
        named, row=row, of_scraper=None if known is None else known.own
    )
    return [
        _one(name, what, resolved, options)
        for name, what, _others in settings_sources.described()
        if name != "params"
    ]


def _one(name: str, what: str, resolved: Resolved, options: Options) -> InForce:
    value, origin = getattr(resolved.settings, name), resolved.origin(name)
    if name == "db":
        return InForce(name, masked_database(value), origin, what)
    if name in SECRETS and value is not None:
        return InForce(name, HIDDEN, origin, what)
    if value is None and name in OF_SCRAPERS:
        value = getattr(options, name)
        origin = _said_by(value, getattr(Options(), name))
    elif value is None and name in DELAYS:
        delay = options.delay_range()
        value = None if delay is None else delay[DELAYS.index(name)]
        origin = _said_by(delay, None)
    return InForce(name, _plain(value), origin, what)


def _said_by(value: Any, default: Any) -> str:
    return DEFAULT if value == default else DECORATOR


def _plain(value: Any) -> Any:
    return value if value is None or isinstance(value, bool | int | float) else str(value)
