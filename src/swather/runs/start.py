"""Start a run, or resume the one that the same command began."""

import json
from collections.abc import Sequence
from hashlib import sha256
from pathlib import Path
from typing import Any, Final, NamedTuple

from swather.errors import InputError
from swather.file_location import Location
from swather.model.lane import PacedKind
from swather.model.lease import Strategy
from swather.model.pacing import DEFAULT_RATE, Limits
from swather.model.run import RESERVED_PARAM, NewRun, Run, RunState
from swather.net.egress import WayOut
from swather.net.private_hosts import hosts_in
from swather.runs.layout import PLAIN, Layout
from swather.runs.lines import STDIN
from swather.runs.run_names import MAX_RUNS_SEEN, find_run
from swather.scraping.code_version import code_version
from swather.scraping.proxies import selection_of
from swather.scraping.registered import registered
from swather.scraping.scraper import Scraper
from swather.store import Store

_BY_PRIORITY: Final = (Strategy.PRIORITY, Strategy.WEIGHTED_RANDOM)
_BY_PRIORITY_NOTE: Final = "targets with the highest priority are taken first (strategy priority)"
_PRIORITIES_IGNORED: Final = (
    "run {0.name} takes its targets in the order {0.strategy}, which ignores priorities; "
    "workers with --strategy priority take the highest first"
)


class Planned(NamedTuple):
    """The run to load and work on.

    `finished`: there is nothing left to do unless more is loaded. `notes`: what a person should
    know before it starts.
    """

    run: Run
    is_new: bool
    finished: bool
    notes: tuple[str, ...] = ()


def source_fingerprint(
    arguments: Sequence[str] = (),
    files: Sequence[str] = (),
    *,
    layout: Layout = PLAIN,
    limit: int | None = None,
) -> str:
    """The same for two commands that name the same targets; a file counts by its path."""
    paths = [name if name == STDIN else str(Path(name).resolve()) for name in files]
    parts: list[Any] = [list(arguments), paths, layout.column, layout.key, limit]
    if layout != Layout(column=layout.column, key=layout.key):
        # Only then: the commands of earlier releases, which had no more than these, still count.
        parts.append([layout.options.as_list(), layout.texts.as_list(), layout.header, layout.rows])
    if layout.options.lowest_first:
        parts.append("lowest first")
    return _hash(parts)


def plan_run(
    store: Store,
    scraper: Scraper,
    *,
    params: dict[str, Any] | None = None,
    typed_params: dict[str, Any] | None = None,
    source_fingerprint: str = "",
    source: str = "",
    resume: str | None = None,
    new: bool = False,
    task_limit: int | None = None,
    has_priorities: bool = False,
    default_rate: str = DEFAULT_RATE,
    files_folder: Location | None = None,
    keep_open: bool = False,
) -> Planned:
    """The run that `resume` names, else the newest one of the same scraper, params and source,
    else (or with `new`) a new one. The scraper's total limits are set. `source` is for people
    to read. A new run has at most `task_limit` tasks; if its targets have priorities, and no
    strategy is given, it takes the highest first. `default_rate` is for scrapers that name none.
    A `files_folder` is where all workers that can reach it put the run's files. One that is to
    `keep_open` is not finished when its tasks are. Only hosts in `typed_params`, the params unless
    they are given, may be at private addresses.
    """
    if resume is not None and new:
        raise InputError("a run is either resumed or new, not both")
    params = params or {}
    limits = scraper.options.lane_limits(default_rate)
    strategy = scraper.options.strategy or (Strategy.PRIORITY if has_priorities else Strategy.FIFO)
    if RESERVED_PARAM in params:
        raise InputError(f"{RESERVED_PARAM!r} cannot be the name of a parameter")
    fingerprint = _hash([scraper.name, params, source_fingerprint])
    if resume is not None:
        found: Run | None = _resumed(store, scraper, resume, params)
    elif new:
        found = None
    else:
        found = _begun_before(store, scraper, fingerprint)
    _limit_total(store, scraper)
    is_new = False
    if found is None:
        kept = {
            "fingerprint": fingerprint,
            "source": source,
            "scraper": scraper.spec,
            **_wishes(scraper, files_folder),
        }

        def begin() -> tuple[Run, bool]:
            # Somebody else may have run the same command just now.
            begun = None if new else _begun_before(store, scraper, fingerprint)
            if begun is not None:
                return begun, False
            new_run = NewRun(
                scraper=scraper.name,
                params={**params, RESERVED_PARAM: kept},
                version=scraper.options.version,
                strategy=strategy,
                lane_limits=limits,
                task_limit=task_limit,
                keep_open=keep_open,
            )
            return store.runs.create(new_run), True

        found, is_new = store.runs.exclusively(begin)
    # Each time: the process that began the run may have been killed before this.
    if hosts := hosts_in([params if typed_params is None else typed_params]):
        store.allowed_hosts.add(found.name, hosts)
    if is_new:
        notes = (_BY_PRIORITY_NOTE,) if has_priorities and not scraper.options.strategy else ()
        return Planned(found, True, False, notes)
    found = _kept_open(store, found, wanted=keep_open)
    wishes = _wishes(scraper, files_folder)
    return _resuming(store, scraper, limits, found, wishes, has_priorities=has_priorities)


