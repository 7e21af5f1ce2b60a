"""Starts runs for clients: of registered scrapers, by name, for workers to execute."""

from collections.abc import Iterable, Mapping
from http import HTTPStatus
from typing import Any

from swather.api.problems import Refused
from swather.errors import InputError, LoadError, MissingExtra
from swather.runs.order import Order
from swather.runs.own_targets import OwnTargets, own_targets
from swather.runs.queued_run import QueuedRun
from swather.runs.source import Source, Values
from swather.runs.starting import Started, queued_answer
from swather.scraping import registry
from swather.scraping.registered import registered
from swather.scraping.scraper import Scraper


def registered_scraper(name: str) -> Scraper:
    """The registered scraper of a name. Never a path or a module: a request chooses no code."""
    if name not in registered():
        raise Refused(
            HTTPStatus.NOT_FOUND,
            f"no scraper is registered as {name!r}; name its file under [scrapers.{name}] in "
            "swather.toml where the server runs",
            command="swather scrapers",
        )
    try:
        return registry.load(name)
    except (LoadError, MissingExtra) as error:
        raise Refused(HTTPStatus.CONFLICT, str(error)) from error


def start_for_client(
    name: str,
    targets: Iterable[Any] | None,
    *,
    db: str,
    params: Mapping[str, Any] | None = None,
    resume: str | None = None,
    keep_open: bool = False,
    new: bool = True,
) -> Started:
    """A new run, or more targets for the one to `resume`, or without `new` for the one that the
    same began; without targets, those that the scraper is registered with. Private hosts among
    targets and params stay closed: they come from elsewhere.
    """
    scraper = registered_scraper(name)
    order = Order(
        scraper=scraper,
        source=_own_targets(scraper, params or {}, db)
        if targets is None
        else Values(targets, is_remote=True),
        options={"db": db},
        params=params or {},
        resume=resume,
        new=new and resume is None,
        keep_open=keep_open,
        is_remote=True,
    )
    with QueuedRun(order) as queued:
        return queued_answer(queued, queued.load(), name, db)


def _own_targets(scraper: Scraper, params: Mapping[str, Any], db: str) -> Source | OwnTargets:
    name = scraper.name
    known = registered().get(name)
    if known is None or known.targets is None:
        of_site = Source().or_start_of(scraper)
        if not of_site.is_empty:
            return of_site
        own = own_targets(scraper, params, {"db": db}, Source(is_remote=True))
        if own is not None:
            return own
        raise InputError(
            f"nothing to scrape: give targets, or name their file where the server runs: "
            f"targets = FILE under [scrapers.{name}] in swather.toml"
        )
    return Source(files=(str(known.targets),))
