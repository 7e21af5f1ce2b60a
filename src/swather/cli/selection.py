"""The command that starts a worker on a run, as a person types it here."""

from swather.cli import database
from swather.model.run import Run
from swather.runs.worker_command import words_of


def worker_command(run: Run, code: list[str], url: str | None) -> str:
    """The command that starts a worker on a run in this folder, with `code` as it was named."""
    return database.with_db(words_of(run, code), url)
