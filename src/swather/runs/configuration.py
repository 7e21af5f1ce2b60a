"""The configuration of a run: its settings from all sources, applied to its scraper and params."""

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from swather import settings_row
from swather.model.run import Run
from swather.scraping import params
from swather.scraping.option_checks import ExecutionMode
from swather.scraping.proxies import Proxies
from swather.scraping.registered import registered
from swather.scraping.scraper import Scraper
from swather.settings import DELAYS, OF_SCRAPERS, PREFIX, Settings
from swather.settings_sources import OF_PARAMS, Resolved, read, variables
from swather.store import Store


def resolve(
    store: Store | None = None,
    options: Mapping[str, Any] | None = None,
    scraper: Scraper | None = None,
    run: Run | None = None,
) -> Resolved:
    """The settings in force; with a store, those in its settings row, too; for a scraper, those of
    its table in swather.toml, too. If there is no such table here, those that were in it where the
    `run` began.
    """
    row = None if store is None else store.settings.all()
    known = None if scraper is None else registered().get(scraper.name)
    own = {} if known is None else known.own
    if run is not None and (known is None or not known.settings):
        own = {**_noted(run), **own}
    return read(options, row=row, of_scraper=own)


def _noted(run: Run) -> dict[str, Any]:
    """What a run says of settings comes from the database, which has the same say as its row."""
    return {
        name: value
        for name, value in run.scraper_settings.items()
        if name in (*OF_SCRAPERS, *DELAYS)
        and name != "files_folder"
        and settings_row.refusal(name, value) is None
    }


def execution_mode(scraper: Scraper) -> ExecutionMode:
    """Where `start` executes it: as its table in swather.toml says, else as its decorator does."""
    known = registered().get(scraper.name)
    said = None if known is None else known.execution_mode
    return scraper.options.execution_mode if said is None else said


def apply(scraper: Scraper, settings: Settings) -> Scraper:
    """The scraper with the settings that override its decorator."""
    given = {
        name: value for name in OF_SCRAPERS if (value := getattr(settings, name, None)) is not None
    }
    if (delay := delay_of(settings)) is not None:
        given["delay"] = delay
    if scraper.options.profile is not None:
        given.pop("user_agent", None)
    if isinstance(scraper.options.proxies, Proxies):
        given["proxies"] = _unless_set(scraper.options.proxies, settings)
    return replace(scraper, options=replace(scraper.options, **given)) if given else scraper


def _unless_set(proxies: Proxies, settings: Settings) -> Proxies:
    """Without what a setting decides; workers know the settings themselves."""
    return replace(
        proxies,
        strategy=None if settings.proxy_selection_strategy else proxies.strategy,
        rotation=None if settings.proxy_rotation else proxies.rotation,
        per_worker=None if settings.proxies_per_worker else proxies.per_worker,
    )


def delay_of(settings: Settings) -> tuple[float, float] | None:
    least, most = settings.min_delay_seconds, settings.max_delay_seconds
    if least is None and most is None:
        return None
    low = least if least is not None else 0.0
    return low, max(low, most if most is not None else low)


def delays_now(scrapers: Iterable[Scraper], store: Store) -> dict[str, tuple[float, float]]:
    """The pause between two targets that the settings ask for now, by scraper."""
    found = {each.name: delay_of(resolve(store, scraper=each).settings) for each in scrapers}
    return {name: delay for name, delay in found.items() if delay is not None}


def run_params(
    scraper: Scraper, given: Mapping[str, Any] | Sequence[str], settings: Settings
) -> dict[str, Any]:
    """The parameters of a run: those that are given, by name or as 'name=value' texts, then those
    of the environment and .env, then those of swather.toml.
    """
    known = known_params(scraper, settings)
    if isinstance(given, Mapping):
        named = {**known, **given}
        params.given_params(scraper, named)
        return named
    if scraper.options.params is None:
        return {**known, **params.parse(scraper, given)}
    over = {pair.partition("=")[0].strip() for pair in given}
    under = [f"{name}={as_text(value)}" for name, value in known.items() if name not in over]
    return params.parse(scraper, [*under, *given])


def known_params(scraper: Scraper, settings: Settings) -> dict[str, Any]:
    """Those that need not be given: of the environment and .env, then of swather.toml."""
    here = registered().get(scraper.name)
    return {
        **settings.params.get(scraper.name, {}),
        **({} if here is None else here.params),
        **_from_variables(scraper),
    }


def _from_variables(scraper: Scraper) -> dict[str, str]:
    """Parameters in SWATHER_PARAMS__SCRAPER__NAME, or in a variable that the parameter declares."""
    found = variables()
    prefix = f"{OF_PARAMS}{re.sub(r'[^A-Z0-9]', '_', scraper.name.upper())}__"
    values = {
        name.removeprefix(prefix).lower(): variable.value
        for name, variable in found.items()
        if name.startswith(prefix)
    }
    kind = scraper.options.params
    for name, field in ({} if kind is None else params.fields_of(kind)).items():
        for declared in field.variables:
            for variable in (f"{PREFIX}{declared}", declared):
                if variable in found:
                    values.setdefault(name, found[variable].value)
    return values


def as_text(value: Any) -> str:
    """A parameter as a command gives it."""
    return value if isinstance(value, str) else json.dumps(value)
