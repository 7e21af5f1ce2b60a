"""Which run, which tasks, which lanes are meant."""

from collections.abc import Iterator
from difflib import get_close_matches
from typing import Final

from swather.errors import InputError, NotFound
from swather.model.lane import PacedKind
from swather.model.results import ErrorGroup
from swather.model.run import Run
from swather.model.task import State, check_name
from swather.model.task_filter import TaskFilter
from swather.net.request import is_http
from swather.runs.run_names import find_run, newest_run
from swather.runs.words import command
from swather.scraping.targets import lane_of_url
from swather.store import Store

_MAX_GROUPS_NAMED: Final = 5


def run_named(store: Store, name: str | None) -> Run:
    """The run that is meant by a name, as in every command; without one, the newest."""
    return newest_run(store) if name is None else find_run(store, name)


def group_named(store: Store, run: str, given: str) -> str:
    """The group of `swather errors` that begins so; there must be exactly one."""
    found = store.results.errors_like(run, given, limit=_MAX_GROUPS_NAMED + 1) if given else []
    if len(found) == 1 or any(group.fingerprint == given for group in found):
        return given if len(found) > 1 else found[0].fingerprint
    if found:
        raise InputError(f"more than one error group begins with {given!r}: {_listed(found)}")
    known = store.results.errors(run, limit=_MAX_GROUPS_NAMED)
    if not known:
        raise NotFound(f"run {run} has no error groups: nothing has failed in it")
    raise NotFound(
        f"run {run} has no error group {given!r}; the most frequent are {_listed(known)}. "
        f"To see all: {command('errors', run, url=store.url)}"
    )


def _listed(groups: list[ErrorGroup]) -> str:
    shown = [f"{group.fingerprint} ({group.title[:60]})" for group in groups[:_MAX_GROUPS_NAMED]]
    return ", ".join(shown + ["…"] * (len(groups) > _MAX_GROUPS_NAMED))


def task_filter(
    store: Store,
    run: str,
    *,
    states: list[State] | None,
    reasons: list[str] | None,
    error_class: str | None,
    group: str | None,
    lane: str | None,
    tasks: list[int] | None,
    worker: str | None = None,
    text: str | None = None,
) -> TaskFilter:
    if tasks and min(tasks) < 1:
        raise InputError(f"a task's number is 1 or more, got {min(tasks)}")
    return TaskFilter(
        run=run,
        states=frozenset(states) if states else None,
        reasons=frozenset(reasons) if reasons else None,
        error_class=error_class,
        fingerprint=None if group is None else group_named(store, run, group),
        lane=lane,
        task_ids=tuple(tasks) if tasks else None,
        worker=worker,
        text=text,
    )


def lane_names(given: list[str], *, scrapers: bool) -> list[str]:
    """Lanes, or scrapers, by the names that the database has for them, each once."""
    kind = "scraper" if scrapers else "lane"
    found: dict[str, None] = {}
    for name in given:
        if not check_name(kind, name).strip():
            raise InputError(f"a {kind} needs a name")
        if scrapers and (":" in name or name.endswith((".py", ".toml"))):
            raise InputError(f"expected a scraper's name, as `swather runs` shows it, got {name!r}")
        found[lane_of_url(name) if is_http(name) and not scrapers else name] = None
    return list(found)


def unknown_lanes(
    store: Store, names: list[str], *, scrapers: bool, said: str = "there is no"
) -> Iterator[str]:
    """What is said about each name that no task and no person has used, with the one that may be
    meant.
    """
    kind = paced_kind(scrapers=scrapers)
    for name in names:
        if not store.lanes.is_known(name, kind):
            meant = get_close_matches(name, store.lanes.names(kind), n=1)
            asked = f"; did you mean {meant[0]!r}?" if meant else ""
            yield f"{said} {kind} {name!r}{asked}"


def paced_kind(*, scrapers: bool) -> PacedKind:
    return PacedKind.SCRAPER if scrapers else PacedKind.LANE
