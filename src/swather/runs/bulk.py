"""Cancelling and retrying many tasks, batch by batch, so that people see how far it is."""

from collections.abc import Callable, Iterator
from typing import Final

import msgspec

from swather.model.advance import Advance, not_told
from swather.model.task import TERMINAL, State
from swather.model.task_filter import TaskFilter
from swather.runs.fresh_chance import close_breakers
from swather.store import Store

BATCH: Final = 2_000
UNFINISHED: Final = frozenset(State) - TERMINAL


def to_cancel(which: TaskFilter) -> TaskFilter:
    """Those of them that have not ended."""
    return _only(which, UNFINISHED)


def to_retry(which: TaskFilter) -> TaskFilter:
    """Those of them that have ended: failed ones, unless states or tasks are named."""
    default = TERMINAL if which.task_ids is not None else frozenset({State.FAILED})
    return _only(which, TERMINAL if which.states is not None else default)


def cancel_run(store: Store, run: str, advance: Advance = not_told) -> int:
    """How many of its tasks were ended. Nothing more of it is started from the first moment on."""

    def advance_and_send(done: int) -> None:
        store.hints.send()
        advance(done)

    done = store.runs.cancel(run, advance_and_send)
    store.hints.send()
    return done


def cancel_tasks(
    store: Store, which: TaskFilter, advance: Advance = not_told, *, most: int | None = None
) -> int:
    """How many were ended. `most`: no more than these, the oldest first."""
    return _changed(store, to_cancel(which), store.tasks.cancel, advance, most)


def retry_tasks(
    store: Store, which: TaskFilter, advance: Advance = not_told, *, most: int | None = None
) -> int:
    """How many are ready again."""

    def retry(batch: TaskFilter) -> int:
        done = store.tasks.retry(batch)
        if done:
            close_breakers(store, store.runs.get(which.run).scraper)
        return done

    return _changed(store, to_retry(which), retry, advance, most)


def _changed(
    store: Store,
    which: TaskFilter,
    change: Callable[[TaskFilter], int],
    advance: Advance,
    most: int | None,
) -> int:
    done = 0
    for number, batch in enumerate(_batches(store, which, most)):
        if number:
            advance(done)
        done += change(batch)
        store.hints.send()
    return done


def _batches(store: Store, which: TaskFilter, most: int | None) -> Iterator[TaskFilter]:
    """The tasks that match now, some at a time. Those that a batch no longer fits when its turn
    comes are left alone.
    """
    after_id, left = 0, most
    while left is None or left > 0:
        limit = BATCH if left is None else min(left, BATCH)
        found = store.tasks.search(which, after_id=after_id, limit=limit)
        if found.tasks:
            yield msgspec.structs.replace(which, task_ids=tuple(task.id for task in found.tasks))
        if found.is_all or found.next_id is None:
            return
        after_id = found.next_id
        left = None if left is None else left - len(found.tasks)


def _only(which: TaskFilter, states: frozenset[State]) -> TaskFilter:
    wanted = states if which.states is None else states & which.states
    return msgspec.structs.replace(which, states=wanted)
