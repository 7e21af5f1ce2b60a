"""The command that starts a worker on a run, in any folder of any machine."""

import os
import shlex
from collections.abc import Sequence
from typing import Final, NamedTuple

from swather.masking import without_password
from swather.model.run import Run
from swather.runs.words import URL_VARIABLE
from swather.store import factory

PASSWORD_VARIABLE: Final = "PGPASSWORD"  # noqa: S105 - its name


class WorkerCommand(NamedTuple):
    """A command to copy, and the variables that it needs: a password is never in a command, where
    all users of the machine could read it.
    """

    command: str
    environment: tuple[str, ...]


def words_of(run: Run, code: Sequence[str]) -> str:
    """Without the database; `code` is what names the scraper."""
    return shlex.join(["swather", "worker", *code, "--run", run.name])


def worker_command(run: Run, code: Sequence[str], url: str | None) -> WorkerCommand:
    """`code` names the scraper in any folder; `url` is the database as a person named it."""
    command = words_of(run, code)
    if url and url == os.environ.get(URL_VARIABLE):
        return WorkerCommand(command, (URL_VARIABLE,))
    url = url or factory.DEFAULT_URL
    path = factory.sqlite_path(url)
    where = without_password(url) if path is None else str(path.absolute())
    needs = (PASSWORD_VARIABLE,) if path is None and where != url else ()
    return WorkerCommand(f"{command} --db {shlex.quote(where)}", needs)
