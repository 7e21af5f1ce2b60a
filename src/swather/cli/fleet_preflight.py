"""What `swather fleet up` checks, shows and asks first, and `swather fleet check` alone."""

from typing import TYPE_CHECKING, Any

from swather.cli import preflight_view
from swather.cli.confirm import confirm
from swather.errors import InputError
from swather.fleet import preflight
from swather.runs import configuration
from swather.runs.partition_plans import planning_of
from swather.runs.words import count
from swather.scraping.available import Available

if TYPE_CHECKING:
    from collections.abc import Mapping

    from swather.fleet.placement import Place
    from swather.fleet.preflight import Preflight
    from swather.scraping.scraper import Scraper
    from swather.store import Store


def looked_at(
    store: "Store",
    options: "Mapping[str, Any]",
    specs: list[str],
    *,
    run: str | None,
    place: "Place",
    is_test: bool,
) -> "Preflight":
    """For a fleet with these settings, with the code that `specs` name and all that is registered;
    on one run, with that run's code only.
    """
    settings = configuration.resolve(store, options).settings
    code = {
        name: configuration.apply(found, configuration.resolve(store, options, found).settings)
        for name, found in _code(store, specs, run).items()
    }
    return preflight.check(
        store,
        settings,
        code,
        workers=settings.workers,
        plan=planning_of(settings),
        place=place,
        run=run,
        is_test=is_test,
    )


def ask(found: "Preflight", *, yes: bool, quiet: bool) -> None:
    """Show what was found, unless `quiet`, and return only if the fleet is to start: InputError if
    there is a problem.
    """
    if not quiet:
        preflight_view.show(found)
    preflight_view.refuse(found)
    confirm(f"Start {count(found.workers, 'worker')}?", yes=yes)


def _code(store: "Store", specs: list[str], run: str | None) -> "dict[str, Scraper]":
    available = Available(specs)
    if run is not None:
        found = available.of(store.runs.get(run))
        return {found.name: found}
    scrapers = available.all()
    if not scrapers:
        raise InputError("no scraper is installed; name the code to run: swather fleet up books.py")
    return scrapers
