"""Firing: a due time of a schedule becomes a run, and its targets are loaded."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from threading import Event
from typing import Any

from swather import posix
from swather.errors import InputError
from swather.model.schedule import Firing, FiringState, Schedule, following
from swather.model.worker import NewWorker, WorkerKind
from swather.runs import configuration
from swather.runs.load import load
from swather.runs.own_targets import OwnTargets, own_targets
from swather.runs.proxy_lists import load_lists
from swather.runs.source import Source
from swather.runs.start import plan_run
from swather.scraping.registered import Registered
from swather.scraping.scraper import Scraper
from swather.settings import Settings
from swather.store import Store


@dataclass(frozen=True, kw_only=True)
class Recipe:
    """What the runs of a schedule are made of, as this process knows it. `typed_params` are those
    that a person typed: hosts in them may be private.
    """

    schedule: str
    scraper: Scraper
    source: Source | OwnTargets
    params: Mapping[str, Any]
    typed_params: Mapping[str, Any]
    settings: Settings


@dataclass(frozen=True, kw_only=True)
class Begun:
    """A firing that this process has to load, as the producer that is registered for it."""

    firing: Firing
    producer_id: int
    recipe: Recipe


def recipe_of(
    store: Store, schedule: Schedule, scraper: Scraper, known: Registered | None
) -> Recipe:
    """InputError says why there can be no run here: bad parameters, no targets."""
    settings = configuration.resolve(store, None, scraper).settings
    applied = configuration.apply(scraper, settings)
    given = [
        f"{name}={configuration.as_text(value)}" for name, value in schedule.given_params.items()
    ]
    params = configuration.run_params(applied, given, settings)
    here = configuration.run_params(applied, {}, settings) if schedule.is_remote else params
    recipe = Recipe(
        schedule=schedule.name,
        scraper=applied,
        source=_source_of(schedule, known, applied, given),
        params=params,
        typed_params=here,
        settings=settings,
    )
    # The first targets are checked before there is a run.
    recipe.source.intake(applied)
    return recipe


def _source_of(
    schedule: Schedule, known: Registered | None, scraper: Scraper, params: Sequence[str]
) -> Source | OwnTargets:
    """Files are named by this machine's registry, never by the database."""
    if schedule.targets:
        return Source(arguments=schedule.targets, is_remote=schedule.is_remote)
    if known is not None and known.targets is not None:
        return Source(files=(str(known.targets),))
    own = own_targets(scraper, params, {}, Source(is_remote=schedule.is_remote))
    if own is not None:
        return own
    raise InputError(
        f"schedule {schedule.name!r} has no targets; name them when you add it, or register the "
        f"scraper with a file of targets: [scrapers.{schedule.scraper}] targets = 'targets.csv'"
    )


def fire(store: Store, due: Schedule, recipe: Recipe) -> Firing | Begun | None:
    """One firing for a due time, of all schedulers; None if another was faster."""
    next_at, missed = following(due)

    def work() -> Firing | Begun | None:
        return _begun(store, store.schedules.fire(due, next_at, missed=missed), recipe)

    return store.runs.exclusively(work)


def take(store: Store, firing: Firing, recipe: Recipe) -> Begun | None:
    """A firing that nobody loads; None if another scheduler was faster."""

    def work() -> Firing | Begun | None:
        return _begun(store, store.schedules.take(firing), recipe)

    found = store.runs.exclusively(work)
    return found if isinstance(found, Begun) else None


def _begun(store: Store, firing: Firing | None, recipe: Recipe) -> Firing | Begun | None:
    """Inside the transaction that fires: the run, and its producer."""
    if firing is None or firing.state is not FiringState.LOADING:
        return firing
    run = firing.run or _new_run(store, firing, recipe)
    producer_id = store.workers.register(
        NewWorker(
            process=posix.this_process(),
            kind=WorkerKind.PRODUCER,
            run=run,
            lease_seconds=recipe.settings.lease_seconds,
        )
    )
    assigned = store.schedules.assign(firing.id, run, producer_id)
    return Begun(firing=assigned, producer_id=producer_id, recipe=recipe)


def _new_run(store: Store, firing: Firing, recipe: Recipe) -> str:
    planned = plan_run(
        store,
        recipe.scraper,
        params=dict(recipe.params),
        typed_params=dict(recipe.typed_params),
        # No command of a person resumes it.
        source_fingerprint=f"schedule {firing.schedule} {firing.due_at.isoformat()}",
        source=f"schedule {firing.schedule}",
        new=True,
        default_rate=recipe.settings.default_rate,
    )
    return planned.run.name


def load_firing(store: Store, begun: Begun, stop: Event) -> int | None:
    """Load the targets of its run; how many, None if it was stopped: then another scheduler
    continues. A firing that cannot be loaded fails, and its run ends with what it has.
    """
    firing, recipe = begun.firing, begun.recipe
    assert firing.run is not None
    try:
        load_lists(store, recipe.scraper, recipe.settings)
        loaded = load(
            store,
            firing.run,
            recipe.source.intake(recipe.scraper),
            stop=stop,
            lease_seconds=recipe.settings.lease_seconds,
            producer_id=begun.producer_id,
        )
    except InputError as error:
        store.schedules.fail(firing.id, str(error))
        store.workers.retire(begun.producer_id)
        store.runs.settle(firing.run)
        raise
    if not (loaded.complete or loaded.cancelled):
        return None
    store.schedules.loaded(firing.id)
    # Its workers may have been done with all of it before this.
    store.runs.settle(firing.run)
    return loaded.targets
