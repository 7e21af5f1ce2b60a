"""What people do to runs, through the API and on pages: small ones at once, large ones in the
background.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from http import HTTPStatus
from typing import Any, Final

from swather.api.parameters import Doing
from swather.api.problems import Refused
from swather.api.starting import start_for_client
from swather.model.action import ActionVerb
from swather.model.run import Run, RunState
from swather.runs import bulk
from swather.runs.starting import Started
from swather.runs.words import command
from swather.store import Store

# What takes longer is done in the background.
AT_ONCE: Final = 1_000


@dataclass(frozen=True, kw_only=True)
class Change:
    """How many tasks it is about, and the action that does it in the background, if it does."""

    tasks: int
    action: int | None = None


def start_run(
    do: Doing,
    scraper: str,
    targets: Iterable[Any] | None,
    *,
    params: Mapping[str, Any] | None = None,
    keep_open: bool = False,
    new: bool = True,
) -> Started:
    """Of a registered scraper. Its targets and params are not written down: they may be secret."""

    def start(store: Store) -> Started:
        return start_for_client(
            scraper, targets, db=store.url, params=params, keep_open=keep_open, new=new
        )

    return do.now(ActionVerb.RUN_START, scraper, start, _number_of(targets), done_of=_enqueued)


def add_targets(do: Doing, run: Run, targets: Iterable[Any]) -> Started:
    def add(store: Store) -> Started:
        return start_for_client(run.scraper, targets, db=store.url, resume=run.name)

    return do.now(ActionVerb.RUN_ADD, run.name, add, _number_of(targets), done_of=_enqueued)


def pause_run(do: Doing, run: Run) -> None:
    do.now(ActionVerb.RUN_PAUSE, run.name, lambda store: store.runs.pause(run.name))


def unpause_run(do: Doing, run: Run) -> None:
    do.now(ActionVerb.RUN_UNPAUSE, run.name, lambda store: store.runs.unpause(run.name))


def close_run(do: Doing, run: Run) -> None:
    do.now(ActionVerb.RUN_CLOSE, run.name, lambda store: store.runs.close(run.name))


def cancel_run(store: Store, do: Doing, run: Run) -> Change:
    left = store.runs.counts(run.name).unfinished
    if left <= AT_ONCE:

        def cancel(own: Store) -> int:
            return bulk.cancel_run(own, run.name)

        return Change(tasks=do.now(ActionVerb.RUN_CANCEL, run.name, cancel, done_of=int))
    action = do.in_background(
        ActionVerb.RUN_CANCEL,
        run.name,
        left,
        lambda own, advance: bulk.cancel_run(own, run.name, advance),
    )
    return Change(tasks=left, action=action)


def remove_run(store: Store, do: Doing, run: Run) -> Change:
    """One that is not open."""
    refuse_open(store, run)
    tasks = store.runs.counts(run.name).total
    if tasks <= AT_ONCE:

        def remove(own: Store) -> int:
            return own.runs.remove(run.name)

        return Change(tasks=do.now(ActionVerb.RUN_REMOVE, run.name, remove, done_of=int))
    action = do.in_background(
        ActionVerb.RUN_REMOVE,
        run.name,
        tasks,
        lambda own, advance: own.runs.remove(run.name, advance),
    )
    return Change(tasks=tasks, action=action)


def refuse_open(store: Store, run: Run) -> None:
    if run.state is RunState.OPEN:
        raise Refused(
            HTTPStatus.CONFLICT,
            f"run {run.name!r} is still open; cancel it first",
            command=command("cancel", run.name, url=store.url),
        )


def _number_of(targets: Iterable[Any] | None) -> dict[str, Any]:
    return {"targets": len(targets) if isinstance(targets, list) else None}


def _enqueued(started: Started) -> int:
    return started.enqueued
