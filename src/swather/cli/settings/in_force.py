"""The settings in force for a command, one row each."""

from typing import Any, NamedTuple

from swather import settings
from swather.cli import configured, database
from swather.masking import masked_database
from swather.scraping import registry
from swather.scraping.options import Options
from swather.store import factory


class InForce(NamedTuple):
    """A setting: its value, where that comes from, what it is."""

    name: str
    value: Any
    origin: str
    what: str


def in_force(db: str | None, spec: str | None = None) -> list[InForce]:
    """Every setting; with a scraper, those of its decorator too. A database that is not there yet
    has no settings row.
    """
    options = Options() if spec is None else registry.load(spec).options
    # The option is also filled from the environment and from files, which are the origin then.
    named = {} if db is None or settings.read().settings.db == db else {"db": db}
    resolved = settings.read(named, row=_row(settings.read(named).settings.db))
    return [
        _one(name, what, resolved, options)
        for name, what, _others in settings.described()
        if name != "params"
    ]


def _row(url: str) -> dict[str, Any]:
    path = factory.sqlite_path(url)
    if path is not None and not path.exists():
        return {}
    with database.opened(url) as store:
        return store.settings.all()


def _one(name: str, what: str, resolved: settings.Resolved, options: Options) -> InForce:
    value, origin = getattr(resolved.settings, name), resolved.origin(name)
    if name == "db":
        return InForce(name, masked_database(value), origin, what)
    if value is None and name in configured.OF_SCRAPERS:
        value = getattr(options, name)
        origin = _said_by(value, getattr(Options(), name))
    elif value is None and name in configured.DELAYS:
        delay = options.delay_range()
        value = None if delay is None else delay[configured.DELAYS.index(name)]
        origin = _said_by(delay, None)
    return InForce(name, _plain(value), origin, what)


def _said_by(value: Any, default: Any) -> str:
    return settings.DEFAULT if value == default else settings.DECORATOR


def _plain(value: Any) -> Any:
    return value if value is None or isinstance(value, bool | int | float) else str(value)
