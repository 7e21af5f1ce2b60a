"""The verbs of the database as a whole: its settings row, backup, check and prune."""

from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from typing import Any, Protocol

from swather.model.transaction import OpenTransaction
from swather.model.vacuum import Vacuumed


class Settings(Protocol):
    """The settings row: names and JSON values shared by everyone on this database."""

    def all(self) -> dict[str, Any]: ...
    def set(self, name: str, value: Any) -> None: ...
    def unset(self, name: str) -> None: ...
    def control_version(self) -> int:
        """Grows with every pause, cancel, limit and setting, so that workers notice."""
        ...


class Upkeep(Protocol):
    def schema_version(self) -> int: ...
    def backup(self, path: Path) -> None:
        """A consistent copy, made while others work. An existing file is never overwritten."""
        ...

    def stats(self) -> dict[str, Any]: ...
    def transactions(self) -> list[OpenTransaction]:
        """Open transactions of others that have written or locked something here, the oldest first;
        none where the database cannot say.
        """
        ...

    def pragmas(self) -> dict[str, Any]:
        """The database settings that matter to Swather, with their current values."""
        ...

    def checkpoint_wal(self) -> dict[str, Any]: ...
    def vacuum(self, *, full: bool = False) -> Iterator[Vacuumed]:
        """Give back the space of deleted rows and refresh the planner's statistics, a table at a
        time; SQLite has one file. PostgreSQL keeps the space for new rows, unless `full`: then it
        rewrites each table, and others wait for that one meanwhile.
        """
        ...

    def check(self) -> list[str]:
        """What is wrong with the database or the queue's own invariants; empty when all is well."""
        ...

    def prune(self, *, runs_ended_before: datetime | None = None) -> dict[str, int]:
        """Delete old ended runs, events and stored pages past their retention, firings and notices
        as old as such events, actions of more than 90 days ago, bodies without a page, robots.txt
        long out of date, what was remembered more than `memory_days` ago, counts of sources that
        are a year old, what is known of proxies on sites that they have not been used for in a
        long time, and rows of long-gone workers and supervisors.
        """
        ...

    def drop_expired(self) -> str | None:
        """Delete a batch of tasks of a run that ended more than `keep_runs_days` ago, in the end
        the run itself. Returns its name; None when no run has expired.
        """
        ...
