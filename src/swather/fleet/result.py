"""What a run came to, for who called it from Python."""

import shutil
import weakref
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import swather.store
from swather.model.payload import decode
from swather.model.run import Counts, RunState
from swather.runs.export import export
from swather.runs.items import Reading
from swather.runs.summary import FailedGroup, Summary


class RunResult:
    """A run at its end: how its tasks ended, and what they produced.

    Iterating over it gives the items. They are read from the database each time, so that millions
    of them need not fit into memory.
    """

    def __init__(self, summary: Summary, *, temporary: Path | None = None) -> None:
        self._summary = summary
        if temporary is not None:
            weakref.finalize(self, shutil.rmtree, temporary, ignore_errors=True)

    @property
    def run(self) -> str:
        """The run's name."""
        return self._summary.run

    @property
    def url(self) -> str:
        """The database it is in."""
        return self._summary.url

    @property
    def state(self) -> RunState:
        return self._summary.state

    @property
    def counts(self) -> Counts:
        """Tasks by state; items, files and retries."""
        return self._summary.counts

    @property
    def completed(self) -> int:
        return self.counts.completed

    @property
    def failed(self) -> int:
        return self.counts.failed

    @property
    def failures(self) -> list[FailedGroup]:
        """How most of its failed tasks have failed, those alike in one group."""
        return self._summary.groups

    def items(self) -> Iterator[Any]:
        """What was scraped, in the order in which it was committed."""
        store = swather.store.open(self.url)
        try:
            for lines in Reading(store, self.run):
                yield from map(decode, lines)
        finally:
            store.close()

    def __iter__(self) -> Iterator[Any]:
        return self.items()

    def export(self, path: Path | str) -> Path:
        """Write the items to a .jsonl, .csv or .parquet file."""
        store = swather.store.open(self.url)
        try:
            return export(store, self.run, path).path
        finally:
            store.close()

    def __str__(self) -> str:
        return "\n".join(self._summary.lines())

    def __repr__(self) -> str:
        counts = self.counts
        return (
            f"<RunResult {self.run}: {self.state}, {counts.completed} completed, "
            f"{counts.failed} failed, {counts.items} items>"
        )
