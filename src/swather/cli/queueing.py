"""Loads targets for workers anywhere, and says how to start these: `enqueue` and `start`."""

import sys
from typing import Any, NamedTuple

from swather.cli import database, output
from swather.cli.load_progress import LoadProgress
from swather.cli.run_session import input_data
from swather.runs.load import Loaded
from swather.runs.order import Order
from swather.runs.queued_run import QueuedRun
from swather.runs.starting import Started, queued_answer


class Queued(NamedTuple):
    """What was loaded, into a new run or not, and how workers are started on it."""

    started: Started
    loaded: Loaded
    is_new: bool


def queue(order: Order, spec: str, db: str | None) -> Queued:
    """`spec` and `db` are the scraper and the database, as a person named them."""
    with QueuedRun(order) as run:
        for note in run.notes:
            print(f"note: {note}", file=sys.stderr)
        with LoadProgress(output.stderr()) as progress:
            loaded = run.load(progress.show)
    return Queued(queued_answer(run, loaded, spec, db), loaded, run.planned.is_new)


def as_data(queued: Queued, db: str | None) -> dict[str, Any]:
    """For programs."""
    return {
        "run": queued.started.run_id,
        **input_data(queued.loaded),
        "database": database.shown(db),
        "worker_command": queued.started.worker_command,
        "worker_environment": list(queued.started.worker_environment),
    }


def show(queued: Queued) -> None:
    """For people."""
    for line in queued.loaded.skipped_lines():
        print(line, file=sys.stderr)
    started = queued.started
    print(f"Run {started.run_id}: {queued.loaded.in_words(into_new=queued.is_new)}")
    print(f"To start a worker{database.environment_note(started.worker_environment)}:")
    print(f"    {started.worker_command}")