def _kept_open(store: Store, run: Run, *, wanted: bool) -> Run:
    if not wanted or run.keep_open:
        return run
    store.runs.keep_open(run.name)
    return store.runs.get(run.name)


def _wishes(scraper: Scraper, files_folder: Location | None) -> dict[str, Any]:
    """What is noted with a run, for all its workers, if it was asked for."""
    asked_for = {
        "store_pages": scraper.options.store_pages,
        "files_folder": None if files_folder is None else str(files_folder),
        "egress": _egress(scraper),
        "settings": _own_settings(scraper),
        "code": code_version(scraper),
    }
    return {name: value for name, value in asked_for.items() if value is not None}


def _own_settings(scraper: Scraper) -> dict[str, Any] | None:
    """What its table in swather.toml sets, for workers that do not have that file."""
    known = registered().get(scraper.name)
    found = {} if known is None else known.settings
    return {name: value for name, value in found.items() if name != "files_folder"} or None


def _egress(scraper: Scraper) -> dict[str, Any] | None:
    """How its requests leave, for those who explain what it waits for; None if directly."""
    options = scraper.options
    match options.way_out:
        case WayOut.POOL:
            selection = selection_of(scraper.name, options.proxies)
            return {"way_out": str(WayOut.POOL), **selection._asdict()}
        case WayOut.TOR:
            return {"way_out": str(WayOut.TOR)}
        case WayOut.DIRECT:
            return None


def _resuming(
    store: Store,
    scraper: Scraper,
    limits: Limits,
    found: Run,
    wishes: dict[str, Any],
    *,
    has_priorities: bool,
) -> Planned:
    notes = _notes(found, scraper, limits)
    if notes:
        found = store.runs.revise(
            found.name,
            version=scraper.options.version,
            lane_limits=limits,
        )
    noted = found.params.get(RESERVED_PARAM, {})
    # It may leave directly, or have no settings of its own, by now.
    wishes = {**{name: None for name in ("egress", "settings") if noted.get(name)}, **wishes}
    if any(noted.get(name) != value for name, value in wishes.items()):
        found = store.runs.record(found.name, wishes)
    is_partial = found.state is RunState.FINISHED and found.load_incomplete
    finished = found.state is not RunState.OPEN and not is_partial
    if has_priorities and not scraper.options.strategy and found.strategy not in _BY_PRIORITY:
        notes = (*notes, _PRIORITIES_IGNORED.format(found))
    return Planned(found, False, finished, notes)


def _resumed(store: Store, scraper: Scraper, name: str, params: dict[str, Any]) -> Run:
    run = find_run(store, name)
    if run.scraper != scraper.name:
        raise InputError(f"run {name!r} belongs to scraper {run.scraper!r}, not {scraper.name!r}")
    if params and params != run.scraper_params:
        raise InputError(
            f"run {name!r} was started with other parameters ({run.scraper_params!r}); "
            "resume it without any, or start a new run"
        )
    return run


def _begun_before(store: Store, scraper: Scraper, fingerprint: str) -> Run | None:
    for run in store.runs.find(limit=MAX_RUNS_SEEN):
        kept = run.params.get(RESERVED_PARAM, {})
        if run.scraper == scraper.name and kept.get("fingerprint") == fingerprint:
            return run
    return None


def _limit_total(store: Store, scraper: Scraper) -> None:
    wanted = scraper.options.total_limits()
    found = store.lanes.get(scraper.name, PacedKind.SCRAPER)
    if found.limits != wanted and not found.overrides:
        store.lanes.limit(scraper.name, wanted, PacedKind.SCRAPER)


def _notes(run: Run, scraper: Scraper, limits: Limits) -> tuple[str, ...]:
    """What has changed in the scraper since the run began."""
    notes = []
    if run.lane_limits != limits:
        notes.append(f"run {run.name} uses the rate and in_flight that the scraper has now")
    if run.version != scraper.options.version:
        notes.append(
            f"run {run.name} now uses version {scraper.options.version!r} of the scraper, not "
            f"{run.version!r}; targets that were started with the old version start over"
        )
    return tuple(notes)


def _hash(parts: list[Any]) -> str:
    # Not msgspec, which refuses the lone surrogates that an argument may hold.
    return sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()[:32]
