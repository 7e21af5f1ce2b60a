"""Starts registered scrapers for workers anywhere: the answer of `start`, and schedules' runs."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any

from swather.errors import NotFound
from swather.model.run import RunState
from swather.runs.load import Loaded
from swather.runs.order import Order
from swather.runs.queued_run import QueuedRun
from swather.runs.source import Source, Values
from swather.runs.worker_command import worker_command
from swather.scraping import registry
from swather.scraping.registered import Registered
from swather.store import Store


class StartStatus(StrEnum):
    """What came of a start: targets wait for workers, or the run has ended like this."""

    QUEUED = "queued"
    FINISHED = "finished"
    INTERRUPTED = "interrupted"
    CANCELLED = "cancelled"


@dataclass(frozen=True, kw_only=True)
class Started:
    """The answer of a start.

    enqueued            targets that the run did not have yet
    worker_command      what starts a worker on the run; None if the run was executed here
    worker_environment  variables that the command needs
    """

    status: StartStatus
    run_id: str
    enqueued: int
    worker_command: str | None = None
    worker_environment: tuple[str, ...] = ()


def start_run(
    store: Store,
    registered: Registered,
    *,
    targets: Path | Iterable[Any] | None,
    params: Mapping[str, Any],
    name: str | None = None,
) -> Started:
    """Begin a run of the scraper and load its targets, whatever its execution mode. A run that has
    the name already is loaded on, so that another process can complete what one has begun.
    Without `targets`, those of the registration.
    """
    source: Source | Values
    wanted = registered.targets if targets is None else targets
    if wanted is None or isinstance(wanted, Path):
        source = Source(files=() if wanted is None else (str(wanted),))
    else:
        source = Values(wanted)
    exists = name is not None and _exists(store, name)
    order = Order(
        scraper=registry.load_registered(registered),
        source=source,
        options={"db": store.url},
        params=params,
        resume=name if exists else None,
        new=not exists,
        name=name,
    )
    with QueuedRun(order, store) as queued:
        return queued_answer(queued, queued.load(), registered.spec, store.url)


def queued_answer(queued: QueuedRun, loaded: Loaded, code: str, url: str | None) -> Started:
    """`code` and `url` are the scraper and the database, as a person named them."""
    command = worker_command(queued.planned.run, [registry.absolute(code)], url)
    return Started(
        status=StartStatus.FINISHED if queued.is_over else StartStatus.QUEUED,
        run_id=queued.planned.run.name,
        enqueued=loaded.added,
        worker_command=command.command,
        worker_environment=command.environment,
    )


def single_answer(run: str, state: RunState, loaded: Loaded | None) -> Started:
    """Of a run that was executed here."""
    status = {
        RunState.OPEN: StartStatus.INTERRUPTED,
        RunState.FINISHED: StartStatus.FINISHED,
        RunState.CANCELLED: StartStatus.CANCELLED,
    }
    return Started(status=status[state], run_id=run, enqueued=0 if loaded is None else loaded.added)


def _exists(store: Store, name: str) -> bool:
    try:
        store.runs.get(name)
    except NotFound:
        return False
    return True
