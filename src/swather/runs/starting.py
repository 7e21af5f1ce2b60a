"""What a start comes to: the answer of `swather start` and `swather.start`."""

from dataclasses import dataclass
from enum import StrEnum

from swather.model.run import RunState
from swather.runs.load import Loaded
from swather.runs.queued_run import QueuedRun
from swather.runs.worker_command import worker_command
from swather.scraping import registry


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
