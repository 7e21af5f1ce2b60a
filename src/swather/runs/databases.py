"""Which database a scraper's runs are in, where the tables of swather.toml name several."""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Final
from urllib.parse import parse_qs, urlsplit

from swather import settings_sources
from swather.errors import InputError
from swather.masking import masked_database
from swather.scraping import registry
from swather.scraping.registered import Registered, databases
from swather.store import factory

_PORT: Final = "5432"


def database_of(scrapers: Iterable[str], runs: Iterable[str] = ()) -> str | None:
    """The database that the tables name for these scrapers (names, or what names their code) and
    runs (or their scrapers); None if they name none. InputError if they name several: nobody works
    on two at once.
    """
    own = databases()
    if not own:
        return None
    found = {spec: own.get(_name_of(spec, own)) for spec in scrapers}
    found.update({run: own.get(_scraper_of(run, own)) for run in runs})
    if len(set(found.values())) <= 1:
        return next(iter(found.values()), None)
    general = _general()
    named = ", ".join(f"{name} in {masked_database(url or general)}" for name, url in found.items())
    raise InputError(
        f"one command works on one database, and swather.toml has {named}; name one with --db, or "
        "give a command for each"
    )


def _name_of(spec: str, own: Mapping[str, str]) -> str:
    is_name = spec in own or not (spec.endswith((".py", ".toml")) or ":" in spec)
    # Only the code itself knows how it is called.
    return spec if is_name else registry.load(spec).name


def _scraper_of(run: str, own: Mapping[str, str]) -> str:
    """Runs are called like 20260215_120000-books."""
    scraper = run.partition("-")[2]
    return scraper if run not in own and scraper in own else run


def elsewhere(known: Mapping[str, Registered], url: str) -> dict[str, str]:
    """The scrapers whose runs are in other databases than `url`, and in which: those whose tables
    name another one; and if `url` is named by a table, those whose tables name none.
    """
    here = _place(url)
    general = _general()
    named = {_place(each.db) for each in known.values() if each.db is not None}
    has_general = here not in named or here == _place(general)
    found = {name: each.db or ("" if has_general else general) for name, each in known.items()}
    return {name: db for name, db in found.items() if db and _place(db) != here}


def without_schedules(
    known: Mapping[str, Registered], scrapers: Iterable[str]
) -> dict[str, Registered]:
    """The same, but for the schedules of these scrapers."""
    return {**known, **{name: replace(known[name], schedule=None) for name in scrapers}}


def _place(url: str) -> str:
    """The same for two URLs of a database that differ in user, password and options."""
    path = factory.sqlite_path(url)
    if path is not None:
        return str(path.resolve())
    parts = urlsplit(url)
    host, _, port = parts.netloc.rpartition("@")[2].partition(":")
    given = parse_qs(parts.query)
    where = given.get("host", [host]) + given.get("port", [port or _PORT])
    return "/".join([*where, *given.get("dbname", [parts.path.strip("/")])])


def _general() -> str:
    """The database of scrapers whose tables name none."""
    return settings_sources.in_files("db") or factory.DEFAULT_URL
