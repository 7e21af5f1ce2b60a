"""The replay of a run: which tasks it takes, and how it begins, resumes and ends.

Meanwhile the run is paused, so that no other worker fetches anything for it. A note in the run
tells a resumed replay what the earlier one had done.
"""

from collections.abc import Iterator
from typing import Any, Final, NamedTuple

from swather.errors import InputError
from swather.model.run import RESERVED_PARAM, Run, RunState
from swather.model.task import State
from swather.model.task_filter import TaskFilter
from swather.runs.words import command, count
from swather.scraping.scraper import Scraper
from swather.store import Store

NOT_STORED: Final = "not_stored"
BATCH: Final = 10_000
_NOTE: Final = "replay"
_TAKEN_UP: Final = frozenset({State.COMPLETED, State.FAILED})


class Found(NamedTuple):
    """Targets of a run: those with stored pages can be replayed, the others stay as they are."""

    stored: int
    not_stored: int


class Begun(NamedTuple):
    """A replay to work on. `goes_on`: it resumes an earlier one."""

    run: Run
    tasks: int
    goes_on: bool


def look(store: Store, run: Run) -> Found:
    """How many ended targets have stored pages, and how many have none."""
    stored = sum(store.tasks.count(which) for which in _with_pages(store, run.name))
    counts = store.runs.counts(run.name)
    return Found(stored, counts.completed + counts.failed - stored)


def is_half_done(run: Run) -> bool:
    return _note_of(run) is not None


def check(store: Store, run: Run) -> None:
    """Refuse a run that cannot be replayed."""
    if is_half_done(run):
        return
    if left := store.runs.counts(run.name).unfinished:
        raise InputError(
            f"run {run.name} is not finished: {count(left, 'target')} still to be scraped; "
            f"let it finish, or end it with: {command('cancel', run.name, url=store.url)}"
        )
    if not any(True for _ in _with_pages(store, run.name)):
        raise InputError(
            f"run {run.name} has no stored pages; run with --store-pages, or set "
            "store_pages=True in the scraper, to store them"
        )


def begin(store: Store, run: Run, scraper: Scraper, *, new: bool = False) -> Begun:
    """Pause the run and make its tasks with stored pages ready; with `new`, also those that an
    earlier, unfinished replay has done.
    """
    check(store, run)
    note = _note_of(run)
    if note is None:
        # Recorded first: a paused run without this note was paused by a person.
        store.runs.record(run.name, {_NOTE: {"was_paused": run.paused, "marked": False}})
    goes_on = note is not None and not new
    marked = note is not None and bool(note.get("marked"))
    store.runs.pause(run.name)
    if run.version != scraper.options.version:
        store.runs.revise(run.name, version=scraper.options.version, lane_limits=run.lane_limits)
    if not marked or new:
        for which in _with_pages(store, run.name):
            store.tasks.retry(which, anew=True)
        was_paused = run.paused if note is None else bool(note.get("was_paused"))
        store.runs.record(run.name, {_NOTE: {"was_paused": was_paused, "marked": True}})
    counts = store.runs.counts(run.name)
    return Begun(store.runs.get(run.name), counts.unfinished, goes_on)


def is_done(store: Store, name: str) -> bool:
    """Whether nothing of the run is left to do; its results can then be written."""
    store.runs.settle(name)
    return store.runs.get(name).state is not RunState.OPEN


def end(store: Store, name: str) -> None:
    """Unpause the run and drop the note. Done last: without its note, the same command would start
    another replay."""
    note = _note_of(store.runs.get(name)) or {}
    if not note.get("was_paused"):
        store.runs.unpause(name)
    store.runs.record(name, {_NOTE: None})


def _note_of(run: Run) -> dict[str, Any] | None:
    """The note of an unfinished replay."""
    note = run.params.get(RESERVED_PARAM, {}).get(_NOTE)
    if not isinstance(note, dict):
        return None
    # Somebody unpaused the run and it finished by fetching: that replay is over.
    return None if run.state is not RunState.OPEN and not run.paused else note


def _with_pages(store: Store, run: str) -> Iterator[TaskFilter]:
    """All ended tasks that have stored pages, in batches."""
    after_id = 0
    while ids := store.pages.tasks(run, after_id=after_id, limit=BATCH):
        yield TaskFilter(run=run, states=_TAKEN_UP, task_ids=tuple(ids))
        after_id = ids[-1]
