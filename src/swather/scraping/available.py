"""Which scrapers a process may run: those it was given, and those registered on its machine.

A database selects among them by name only; its values never become a path or a module. Any other
source that may name code belongs here.
"""

import logging
from collections.abc import Iterable

from swather.errors import InputError, LoadError, MissingExtra
from swather.model.run import Run
from swather.scraping import registry
from swather.scraping.registered import registered
from swather.scraping.scraper import Scraper

_log = logging.getLogger(__name__)


class Available:
    """`specs` are what a person named: 'file.py', 'file.py:name', 'module:name', registered names.
    They take precedence over registered scrapers of the same name.
    """

    def __init__(self, specs: Iterable[str] = ()) -> None:
        self._given: dict[str, Scraper] = {}
        for spec in specs:
            scraper = registry.load(spec)
            known = self._given.setdefault(scraper.name, scraper)
            if known.spec != scraper.spec:
                raise InputError(
                    f"two scrapers are named {scraper.name!r}, {known.spec} and {scraper.spec}; "
                    "start a process for each, or rename one: @scraper(name=…)"
                )

    def all(self) -> dict[str, Scraper]:
        """By name. A registered one that cannot be loaded is left out, with a warning unless it
        only lacks an optional package.
        """
        found = dict(self._given)
        for name, known in registered().items():
            if name in found:
                continue
            try:
                scraper = registry.load_registered(known)
            except MissingExtra as error:
                # Not a mistake: whoever does not use a scraper need not install what it needs.
                _log.debug("skipping the scraper %r: %s", name, error)
            except LoadError as error:
                _log.warning("skipping the scraper %r: %s", name, error)
            else:
                found.setdefault(scraper.name, scraper)
        return found

    def of(self, run: Run) -> Scraper:
        """The scraper of a run; InputError says which there are, and how to name another."""
        if run.scraper in self._given:
            return self._given[run.scraper]
        here = registered().get(run.scraper)
        if here is not None and not here.is_installed:
            # A person has said on this machine what the name means.
            return registry.load_registered(here)
        found = self._installed(run.scraper)
        if found is None:
            has = ", ".join(self.all()) or "none"
            raise InputError(
                f"there is no code for scraper {run.scraper!r} of run {run.name!r} here "
                f"(only for: {has}); pass it as SCRAPER: {registry.FORMS}{_started_with(run)}"
            )
        # Two scrapers may have the same name; then a person has to say which is meant.
        if run.scraper_spec not in {run.scraper, found.spec}:
            raise InputError(
                f"run {run.name!r} may belong to another scraper than {found.spec}, which is "
                f"installed as {run.scraper!r}; pass the right one as SCRAPER: {run.scraper}, "
                f"{registry.FORMS}{_started_with(run)}"
            )
        return found

    def _installed(self, name: str) -> Scraper | None:
        known = registered().get(name)
        if known is not None and (found := registry.load_registered(known)).name == name:
            return found
        # An entry point may have another name than its scraper.
        return self.all().get(name)


def _started_with(run: Run) -> str:
    return "" if run.scraper_spec == run.scraper else f" (it was started with {run.scraper_spec!r})"
